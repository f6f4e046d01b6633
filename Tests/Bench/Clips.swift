import Foundation

/// Ten seconds of 720p30 of each kind of picture that people broadcast.
///
/// What is real and what is made: the animation is as its makers made it. Faces and streets are real
/// footage of 640 pixels' width, enlarged, with a sensor's noise put back in; the sport's camera is swung by
/// us, the dark room is the faces' footage darkened, the lobby's is played to and fro; the text is drawn.
enum Clip720: String, CaseIterable {
  case animation, faces, sport, text, dark, lobby

  var path: String { "\(Course.folder)/clip-\(rawValue).mkv" }

  static let frames = 300
  static let framesPerSecond = 30
  private static let face = ".cache/face.mp4"
  private static let street = ".cache/bikes.mp4"
  /// A text that every Debian has.
  private static let licence = "/usr/share/common-licenses/GPL-3"

  static func prepareAll() async throws {
    try FileManager.default.createDirectory(
      atPath: Course.folder, withIntermediateDirectories: true)
    for source in [Course.source, face, street]
    where !FileManager.default.fileExists(atPath: source) {
      throw BenchFailure(69, "\(source) is not there; scripts/setup --bench fetches it")
    }
    for clip in allCases {
      try await Making.file(
        clip.path,
        """
        \(clip.input) \(clip.filters),setsar=1,format=yuv420p -frames:v \(frames) -r 30 -an
        \(Making.broadcastColour) -c:v libx264 -preset ultrafast -qp 0 -f matroska
        """)
    }
  }

  /// The clip at another size.
  func scaled(width: Int, height: Int) async throws -> String {
    guard height != 720 else { return path }
    let path = "\(Course.folder)/clip-\(rawValue)-\(height).mkv"
    try await Making.file(
      path,
      """
      -i \(self.path) -vf scale=\(width):\(height):flags=lanczos,setsar=1 \(Making.broadcastColour)
      -c:v libx264 -preset ultrafast -qp 0 -f matroska
      """)
    return path
  }

  private var input: String {
    switch self {
    case .animation: "-stream_loop -1 -r 30 -i \(Course.source)"
    case .faces: "-r 30 -i \(Self.face)"
    case .sport: "-stream_loop -1 -r 48 -i \(Self.street)"
    case .text: "-f lavfi -i color=white:s=1280x720:r=30"
    case .dark: "-ss 8 -r 30 -i \(Self.face)"
    case .lobby: "-ss 7.6 -i \(Self.street)"
    }
  }

  private var filters: String {
    switch self {
    case .animation: "-vf scale=1280:720"
    case .faces: "-vf \(Self.enlarged(3, seed: 1))"
    // Twice as fast, and swung from side to side.
    case .sport:
      "-vf fps=30,scale=2118:900:flags=lanczos,"
        + "crop=1280:720:x='419+419*sin(n/9)':y='90+90*sin(n/7)'"
    case .text: "-vf \(Self.page(at: 30, from: 40)),\(Self.page(at: 660, from: -2000))"
    case .dark:
      "-vf scale=960:540:flags=lanczos,eq=brightness=-0.12:contrast=0.55:saturation=0.6,"
        + "\(Self.noise(9, seed: 2)),scale=1280:720"
    // One passes by, to and fro, in front of a camera that stands still.
    case .lobby:
      "-filter_complex trim=end_frame=50,setpts=N/30/TB,split[a][b];[b]reverse[r];[a][r]concat,"
        + "loop=-1:100:0,setpts=N/30/TB,scale=960:408:flags=lanczos,crop=726:408,"
        + "\(Self.noise(4, seed: 3)),scale=1280:720"
    }
  }

  private static func enlarged(_ strength: Int, seed: Int) -> String {
    "scale=960:540:flags=lanczos,\(noise(strength, seed: seed)),scale=1280:720"
  }

  /// A sensor's: put in before the last enlargement, for it is never finer than the sensor.
  private static func noise(_ strength: Int, seed: Int) -> String {
    let chroma = strength * 2 / 3
    return "noise=c0s=\(strength):c1s=\(chroma):c2s=\(chroma):allf=t:c0_seed=\(seed)"
  }

  /// A column of text: another page every 100 frames, scrolled for 30 of them.
  private static func page(at x: Int, from y: Int) -> String {
    "drawtext=textfile=\(licence):font=monospace:fontsize=15:line_spacing=4:fontcolor=0x303030:"
      + "x=\(x):y='\(y)-340*floor(n/100)-6*min(mod(n\\,100)\\,30)'"
  }
}
