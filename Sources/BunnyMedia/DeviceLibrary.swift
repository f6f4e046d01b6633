import CBunnyFFmpeg
import Glibc

/// libavdevice: screens, PulseAudio and whatever else FFmpeg captures.
///
/// It brings 80 shared libraries and 50 ms of start-up, so it is loaded when first asked for.
public enum DeviceLibrary {
  /// Loads libavdevice; its inputs are known to ``Demuxer`` from then on.
  ///
  /// - Throws: ``AVFailure`` when this machine does not have it.
  public static func load() throws(AVFailure) {
    guard loaded else { throw AVFailure(call: "dlopen(\(name))", code: -ENOENT) }
  }

  /// Whether `format` is one of its inputs, or any other of FFmpeg's.
  public static func has(_ format: String) -> Bool { av_find_input_format(format) != nil }

  /// The file that the dynamic linker looks for.
  public static let name = "libavdevice.so.\(LIBAVDEVICE_VERSION_MAJOR)"

  /// Debian's package that has it.
  public static let package = "libavdevice\(LIBAVDEVICE_VERSION_MAJOR)"

  private static let loaded: Bool = {
    guard let library = DynamicLibrary(name) else { return false }
    let register: @convention(c) () -> Void = library.function("avdevice_register_all")
    register()
    return true
  }()
}
