import CBunnyFFmpeg

/// A call into FFmpeg that failed.
///
/// For whoever debugs: the person at the keyboard gets the sentence of the level above.
public struct AVFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The C function's name.
  public let call: String
  /// What it returned: a negative `errno`, or one of FFmpeg's own negative tags.
  public let code: Int32

  package init(call: String, code: Int32) {
    self.call = call
    self.code = code
  }

  public var description: String { "\(call): \(reason) (\(code))" }

  /// FFmpeg's own words for ``code``: "Invalid argument".
  public var reason: String {
    var text = [CChar](repeating: 0, count: Int(AV_ERROR_MAX_STRING_SIZE))
    av_strerror(code, &text, text.count)
    return text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  /// This machine's FFmpeg was built without what was to encode.
  public var isMissingEncoder: Bool { call.hasPrefix("avcodec_find_encoder") }

  /// The data is not what its container or codec says it is.
  public var isInvalidData: Bool { code == bunny_error_invalid_data }
}

/// The one place that looks at a negative number from FFmpeg.
@discardableResult
func check(_ call: StaticString, _ code: Int32) throws(AVFailure) -> Int32 {
  guard code >= 0 else { throw AVFailure(call: "\(call)", code: code) }
  return code
}
