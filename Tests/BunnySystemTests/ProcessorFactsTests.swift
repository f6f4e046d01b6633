import BunnySystem
import Foundation
import Support
import Testing

/// What a kernel says, as files in a folder.
struct ProcessorFactsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: folder.file(path))
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: false, encoding: .utf8)
  }

  private var facts: ProcessorFacts { ProcessorFacts(root: folder.path) }
  private var trouble: ProcessorTrouble { ProcessorTrouble(root: folder.path) }

  @Test func `this machine's are there`() {
    let here = ProcessorFacts()
    #expect(here.usable > 0 && here.usable <= Double(processorCount))
    #expect(here.idleTime(of: here.share) ?? 0 > 0 && ProcessorFacts.ownTime > 0)
    #expect(!here.model.isEmpty)
  }

  @Test func `a board's model goes before its processor's`() throws {
    #expect(facts.model == "processor" && facts.flags.isEmpty && facts.gigahertz == nil)
    try write(
      "proc/cpuinfo", "processor\t: 0\nmodel name\t: AMD EPYC\nflags\t\t: fpu sse2 avx2\n")
    #expect(facts.model == "AMD EPYC" && facts.flags == ["fpu", "sse2", "avx2"])
    try write("proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    #expect(facts.model == "Raspberry Pi 4 Model B Rev 1.4")
    try write("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "1500000\n")
    #expect(facts.gigahertz == 1.5)
  }

  @Test func `the processors are those it is bound to, less its groups' quotas`() throws {
    try write("proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n")
    #expect(facts.usable == 5)
    try write("proc/self/cgroup", "0::/a/b\n")
    try write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n")
    #expect(facts.usable == 5)
    try write("sys/fs/cgroup/a/cpu.max", "150000 100000\n")
    #expect(facts.usable == 1.5)
    try write("proc/self/cgroup", "5:memory:/x\n2:cpu,cpuacct:/y\n")
    try write("sys/fs/cgroup/cpu/y/cpu.cfs_quota_us", "-1\n")
    try write("sys/fs/cgroup/cpu/y/cpu.cfs_period_us", "100000\n")
    #expect(facts.usable == 5)
    try write("sys/fs/cgroup/cpu/y/cpu.cfs_quota_us", "50000\n")
    #expect(facts.usable == 0.5)
  }

  @Test func `idle time is that of the processors it may use`() throws {
    let stat = """
      cpu  9 9 9 9 9 0 0 0 0 0
      cpu0 1 0 0 100 20 0 0 0 0 0
      cpu1 1 0 0 400 0 0 0 0 0 0
      intr 5 5 5 5 5 5
      """
    #expect(facts.idleTime(of: facts.share) == nil)
    try write("proc/stat", stat)
    #expect(facts.idleTime(of: facts.share) == 5_200_000_000)
    try write("proc/self/status", "Cpus_allowed_list:\t0\n")
    #expect(facts.idleTime(of: facts.share) == 1_200_000_000)
  }

  @Test func `nothing is wrong where the kernel says nothing`() { #expect(trouble.words == nil) }

  @Test func `heat is named where the kernel holds the clock down`() throws {
    try write("sys/class/thermal/cooling_device0/type", "cpufreq-cpu0\n")
    try write("sys/class/thermal/cooling_device0/cur_state", "0\n")
    try write("sys/class/thermal/cooling_device1/type", "pwm-fan\n")
    try write("sys/class/thermal/cooling_device1/cur_state", "3\n")
    try write("sys/class/thermal/thermal_zone0/temp", "81234\n")
    #expect(trouble.words == nil)
    try write("sys/class/thermal/cooling_device0/cur_state", "2\n")
    #expect(trouble.words == "it is slowed down because it is hot (81 °C)")
  }

  @Test func `x86 cores are throttled when their count rises`() throws {
    let count = "sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count"
    try write(count, "7\n")
    var before = trouble
    #expect(before.words == nil)
    try write(count, "8\n")
    #expect(before.words == "it is slowed down because it is hot")
    // Told of until it is older than the last look.
    before.look()
    #expect(before.words == "it is slowed down because it is hot")
    before.look()
    #expect(before.words == nil)
    try write(count, "9\n")
    #expect(before.words == "it is slowed down because it is hot")
  }

  private static let firmwarePath = "sys/devices/platform/soc/soc:firmware/get_throttled"
  private static let hot = "it is slowed down because it is hot"
  private static let weak = "its power supply is too weak (undervoltage)"
  private static let firmware: [(before: String, now: String, words: String?)] = [
    ("0", "0x0", nil), ("f0000", "f0000", nil),  // what has been, before
    ("0", "0x1", weak), ("0", "2", hot), ("0", "4", hot), ("0", "8", hot),
    // Too little voltage throttles, too.
    ("0", "0x5", weak), ("0", "7", weak), ("0", "50005", weak), ("0", "9", "\(hot), and \(weak)"),
    // What came and went since.
    ("0", "10000", weak), ("0", "40000", hot), ("0", "50000", weak), ("0", "80000", hot),
    ("50000", "d0000", hot), ("50000", "50004", hot),
  ]

  @Test(arguments: firmware)
  func `a Raspberry Pi's firmware tells both`(_ before: String, _ now: String, _ words: String?)
    throws
  {
    try write(Self.firmwarePath, before + "\n")
    let trouble = trouble
    try write(Self.firmwarePath, now + "\n")
    #expect(trouble.words == words)
  }

  @Test func `so does its voltage sensor`() throws {
    try write("sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    try write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    #expect(trouble.words == nil)
    try write("sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    #expect(trouble.words == "its power supply is too weak (undervoltage)")
  }
}
