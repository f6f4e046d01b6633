import BunnySystem
import CBunnyCurl
import FoundationEssentials

/// A libcurl handle: sends one request at a time and keeps the connection for the next. TLS is
/// verified; no cookies, no cache, no credentials.
///
/// Any thread may use it, one at a time.
final class HTTPConnection: @unchecked Sendable {
  private static let mostRedirects = 5
  private static let isLibraryReady = bunny_curl_begin() == CURLE_OK

  private let curl: UnsafeMutableRawPointer
  private let trusted: String?

  /// - Parameter trusted: a file of authorities in place of the system's.
  /// - Returns: nil when libcurl cannot begin.
  init?(trusting trusted: String?) {
    guard Self.isLibraryReady, let curl = curl_easy_init() else { return nil }
    self.curl = curl
    self.trusted = trusted
  }

  deinit { curl_easy_cleanup(curl) }

  /// Sends `request` and reads the answer. Returns when that is done, at `deadline`, or within a second
  /// once `isOver` is set; later only if the system's name look-up hangs.
  ///
  /// Redirects are followed only within the same scheme, host and port: the access key goes nowhere
  /// else. And only with the same method: a PUT that became a GET would pass for done.
  func exchange(
    _ request: HTTPRequest, until deadline: MonotonicTime, _ isOver: Flag
  ) -> Result<HTTPAnswer, HTTPFailure> {
    let origin = HTTPOrigin(of: request.url)
    var request = request
    var redirects = 0
    while true {
      let end = perform(request, HTTPReading(isOver), until: deadline)
      if let failure = end.failure { return .failure(failure) }
      guard end.isRedirect else { return .success(end.answer) }
      guard let target = end.redirect else { return .success(HTTPAnswer(status: end.status)) }
      let targetOrigin = HTTPOrigin(of: target)
      let keepsMethod = end.status != 303 || request.method == "GET"
      guard let targetOrigin, targetOrigin == origin, keepsMethod, redirects < Self.mostRedirects
      else {
        let shown = targetOrigin?.description ?? "nowhere"
        return .success(HTTPAnswer(status: end.status, refusedRedirect: shown))
      }
      request.url = target
      redirects += 1
    }
  }

  private func perform(
    _ request: HTTPRequest, _ reading: HTTPReading, until deadline: MonotonicTime
  ) -> HTTPEnd {
    var end = HTTPEnd()
    var words = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    words.withUnsafeMutableBufferPointer { words in
      var lines: UnsafeMutablePointer<curl_slist>?
      // What is set points to things of this call.
      defer {
        curl_easy_reset(curl)
        curl_slist_free_all(lines)
      }
      var code = set(request, until: deadline)
      for line in Self.lines(of: request) where code == CURLE_OK {
        if let longer = curl_slist_append(lines, line) {
          lines = longer
        } else {
          code = CURLE_OUT_OF_MEMORY
        }
      }
      if code == CURLE_OK { code = bunny_curl_set_headers(curl, lines) }
      if code == CURLE_OK { code = bunny_curl_set_words(curl, words.baseAddress) }
      if code == CURLE_OK { code = reading.attach(to: curl) }
      if code == CURLE_OK { code = withExtendedLifetime(reading) { curl_easy_perform(curl) } }
      end.code = code
      end.status = bunny_curl_status(curl)
      end.wasSent = bunny_curl_sent_bytes(curl) > 0
      end.isCertificateTooEarly = bunny_curl_is_certificate_early(curl) != 0
      end.redirect = bunny_curl_redirect(curl).map { String(cString: $0) }
    }
    end.words = String(
      decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    end.exchange = reading.exchange
    return end
  }

  /// An empty one keeps away what libcurl would add to a request with a body.
  private static func lines(of request: HTTPRequest) -> [String] {
    request.headers
      + [request.contentType.map { "Content-Type: \($0)" } ?? "Content-Type:", "Expect:"]
  }

  private func set(_ request: HTTPRequest, until deadline: MonotonicTime) -> CURLcode {
    // Rounded up, and libcurl may end one early, for it rounds what has passed.
    let milliseconds = (deadline - .now) / 1_000_000 + 2
    guard milliseconds > 0 else { return CURLE_OPERATION_TIMEDOUT }
    let numbers: [(CURLoption, Int)] = [
      (CURLOPT_NOSIGNAL, 1), (CURLOPT_TIMEOUT_MS, Int(milliseconds)),
      (CURLOPT_CONNECTTIMEOUT_MS, 10_000), (CURLOPT_FOLLOWLOCATION, 0),
      (CURLOPT_PATH_AS_IS, 1), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
      (CURLOPT_FRESH_CONNECT, request.isOnlyOnce ? 1 : 0), (CURLOPT_SSL_VERIFYPEER, 1),
      (CURLOPT_SSL_VERIFYHOST, 2),
      // A proxy is not told the access key, and what it says is no part of the answer.
      (CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE)), (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1),
    ]
    for (option, number) in numbers {
      let code = bunny_curl_set_number(curl, option, number)
      guard code == CURLE_OK else { return code }
    }
    var texts: [(CURLoption, String)] = [
      (CURLOPT_URL, request.url), (CURLOPT_ACCEPT_ENCODING, "gzip"),
      (CURLOPT_USERAGENT, Product.userAgent),
    ]
    if let trusted { texts.append((CURLOPT_CAINFO, trusted)) }
    if request.method != "GET" {
      let code = request.body.withUnsafeBytes {
        bunny_curl_set_body(curl, $0.baseAddress, $0.count)
      }
      guard code == CURLE_OK else { return code }
      texts.append((CURLOPT_CUSTOMREQUEST, request.method))
    }
    for (option, text) in texts {
      let code = bunny_curl_set_text(curl, option, text)
      guard code == CURLE_OK else { return code }
    }
    let code = bunny_curl_keep_socket_from_children(curl)
    return code == CURLE_OK ? bunny_curl_allow_http_only(curl) : code
  }
}

/// How one transfer ended.
private struct HTTPEnd {
  var code = CURLE_OK
  var status = 0
  var redirect: String?
  var words = ""
  var exchange = HTTPExchange()
  var wasSent = false
  var isCertificateTooEarly = false

  var answer: HTTPAnswer {
    HTTPAnswer(
      status: status, body: exchange.body, isCut: exchange.isCut, retryAfter: exchange.retryAfter)
  }
  var isRedirect: Bool { [301, 302, 303, 307, 308].contains(status) }

  /// nil when there is an answer, if not all of it.
  var failure: HTTPFailure? {
    switch code {
    case CURLE_OK where exchange.isHeadOver && status != 0: nil
    case CURLE_OK: broken("the server hung up before its answer")
    case CURLE_WRITE_ERROR where exchange.isCut: nil
    case CURLE_WRITE_ERROR where exchange.isHeadTooLong: broken("its headers are too long")
    case CURLE_ABORTED_BY_CALLBACK: .cancelled
    case CURLE_OPERATION_TIMEDOUT where words.isEmpty: .timedOut
    case CURLE_PEER_FAILED_VERIFICATION where isCertificateTooEarly: .certificateTooEarly
    default: broken(words.isEmpty ? String(cString: curl_easy_strerror(code)) : words)
    }
  }

  private func broken(_ words: String) -> HTTPFailure { .broken(words, wasSent: wasSent) }
}

/// What libcurl's callbacks tell.
private final class HTTPReading {
  var exchange = HTTPExchange()
  private let isOver: Flag

  init(_ isOver: Flag) { self.isOver = isOver }

  /// Has libcurl tell this object, which must outlive the transfer.
  func attach(to curl: UnsafeMutableRawPointer) -> CURLcode {
    bunny_curl_set_callbacks(
      curl,
      { bytes, size, count, opaque in
        let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return HTTPReading.from(opaque).exchange.takeLine(line) ? size * count : 0
      },
      { bytes, size, count, opaque in
        let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
        return HTTPReading.from(opaque).exchange.take(piece) ? size * count : 0
      },
      { opaque, _, _, _, _ in HTTPReading.from(opaque).isOver.isSet ? 1 : 0 },
      Unmanaged.passUnretained(self).toOpaque())
  }

  private static func from(_ opaque: UnsafeMutableRawPointer?) -> HTTPReading {
    Unmanaged.fromOpaque(opaque!).takeUnretainedValue()
  }
}
