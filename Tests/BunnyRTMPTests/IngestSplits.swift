import Testing

/// One line of the table of publish URLs: what is written, and what becomes of it. Where there is a
/// secret, it has `k3y` in it.
struct Split: Sendable, CustomTestStringConvertible {
  let url: String
  let host: String
  let port: UInt16
  let app: String
  let name: String
  let tcURL: String

  init(
    _ url: String, _ host: String = "h", _ port: UInt16 = 1935, app: String, name: String,
    tcURL: String? = nil
  ) {
    self.url = url
    self.host = host
    self.port = port
    self.app = app
    self.name = name
    self.tcURL = tcURL ?? "rtmp://h/\(app)"
  }

  var testDescription: String { url }
}

let splits = [
  Split("rtmp://h/live/k3y", app: "live", name: "k3y"),
  Split("RTMP://h/live/k3y", app: "live", name: "k3y"),
  Split(
    "rtmp://Example.COM/live/k3y", "Example.COM", app: "live", name: "k3y",
    tcURL: "rtmp://Example.COM/live"),
  Split("rtmp://h:1935/live/k3y", app: "live", name: "k3y"),
  Split("rtmp://h:1936/live/k3y", "h", 1936, app: "live", name: "k3y", tcURL: "rtmp://h:1936/live"),
  Split("rtmp://h:/live/k3y", app: "live", name: "k3y"),
  Split(
    "rtmp://h:65535/live/k3y", "h", 65535, app: "live", name: "k3y",
    tcURL: "rtmp://h:65535/live"),
  Split("rtmps://h/live/k3y", "h", 443, app: "live", name: "k3y", tcURL: "rtmps://h/live"),
  Split("RTMPS://h:443/live/k3y", "h", 443, app: "live", name: "k3y", tcURL: "rtmps://h/live"),
  Split(
    "rtmps://h:1935/live/k3y", "h", 1935, app: "live", name: "k3y",
    tcURL: "rtmps://h:1935/live"),
  Split(
    "rtmp://127.0.0.1/live/k3y", "127.0.0.1", app: "live", name: "k3y",
    tcURL: "rtmp://127.0.0.1/live"),
  Split("rtmp://[::1]/live/k3y", "::1", app: "live", name: "k3y", tcURL: "rtmp://[::1]/live"),
  Split(
    "rtmp://[2001:db8::7]:1936/live/k3y", "2001:db8::7", 1936, app: "live", name: "k3y",
    tcURL: "rtmp://[2001:db8::7]:1936/live"),
  Split(
    "rtmp://[fe80::1%25eth0]/live/k3y", "fe80::1%eth0", app: "live", name: "k3y",
    tcURL: "rtmp://[fe80::1]/live"),
  Split(
    "rtmp://[fe80::1%eth0]:80/live/k3y", "fe80::1%eth0", 80, app: "live", name: "k3y",
    tcURL: "rtmp://[fe80::1]:80/live"),
  Split(
    "rtmps://user:secret@[::ffff:10.0.0.1]/live/k3y", "::ffff:10.0.0.1", 443, app: "live",
    name: "k3y", tcURL: "rtmps://[::ffff:10.0.0.1]/live"),
  Split(
    "rtmp://h./live/k3y", "h.", app: "live", name: "k3y", tcURL: "rtmp://h/live"),
  Split(
    "rtmp://live_1.a-b.example.:1936/live/k3y", "live_1.a-b.example.", 1936, app: "live",
    name: "k3y", tcURL: "rtmp://live_1.a-b.example:1936/live"),
  Split(
    "rtmp://h:0001936/live/k3y", "h", 1936, app: "live", name: "k3y",
    tcURL: "rtmp://h:1936/live"),
  Split("rtmp://user:secret@h/live/k3y", app: "live", name: "k3y"),
  Split(
    "rtmp://user@h:1936/live/k3y", "h", 1936, app: "live", name: "k3y",
    tcURL: "rtmp://h:1936/live"),
  Split(
    "rtmp://user:p@ss@[::1]:19/live/k3y", "::1", 19, app: "live", name: "k3y",
    tcURL: "rtmp://[::1]:19/live"),
  Split("rtmp://h/app/instance/k3y", app: "app/instance", name: "k3y"),
  Split("rtmp://h/a/b/c/d", app: "a/b", name: "c/d"),
  Split("rtmp://h/app/instance/k3/y3y==", app: "app/instance", name: "k3/y3y=="),
  Split("rtmp://h/live/a+b==", app: "live", name: "a+b=="),
  Split("rtmp://h/live/QUJD/REVG+w==", app: "live/QUJD", name: "REVG+w=="),
  Split("rtmp://h/live/k3y?token=a", app: "live", name: "k3y?token=a"),
  Split("rtmp://h/live/k3y?a=1&b=2", app: "live", name: "k3y?a=1&b=2"),
  Split("rtmp://h/live/k3y?sig=a/b+c/d==", app: "live", name: "k3y?sig=a/b+c/d=="),
  Split("rtmp://h/app/inst/k3y?sig=a/b", app: "app/inst", name: "k3y?sig=a/b"),
  Split("rtmp://h/live/k3y?u=rtmp://x/y", app: "live", name: "k3y?u=rtmp://x/y"),
  Split("rtmp://h/live/?streamid=k3y", app: "live", name: "?streamid=k3y"),
  Split("rtmp://h/live/&k3y", app: "live", name: "&k3y"),
  Split("rtmp://h/live/=k3y", app: "live", name: "=k3y"),
  Split("rtmp://h/live//k3y", app: "live", name: "/k3y"),
  Split("rtmp://h/live/??", app: "live", name: "??"),
  Split("rtmp://h/live/k3y%2Fk3y%20", app: "live", name: "k3y%2Fk3y%20"),
  Split("rtmp://h/live/100%", app: "live", name: "100%"),
  Split("rtmp://h/live/k3y#1", app: "live", name: "k3y#1"),
  Split("rtmp://h/live/k3y:a@b", app: "live", name: "k3y:a@b"),
  Split("rtmp://h/live/schlüssel", app: "live", name: "schlüssel"),
  Split("rtmp://h/live/mp4:k3y", app: "live", name: "mp4:k3y"),
  Split("rtmp://h/app?vhost=v/k3y", app: "app?vhost=v", name: "k3y"),
  Split("rtmp://h/app?t=a/b/k3y", app: "app?t=a/b", name: "k3y"),
  Split("rtmp://h/app/inst/k3y/", app: "app/inst", name: "k3y/"),
  Split("rtmp://h/a/b/c/d/e/k3y", app: "a/b", name: "c/d/e/k3y"),
  Split("rtmp://h/app/inst//k3y", app: "app/inst", name: "/k3y"),
  Split("rtmp://h/app///k3y", app: "app", name: "//k3y"),
  Split("rtmp://h/live/k3y=/x", app: "live/k3y=", name: "x"),
  Split("rtmp://h/live/?k3y/with/slashes", app: "live", name: "?k3y/with/slashes"),
  Split("rtmp://h/live/?", app: "live", name: "?"),
  Split("rtmp://h/live/?id=1?sig=k3y", app: "live", name: "?id=1?sig=k3y"),
  Split("rtmp://h/live/%3Fk3y%3D%25252F", app: "live", name: "%3Fk3y%3D%25252F"),
  Split("rtmp://h/li%76e/k3y%", app: "li%76e", name: "k3y%"),
  Split("rtmp://h/live/k3y%00%0A", app: "live", name: "k3y%00%0A"),
  Split("rtmp://h/app?a=1&b=2/k3y?c=3", app: "app?a=1&b=2", name: "k3y?c=3"),
  Split("rtmp://h/app?a=1/k3y?c=k3y/y", app: "app?a=1/k3y?c=k3y", name: "y"),
  Split("rtmp://h/app/inst?vhost=v/k3y", app: "app", name: "inst?vhost=v/k3y"),
  Split("rtmp://h/app/_definst_/mp4:k3y.mp4", app: "app/_definst_", name: "mp4:k3y.mp4"),
  Split("rtmp://h/live/\u{301}k3y", app: "live", name: "\u{301}k3y"),
  Split("rtmp://h/\u{301}live/k3y?\u{301}=1", app: "\u{301}live", name: "k3y?\u{301}=1"),
  Split("rtmp://h/live/🐰k3y", app: "live", name: "🐰k3y"),
  Split("rtmp://h/live/k3y\\\"'<>|^`{}", app: "live", name: "k3y\\\"'<>|^`{}"),
  Split("rtmp://h/live/@k3y:80", app: "live", name: "@k3y:80"),
  Split("rtmp://h/live/[k3y]", app: "live", name: "[k3y]"),
  Split(
    "rtmp://h/live/k3y" + String(repeating: "+", count: 8175), app: "live",
    name: "k3y" + String(repeating: "+", count: 8175)),
]
