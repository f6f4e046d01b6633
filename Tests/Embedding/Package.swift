// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Embedding",
  dependencies: [.package(name: "bunny-broadcast", path: "../..")],
  targets: [
    .target(name: "Media"),
    .executableTarget(
      name: "embedding",
      dependencies: ["Media", .product(name: "BunnyBroadcast", package: "bunny-broadcast")]),
  ],
  swiftLanguageModes: [.v6]
)
