import BunnySystem
import CBunnyFFmpeg

/// A chain of libavfilter's filters, for what few sources need: deinterlacing and turning upright.
///
/// Belongs to one thread. libavfilter brings dozens of libraries with it, so it is loaded when the
/// first chain is made.
public final class FilterGraph {
  private let library: AVFilterLibrary
  private var graph: UnsafeMutablePointer<AVFilterGraph>?
  private var input: UnsafeMutablePointer<AVFilterContext>?
  private var output: UnsafeMutablePointer<AVFilterContext>?
  private let frame = Frame()

  /// The chain that makes pictures progressive and upright; nil when they are.
  public static func chain(isInterlaced: Bool, rotation: Int) -> String? {
    var filters: [String] = []
    if isInterlaced { filters.append("bwdif=mode=send_frame:deint=interlaced") }
    switch rotation {
    case 90: filters.append("transpose=clock")
    case 180: filters += ["hflip", "vflip"]
    case 270: filters.append("transpose=cclock")
    default: break
    }
    return filters.isEmpty ? nil : filters.joined(separator: ",")
  }

  /// - Parameters:
  ///   - chain: as FFmpeg's `-vf` takes it.
  ///   - picture: all that are pushed look like it: size and format.
  /// - Throws: ``AVFailure`` when libavfilter is not on this machine, or refuses the chain.
  public init(_ chain: String, for picture: Picture) throws(AVFailure) {
    guard let library = AVFilterLibrary.shared else {
      throw AVFailure(call: "dlopen(\(AVFilterLibrary.name))", code: -ENOENT)
    }
    self.library = library
    graph = library.allocate()
    let frame = picture.raw.pointee
    let aspect = frame.sample_aspect_ratio
    let arguments =
      "video_size=\(frame.width)x\(frame.height):pix_fmt=\(frame.format):time_base=1/1000000000"
      + ":pixel_aspect=\(aspect.num)/\(max(1, aspect.den))"
    try check(
      "avfilter_graph_create_filter(buffer)",
      library.create(&input, library.byName("buffer"), "in", arguments, nil, graph))
    try check(
      "avfilter_graph_create_filter(buffersink)",
      library.create(&output, library.byName("buffersink"), "out", nil, nil, graph))
    try parse(chain)
    try check("avfilter_graph_config", library.configure(graph, nil))
  }

  deinit { library.free(&graph) }

  /// Pictures of one in: none while the chain looks ahead, then usually one. nil drains.
  ///
  /// - Throws: ``AVFailure`` from the chain.
  public func push(_ picture: Picture?) throws(AVFailure) -> [Picture] {
    if let picture {
      try check("av_frame_ref", av_frame_ref(frame.raw, picture.raw))
      frame.raw.pointee.pts = picture.time.nanoseconds
      try check("av_buffersrc_add_frame", library.push(input, frame.raw, 0))
      av_frame_unref(frame.raw)
    } else {
      try check("av_buffersrc_add_frame", library.push(input, nil, 0))
    }
    var pictures: [Picture] = []
    while true {
      let code = library.pull(output, frame.raw)
      if code == bunny_error_again || code == bunny_error_eof { return pictures }
      try check("av_buffersink_get_frame", code)
      let time = library.outputTimebase(output).convert(frame.raw.pointee.pts)
      pictures.append(Picture(moving: frame, time: MonotonicTime(nanoseconds: time)))
    }
  }

  private func parse(_ chain: String) throws(AVFailure) {
    var inputs = library.allocateEnds()
    var outputs = library.allocateEnds()
    defer {
      library.freeEnds(&inputs)
      library.freeEnds(&outputs)
    }
    outputs?.pointee.name = av_strdup("in")
    outputs?.pointee.filter_ctx = input
    inputs?.pointee.name = av_strdup("out")
    inputs?.pointee.filter_ctx = output
    try check("avfilter_graph_parse_ptr", library.parse(graph, chain, &inputs, &outputs, nil))
  }
}

extension AVRational {
  fileprivate func convert(_ ticks: Int64) -> Int64 {
    av_rescale_q(ticks, self, av_make_q(1, 1_000_000_000))
  }
}

/// libavfilter's functions, found while running.
private final class AVFilterLibrary: Sendable {
  typealias Graph = UnsafeMutablePointer<AVFilterGraph>
  typealias Filter = UnsafeMutablePointer<AVFilterContext>
  typealias Ends = UnsafeMutablePointer<AVFilterInOut>

  static let name = "libavfilter.so.\(LIBAVFILTER_VERSION_MAJOR)"
  static let shared = AVFilterLibrary()

  let allocate: @convention(c) @Sendable () -> Graph?
  let free: @convention(c) @Sendable (UnsafeMutablePointer<Graph?>) -> Void
  let byName: @convention(c) @Sendable (UnsafePointer<CChar>) -> UnsafePointer<AVFilter>?
  let create:
    @convention(c) @Sendable (
      UnsafeMutablePointer<Filter?>, UnsafePointer<AVFilter>?, UnsafePointer<CChar>?,
      UnsafePointer<CChar>?, UnsafeMutableRawPointer?, Graph?
    ) -> Int32
  let allocateEnds: @convention(c) @Sendable () -> Ends?
  let freeEnds: @convention(c) @Sendable (UnsafeMutablePointer<Ends?>) -> Void
  let parse:
    @convention(c) @Sendable (
      Graph?, UnsafePointer<CChar>, UnsafeMutablePointer<Ends?>, UnsafeMutablePointer<Ends?>,
      UnsafeMutableRawPointer?
    ) -> Int32
  let configure: @convention(c) @Sendable (Graph?, UnsafeMutableRawPointer?) -> Int32
  let push: @convention(c) @Sendable (Filter?, UnsafeMutablePointer<AVFrame>?, Int32) -> Int32
  let pull: @convention(c) @Sendable (Filter?, UnsafeMutablePointer<AVFrame>?) -> Int32
  let outputTimebase: @convention(c) @Sendable (Filter?) -> AVRational

  private init?() {
    guard let library = DynamicLibrary(Self.name) else { return nil }
    allocate = library.function("avfilter_graph_alloc")
    free = library.function("avfilter_graph_free")
    byName = library.function("avfilter_get_by_name")
    create = library.function("avfilter_graph_create_filter")
    allocateEnds = library.function("avfilter_inout_alloc")
    freeEnds = library.function("avfilter_inout_free")
    parse = library.function("avfilter_graph_parse_ptr")
    configure = library.function("avfilter_graph_config")
    push = library.function("av_buffersrc_add_frame_flags")
    pull = library.function("av_buffersink_get_frame")
    outputTimebase = library.function("av_buffersink_get_time_base")
  }
}
