import BunnyStreamAPI
import Foundation
import Support
import Testing

struct JSONTests {
  private func read(_ text: String) -> JSON? { JSON(Data(text.utf8)) }

  private static let values: [(String, JSON)] = [
    ("null", .null), (" true\r\n", .flag(true)), ("false", .flag(false)), ("0", .whole(0)),
    ("-0", .whole(0)), ("9223372036854775807", .whole(.max)),
    ("-9223372036854775808", .whole(.min)), ("9223372036854775808", .number(0x1p63)),
    ("29.97", .number(29.97)), ("1.5e3", .number(1500)), ("2E-2", .number(0.02)),
    ("1e+2", .number(100)), ("1e999", .null), ("[]", .list([])), ("{}", .object([:])),
    ("[ 1 , [ ] ]", .list([.whole(1), .list([])])), (#"{"a":{"b":[{}]}}"#, nested),
    (#"{"a":1,"a":2}"#, .object(["a": .whole(2)])), ("\u{FEFF}1", .whole(1)),
    (#""é\u00e9\ud83d\ude00😀""#, .text("éé😀😀")),
    (#""\"\\\/\b\f\n\r\t""#, .text("\"\\/\u{8}\u{C}\n\r\t")),
    (#""\u0000""#, .text("\0")), (#"{"\u0061b":""}"#, .object(["ab": .text("")])),
  ]
  private static let nested = JSON.object(["a": .object(["b": .list([.object([:])])])])

  @Test func `what is JSON is read to its value`() {
    for (text, value) in Self.values { #expect(read(text) == value, "\(text)") }
  }

  @Test(arguments: [
    "", " ", "nul", "truefalse", "01", "-", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "[1,]",
    "[,1]", "[1 2]", "[", "{", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{\"a\":1 \"b\":2}",
    "{]",
    "\"", "\"\\", "\"\\u12\"", "\"\\x\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
    "\"a\nb\"", "1 2", "{}{}", "'a'", "// 1\n1",
  ])
  func `what is none is nil`(_ text: String) {
    #expect(read(text) == nil)
  }

  @Test func `text that is no UTF-8 is nil, as key too`() {
    #expect(JSON(Data([0x22, 0xFF, 0x22])) == nil)
    #expect(JSON(Data([0x22, 0x5C, 0x6E, 0xC3, 0x22])) == nil)
    #expect(JSON(Data(#"{""#.utf8) + [0xC0, 0x80] + Data(#"":1}"#.utf8)) == nil)
  }

  @Test func `64 levels are read, more are not`() {
    func nest(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(read(nest(64)) != nil && read(nest(65)) == nil)
  }

  /// Their keys are not read again where they are those of the object before.
  @Test func `each item of a list has its own keys`() {
    let items = [
      #"{"a":1,"b":{"c":2}}"#, #"{"a":3,"b":{"c":4}}"#, #"{"a":5}"#, #"{"a":6,"b":7,"d":8}"#,
      #"{"b":9,"a":10}"#, #"{"b":11, "a" :12,"b":13}"#, #"{"\u0061":14,"b":15}"#, "{}",
      #"{"ab":16,"b":17}"#,
    ]
    let values: [JSONObject] = [
      ["a": .whole(1), "b": .object(["c": .whole(2)])],
      ["a": .whole(3), "b": .object(["c": .whole(4)])], ["a": .whole(5)],
      ["a": .whole(6), "b": .whole(7), "d": .whole(8)], ["a": .whole(10), "b": .whole(9)],
      ["a": .whole(12), "b": .whole(13)], ["a": .whole(14), "b": .whole(15)], [:],
      ["ab": .whole(16), "b": .whole(17)],
    ]
    #expect(read("[\(items.joined(separator: ","))]") == .list(values.map { .object($0) }))
  }

  /// Foundation's reader is the judge; but it takes a comma behind the last one, and no number beyond a
  /// Double.
  @Test func `of damaged text the same is taken that JSONSerialization takes`() throws {
    let texts = Self.values.map(\.0).filter { !$0.contains(#/\x{FEFF}|[0-9]{19}|999/#) }
    let whole = Array("[\(texts.joined(separator: ","))]".utf8)
    var dice = Dice(seed: 7)
    var taken = 0
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...2, using: &dice) {
        let place = Int.random(in: 0..<bytes.count, using: &dice)
        let byte = bytes.randomElement(using: &dice)!
        switch Int.random(in: 0..<3, using: &dice) {
        case 0: bytes.remove(at: place)
        case 1: bytes.insert(byte, at: place)
        default: bytes[place] = byte
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let isTaken =
        (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
        && !text.contains(#/,\s*[\]}]/#)
      if isTaken { taken += 1 }
      #expect((JSON(Data(bytes)) != nil) == isTaken, "\(text)")
    }
    #expect(taken > 100)
  }
}
