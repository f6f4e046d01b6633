import BunnyCapture
import BunnyMedia
import Testing

/// V4L2's rules for what its drivers leave out.
@Suite struct CameraColourTests {
  // linux/videodev2.h: V4L2_COLORSPACE_…, V4L2_YCBCR_ENC_…, V4L2_QUANTIZATION_…
  @Test(
    arguments: [
      (0, 0, 0, false, nil, false),  // nothing is said
      (8, 0, 0, false, .bt601, false),  // sRGB, what most webcams say
      (1, 0, 0, false, .bt601, false),  // SMPTE 170M
      (3, 0, 0, false, .bt709, false),  // Rec. 709
      (7, 0, 0, false, .bt601, true),  // JPEG
      (10, 0, 0, false, .bt2020, false),
      (8, 2, 0, false, .bt709, false),  // sRGB with the matrix of 709
      (8, 1, 1, false, .bt601, true),  // full range
      (7, 1, 2, false, .bt601, false),  // limited, whatever the colour space
      (8, 0, 0, true, .bt601, true),  // RGB is full
      (8, 0, 2, true, .bt601, false),
    ] as [(UInt32, UInt32, UInt32, Bool, FrameColour.Matrix?, Bool)])
  func `what a driver says, and leaves out, of its colours`(
    space: UInt32, encoding: UInt32, quantization: UInt32, isRGB: Bool,
    matrix: FrameColour.Matrix?, isFull: Bool
  ) {
    let colour = FrameColour(
      space: space, encoding: encoding, quantization: quantization, isRGB: isRGB)
    #expect(colour == FrameColour(matrix, isFullRange: isFull))
  }
}
