/// The version of this library and of the command, by semantic versioning.
public let bunnyBroadcastVersion = "0.1.0"
