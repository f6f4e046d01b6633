/// This version, for `--version` and the first event.
package let bunnyBroadcastVersion = "0.1.0"
