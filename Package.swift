// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

let package = Package(
  name: "bunny-broadcast",
  products: [
    .library(
      name: "BunnyBroadcast",
      // All whose types its interface shows: an embedder may import each of them.
      targets: [
        "BunnyBroadcast", "BunnyCapture", "BunnyMedia", "BunnyRTMP", "BunnyStreamAPI",
        "BunnySystem",
      ]),
    .library(name: "BunnyStreamAPI", targets: ["BunnyStreamAPI"]),
    .executable(name: "bunny-broadcast", targets: ["bunny-broadcast"]),
    .executable(name: "bunny-sandbox", targets: ["bunny-sandbox"]),
  ],
  targets: [
    .systemLibrary(
      name: "CBunnyFFmpeg",
      // Several names in one string: SwiftPM hands them to pkg-config together. libavfilter and
      // libavdevice are not here: they are loaded while running, when a source asks for them.
      pkgConfig: "libavformat libavcodec libswscale libswresample libavutil",
      providers: [
        .apt([
          "libavformat-dev", "libavcodec-dev", "libswscale-dev", "libswresample-dev",
          "libavutil-dev", "libavfilter-dev", "libavdevice-dev",
        ])
      ]),
    .target(name: "CBunnyShims"),
    .target(name: "BunnySystem", dependencies: ["CBunnyShims"], swiftSettings: strict),
    .systemLibrary(
      name: "CBunnyTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    // libyuv says nothing to pkg-config: the module map names it.
    .systemLibrary(name: "CBunnyYUV", providers: [.apt(["libyuv-dev"])]),
    .target(
      name: "BunnyMedia",
      dependencies: [
        "BunnySystem", "CBunnyFFmpeg", "CBunnyShims", "CBunnyTurboJPEG", "CBunnyYUV",
      ],
      swiftSettings: strict),
    .systemLibrary(name: "CBunnyALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CBunnyV4L2"),
    .target(
      name: "BunnyCapture",
      dependencies: ["BunnyMedia", "BunnySystem", "CBunnyALSA", "CBunnyShims", "CBunnyV4L2"],
      swiftSettings: strict),
    .systemLibrary(name: "CBunnyOpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "BunnyRTMP", dependencies: ["BunnySystem", "CBunnyOpenSSL", "CBunnyShims"],
      swiftSettings: strict),
    .systemLibrary(
      name: "CBunnyCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "BunnyStreamAPI", dependencies: ["BunnySystem", "CBunnyCurl"], swiftSettings: strict),
    .target(
      name: "BunnyBroadcast",
      dependencies: ["BunnyCapture", "BunnyMedia", "BunnyRTMP", "BunnyStreamAPI", "BunnySystem"],
      swiftSettings: strict),
    .target(
      name: "BunnyInspect", dependencies: ["BunnyCapture", "BunnyMedia", "BunnySystem"],
      swiftSettings: strict),
    .target(
      name: "BunnyCommand",
      dependencies: [
        "BunnyBroadcast", "BunnyCapture", "BunnyInspect", "BunnyMedia", "BunnyRTMP",
        "BunnyStreamAPI", "BunnySystem", "CBunnyShims",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "bunny-broadcast", dependencies: ["BunnyCommand", "CBunnyShims"],
      swiftSettings: strict),
    .systemLibrary(
      name: "CBunnyMicroHTTPD", pkgConfig: "libmicrohttpd",
      providers: [.apt(["libmicrohttpd-dev"])]),
    .target(
      name: "BunnySandbox",
      dependencies: [
        "BunnyBroadcast", "BunnyMedia", "BunnySystem", "CBunnyMicroHTTPD", "CBunnyShims",
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "bunny-sandbox", dependencies: ["BunnySandbox"], swiftSettings: strict),
    .target(name: "CSupport", dependencies: ["CBunnyFFmpeg"], path: "Tests/CSupport"),
    .target(
      name: "Support",
      dependencies: [
        "BunnyCapture", "BunnyInspect", "BunnyMedia", "BunnyRTMP", "BunnySystem", "CBunnyOpenSSL",
        "CBunnyShims", "CBunnyTurboJPEG", "CSupport",
      ],
      path: "Tests/Support", swiftSettings: strict),
    .executableTarget(
      name: "bunny-bench",
      dependencies: [
        "BunnyBroadcast", "BunnyCapture", "BunnyMedia", "BunnyRTMP", "BunnyStreamAPI",
        "BunnySystem", "CBunnyCurl", "CSupport", "Support",
      ],
      path: "Tests/Bench", swiftSettings: strict),
    .testTarget(
      name: "BunnySystemTests", dependencies: ["BunnySystem", "CBunnyShims", "Support"],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyMediaTests",
      dependencies: [
        "BunnyMedia", "BunnySystem", "CBunnyShims", "CBunnyTurboJPEG", "CSupport", "Support",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyCaptureTests",
      dependencies: ["BunnyCapture", "BunnyMedia", "BunnySystem", "CSupport", "Support"],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyRTMPTests", dependencies: ["BunnyRTMP", "BunnySystem", "Support"],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyStreamAPITests", dependencies: ["BunnyStreamAPI", "BunnySystem", "Support"],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyBroadcastTests",
      dependencies: [
        "BunnyBroadcast", "BunnyCapture", "BunnyInspect", "BunnyMedia", "BunnyRTMP",
        "BunnyStreamAPI", "BunnySystem", "CSupport", "Support",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "BunnyInspectTests",
      dependencies: ["BunnyCapture", "BunnyInspect", "BunnyMedia", "BunnySystem", "Support"],
      swiftSettings: strict),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "bunny-broadcast", "BunnyBroadcast", "BunnyCapture", "BunnyCommand", "BunnyInspect",
        "BunnyMedia", "BunnyRTMP", "BunnyStreamAPI", "BunnySystem", "Support",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "DeviceTests",
      dependencies: [
        "bunny-broadcast", "BunnyCapture", "BunnyInspect", "BunnyMedia", "BunnySystem",
        "CBunnyALSA", "CBunnyV4L2", "Support",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SandboxTests",
      dependencies: [
        "bunny-broadcast", "bunny-sandbox", "BunnyBroadcast", "BunnyCapture", "BunnyInspect",
        "BunnyMedia", "BunnyRTMP", "BunnySandbox", "BunnyStreamAPI", "BunnySystem", "Support",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
