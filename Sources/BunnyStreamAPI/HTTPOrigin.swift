import CBunnyCurl

/// Scheme, host and port of a URL, as libcurl reads it, which is who connects there.
struct HTTPOrigin: Equatable, CustomStringConvertible {
  /// As in `https://host:443`.
  let description: String

  /// - Returns: nil when `url` is not one of http or https, or names a user.
  init?(of url: String) {
    guard let parser = curl_url() else { return nil }
    defer { curl_url_cleanup(parser) }
    let flags = UInt32(CURLU_DISALLOW_USER)
    guard curl_url_set(parser, CURLUPART_URL, url, flags) == CURLUE_OK,
      let scheme = Self.part(CURLUPART_SCHEME, of: parser)?.lowercased(),
      scheme == "https" || scheme == "http",
      let host = Self.part(CURLUPART_HOST, of: parser)?.lowercased(), !host.isEmpty,
      let port = Self.part(CURLUPART_PORT, of: parser)
    else { return nil }
    description = "\(scheme)://\(host):\(port)"
  }

  private static func part(_ part: CURLUPart, of parser: OpaquePointer) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    let code = curl_url_get(parser, part, &text, UInt32(CURLU_DEFAULT_PORT))
    defer { curl_free(text) }
    return code == CURLUE_OK ? text.map { String(cString: $0) } : nil
  }
}
