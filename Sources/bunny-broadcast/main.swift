import BunnyBroadcast
import BunnyCapture
import BunnyRTMP

let a = CommandLine.arguments
var c = BroadcastConfiguration(
  ingest: try Ingest(a[1]), video: try VideoInput(a[2]), audio: try AudioInput(a[3]),
  quality: .hd720)
c.duration = .seconds(Int(a[4])!)
if a.count > 5 { c.retry = .never }
let b = Broadcast(c)
let t = Task { for await e in b.events() { print(e) } }
do { print(try await b.run()) } catch { print("ERR", error) }
await t.value
