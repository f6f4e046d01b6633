import BunnySystem
import Testing

struct HidingAddressesTests {
  @Test(arguments: [
    ("rtmp://host:1935/live/secret", "rtmp://host:1935/•••"),
    ("no rtmp://me:secret@host/a/secret?b=secret: refused", "no rtmp://host/•••: refused"),
    (
      "https://[2001:db8::1]/x and http://a?t=1#2 too",
      "https://[2001:db8::1]/••• and http://a/••• too"
    ),
    ("movie=rtmp\\://host/a/secret", "movie=rtmp\\://host/•••"),
    ("at rtmp://host/app/•••: refused", "at rtmp://host/app/•••: refused"),
    ("http://host", "http://host"), ("http://se cret", "http://se cret"),
    ("neither rtmp:// nor rtmps://; write", "neither rtmp:// nor rtmps://; write"),
    ("write rtmp://host/APP/KEY or", "write rtmp://host/APP/KEY or"),
    ("redirects to https://host, which", "redirects to https://host, which"),
    ("(see https://host/secret).", "(see https://host/•••)."),
    ("rtmp://secret@host/APP/KEY", "rtmp://host/•••"),
    ("rtmp://host/APP/KEY2", "rtmp://host/•••"), ("rtmp://host/secret/APP/KEY", "rtmp://host/•••"),
    ("rtmp://secret_key/", "rtmp://•••"), ("://", "://"), ("a b/c.mp4", "a b/c.mp4"), ("", ""),
  ])
  func `addresses in a sentence lose what follows the host`(_ text: String, _ shown: String) {
    #expect(hidingAddresses(in: text) == shown)
  }

  @Test(arguments: [
    ("rtmp://host/app/my secret", "rtmp://host/•••"), ("/a/b c.mp4", "/a/b c.mp4"),
    ("file:rtmp://me:secret@host/app/x rtmp://b/c", "file:rtmp://host/•••"),
    ("http://ho st/secret", "http://•••"),
  ])
  func `an address that is all there is goes on to its end`(_ name: String, _ shown: String) {
    #expect(hidingAddress(name) == shown)
  }
}
