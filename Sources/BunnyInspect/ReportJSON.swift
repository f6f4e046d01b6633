import FoundationEssentials

extension Report {
  /// For machines: the fields of ``Report``, keys sorted, indented. A number that is not finite is
  /// one of the strings `inf`, `-inf`, `nan`.
  public var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    guard let data = try? encoder.encode(self) else {
      preconditionFailure("a report is always encodable")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
