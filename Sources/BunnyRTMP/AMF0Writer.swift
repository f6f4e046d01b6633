extension AMF0Value {
  /// These values one after another, as a command or data message holds them.
  public static func encode(_ values: [AMF0Value]) -> [UInt8] {
    var writer = AMF0Writer()
    for value in values { writer.write(value) }
    return writer.bytes
  }
}

/// Appends AMF0 values to ``bytes``.
struct AMF0Writer {
  private(set) var bytes: [UInt8] = []

  mutating func write(_ value: AMF0Value) {
    switch value {
    case .number(let number):
      bytes.append(AMF0Marker.number)
      write(number)
    case .boolean(let isTrue):
      bytes += [AMF0Marker.boolean, isTrue ? 1 : 0]
    case .string(let text):
      writeMarked(text, short: AMF0Marker.string)
    case .longString(let text):
      writeLong(text, marker: AMF0Marker.longString)
    case .xmlDocument(let text):
      writeLong(text, marker: AMF0Marker.xmlDocument)
    case .null: bytes.append(AMF0Marker.null)
    case .undefined: bytes.append(AMF0Marker.undefined)
    case .unsupported: bytes.append(AMF0Marker.unsupported)
    case .reference(let index):
      bytes.append(AMF0Marker.reference)
      bytes.appendBigEndian(index)
    case .date(let milliseconds, let timeZone):
      bytes.append(AMF0Marker.date)
      write(milliseconds)
      bytes.appendBigEndian(UInt16(bitPattern: timeZone))
    default: writeContainer(value)
    }
  }

  private mutating func writeContainer(_ value: AMF0Value) {
    switch value {
    case .object(let object):
      bytes.append(AMF0Marker.object)
      write(object)
    case .typedObject(let className, let object):
      bytes.append(AMF0Marker.typedObject)
      writeName(className)
      write(object)
    case .ecmaArray(let object):
      bytes.append(AMF0Marker.ecmaArray)
      bytes.appendBigEndian(UInt32(truncatingIfNeeded: object.pairs.count))
      write(object)
    case .strictArray(let values):
      bytes.append(AMF0Marker.strictArray)
      bytes.appendBigEndian(UInt32(truncatingIfNeeded: values.count))
      for value in values { write(value) }
    default: break  // the plain values were written by the caller
    }
  }

  private mutating func write(_ number: Double) { bytes.appendBigEndian(number.bitPattern) }

  private mutating func write(_ object: AMF0Object) {
    for pair in object.pairs where !pair.name.isEmpty {  // an empty name would end the object
      writeName(pair.name)
      write(pair.value)
    }
    bytes += [0, 0, AMF0Marker.objectEnd]
  }

  /// A name has no long form: what exceeds 65 535 bytes is cut off.
  private mutating func writeName(_ name: String) {
    let text = name.utf8.prefix(0xFFFF)
    bytes.appendBigEndian(UInt16(text.count))
    bytes += text
  }

  private mutating func writeMarked(_ text: String, short marker: UInt8) {
    guard let count = UInt16(exactly: text.utf8.count) else {
      return writeLong(text, marker: AMF0Marker.longString)
    }
    bytes.append(marker)
    bytes.appendBigEndian(count)
    bytes += text.utf8
  }

  private mutating func writeLong(_ text: String, marker: UInt8) {
    bytes.append(marker)
    bytes.appendBigEndian(UInt32(truncatingIfNeeded: text.utf8.count))
    bytes += text.utf8
  }
}

/// The byte that opens each AMF0 value.
enum AMF0Marker {
  static let number: UInt8 = 0x00
  static let boolean: UInt8 = 0x01
  static let string: UInt8 = 0x02
  static let object: UInt8 = 0x03
  static let null: UInt8 = 0x05
  static let undefined: UInt8 = 0x06
  static let reference: UInt8 = 0x07
  static let ecmaArray: UInt8 = 0x08
  static let objectEnd: UInt8 = 0x09
  static let strictArray: UInt8 = 0x0A
  static let date: UInt8 = 0x0B
  static let longString: UInt8 = 0x0C
  static let unsupported: UInt8 = 0x0D
  static let xmlDocument: UInt8 = 0x0F
  static let typedObject: UInt8 = 0x10
}
