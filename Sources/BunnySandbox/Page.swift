/// The page that plays the stream in browsers that know HLS themselves.
enum Page {
  /// - Parameter hlsUrl: what it plays.
  static func html(title: String, hlsUrl: String) -> String {
    let (title, hlsUrl) = (escaped(title), escaped(hlsUrl))
    return """
      <!doctype html>
      <html lang="en">
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width">
      <link rel="icon" href="data:,">
      <title>\(title)</title>
      <style>
        body { margin: 2em auto; max-width: 60em; padding: 0 1em; font: 16px/1.5 sans-serif;
               background: #16181d; color: #e8e8e8 }
        video { width: 100%; aspect-ratio: 16/9; background: #000; border-radius: 6px }
        code { color: #ffb84d; user-select: all }
        #status { font-weight: bold }
      </style>
      <h1>\(title)</h1>
      <video id="video" muted autoplay playsinline controls></video>
      <p><span id="status" role="status">…</span> <span id="ingests"></span></p>
      <p>For other players: <code>ffplay \(hlsUrl)</code></p>
      <script>
        const video = document.getElementById("video")
        const say = (id, text) => { document.getElementById(id).textContent = text }
        const play = () => {
          video.src = "\(hlsUrl)".replace(/^https?:\\/\\/[^/]*/, "")
          video.play().catch(() => {})
        }
        video.onerror = () => {
          if (video.canPlayType("application/vnd.apple.mpegurl"))
            setTimeout(() => { if (video.error) play() }, 1000)
          else say("status", "This browser does not play HLS; use the line below.")
        }
        const words = { created: "Waiting for an encoder", preview: "An encoder is connected; not started yet",
                        running: "Live", ended: "Ended" }
        async function ask() {
          try {
            const state = await (await fetch("/sandbox/state")).json()
            say("status", words[state.status] ?? state.status)
            const live = ["primary", "backup"].filter(name => state[name + "Live"])
            say("ingests", live.length ? `from the ${live.join(" and the ")} ingest` : "")
            if (state.playable && !video.src) play()
            if (state.status == "running" && !live.length) say("status", "No ingest carries the stream")
          } catch {
            say("status", "The sandbox has gone")
            say("ingests", "")
          }
          setTimeout(ask, 1000)
        }
        ask()
      </script>
      </html>

      """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
