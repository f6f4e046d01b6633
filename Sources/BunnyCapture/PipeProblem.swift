/// Why nothing comes from another program. Its words follow the pipe's name.
public enum PipeProblem: Error, Equatable, Sendable {
  /// It is something else than a FIFO.
  case notFIFO
  /// Standard input is a keyboard.
  case terminal
  /// The options contradict each other, or leave something out; in a sentence.
  case options(String)
  /// The FIFO cannot be made or opened.
  case closed(reason: String)
  /// Nobody has opened the FIFO to write to it.
  case noWriter
  /// Whoever wrote to the FIFO has closed it.
  case writerGone
  /// Nothing came, for so many milliseconds.
  case silent(milliseconds: Int)
  /// Bytes came, and no picture was in them, for so many milliseconds.
  case noPicture(milliseconds: Int)
  /// Standard input is over: nobody can open it again.
  case ended
}

extension PipeProblem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notFIFO: "is no FIFO; give file:PATH for a file, or another path, which is made then"
    case .terminal: "is a terminal; pipe a program's pictures into it, or give pipe:PATH of a FIFO"
    case .options(let sentence): sentence
    case .closed(let reason): "cannot be opened: \(reason); check the folder and who may use it"
    case .noWriter: "has no writer; start the program that writes to it"
    case .writerGone: "was closed by the program that wrote to it; start that again"
    case .silent(let milliseconds):
      "delivered nothing for \(milliseconds) ms; look at the program that writes to it"
    case .noPicture(let milliseconds):
      "delivered no picture for \(milliseconds) ms; H.264 must repeat its parameter sets "
        + "(`rpicam-vid --inline`), anything else needs --camera-format"
    case .ended:
      "is over, and cannot be opened again; start both programs again, or use a FIFO"
    }
  }

  /// What was asked for cannot be, whenever it is asked.
  package var isUsage: Bool {
    switch self {
    case .notFIFO, .terminal, .options: true
    case .closed, .noWriter, .writerGone, .silent, .noPicture, .ended: false
    }
  }
}
