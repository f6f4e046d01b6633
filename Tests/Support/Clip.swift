import BunnyCapture
package import BunnyMedia
import BunnySystem
package import Foundation

/// A short recording, made by the `ffmpeg` command of test frames and test tone.
package struct Clip {
  /// What is to be seen, frame by frame.
  package enum Shot {
    /// The test picture's frame of that number.
    case test(Int)
    case black
  }

  package var width = 640
  package var height = 360
  package var frameRate = Timebase(30, 1)
  package var shots: [Shot]
  /// How much later than the picture the tone is; nil for a clip without sound.
  package var toneDelay: Int64? = 0
  /// Silences the tone in these seconds.
  package var mute: Range<Double>?
  /// Options of `ffmpeg` for the output.
  package var options = ["-c:v", "libx264", "-preset", "ultrafast", "-g", "60"]

  /// A clip of frames that are all there, in order.
  package init(frames: Int) { shots = (0..<frames).map { .test($0) } }

  /// UNIX milliseconds of frame 0's making.
  package static let epoch: UInt64 = 1_796_010_512_000

  /// Makes it in `folder` and returns its path.
  package func make(in folder: TemporaryDirectory, _ name: String = "clip.mkv") throws -> String {
    let path = folder.file(name)
    var arguments = [
      "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)", "-framerate",
      "\(frameRate)", "-i", "pipe:0",
    ]
    if let toneDelay {
      let sound = folder.file("\(name).f32")
      try tone(toneDelay).write(to: URL(filePath: sound))
      arguments += ["-f", "f32le", "-ar", "48000", "-ac", "1", "-i", sound, "-c:a", "aac"]
    }
    let colour = ["-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709"]
    try ffmpeg(
      arguments + colour + ["-color_range", "tv", "-r", "\(frameRate)"] + options + [path]
    ) {
      try write(to: $0)
    }
    return path
  }

  /// Its frames as raw 4:2:0.
  private func write(to pipe: UnsafeMutablePointer<FILE>) throws {
    let second = MonotonicTime(nanoseconds: 10_000_000_000)
    let pattern = TestPattern(
      width: width, height: height, grid: SourceGrid(before: second, rate: frameRate))
    let pool = PicturePool(width: width, height: height)
    for shot in shots {
      let picture = pool.picture(time: second) { y, u, v in
        switch shot {
        case .test(let number):
          let made = Self.epoch + UInt64((Double(number) * 1000 / frameRate.value).rounded())
          let mark = FrameMark(number: UInt32(number), milliseconds: made)
          pattern.draw(Int64(number), mark: mark, y: y, u: u, v: v)
        case .black:
          for (plane, level) in [(y, UInt8(16)), (u, 128), (v, 128)] { plane.fill(with: level) }
        }
      }
      let bytes = picture.rawBytes
      let count = bytes.withUnsafeBytes { fwrite($0.baseAddress, 1, $0.count, pipe) }
      guard count == bytes.count else { throw CommandFailed(arguments: options, status: errno) }
    }
  }

  private func tone(_ delay: Int64) -> Data {
    var data = Data()
    let runs = Int(Double(shots.count) / frameRate.value * 50)
    for run in 0..<runs {
      let seconds = Double(run) / 50
      let time = MonotonicTime(nanoseconds: 10_000_000_000 + Int64(run) * 20_000_000 - delay)
      Tone.samples(at: time).withChannel(0) { samples in
        if mute?.contains(seconds) == true {
          data.append(Data(count: samples.count * 4))
        } else {
          data.append(Data(buffer: samples))
        }
      }
    }
    return data
  }
}

package struct CommandFailed: Error {
  package let arguments: [String]
  package let status: Int32
}

/// Runs `ffmpeg`, feeding its standard input.
///
/// With `popen`, as Foundation's `Process` leaks a little, which the leak gate would report.
package func ffmpeg(_ arguments: [String], feed: (UnsafeMutablePointer<FILE>) throws -> Void) throws
{
  let words = ["ffmpeg", "-v", "error", "-y"] + arguments
  let command = words.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
  guard let pipe = popen(command, "we") else {
    throw CommandFailed(arguments: arguments, status: errno)
  }
  do { try feed(pipe) } catch {
    pclose(pipe)
    throw error
  }
  let status = pclose(pipe)
  guard status == 0 else { throw CommandFailed(arguments: arguments, status: status) }
}

extension Picture {
  /// Its planes without padding, one after the other.
  package var rawBytes: Data {
    withPlanes { y, u, v in
      var data = Data(capacity: y.width * y.height * 3 / 2)
      for plane in [y, u, v] {
        for row in 0..<plane.height {
          data.append(plane.bytes + row * plane.stride, count: plane.width)
        }
      }
      return data
    }
  }
}

extension Picture.Plane {
  package func fill(with level: UInt8) {
    for row in 0..<height { (bytes + row * stride).update(repeating: level, count: width) }
  }
}

extension Array where Element == Clip.Shot {
  package static func test(_ numbers: some Sequence<Int>) -> Self { numbers.map { .test($0) } }
}
