// From one 8-bit YUV to another with 4:2:0, in one pass.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// What a sample becomes, in units of 1/16384; chroma counts from 0, so that the offsets hold what its
/// middle adds, and half a unit for rounding.
struct bunny_colours {
  /// What luma counts for in luma, in units of 1/32768: 0 to 1.
  uint16_t luma;
  /// What U and V count for, each in -2 to 2.
  int16_t luma_u, luma_v, u_u, u_v, v_u, v_v;
  int32_t luma_offset, u_offset, v_offset;
};

/// How the samples of a picture lie.
enum bunny_layout {
  bunny_layout_420,
  bunny_layout_422,
  /// U and V side by side in `u`; one row for two of luma.
  bunny_layout_nv12,
  bunny_layout_nv21,
  /// All in `y`.
  bunny_layout_yuyv,
  bunny_layout_uyvy,
};

/// Where they lie. Strides are in bytes.
struct bunny_planes {
  uint8_t *y, *u, *v;
  ptrdiff_t y_stride, u_stride, v_stride;
};

enum bunny_instructions {
  /// What each processor of this kind has: SSE2, NEON.
  bunny_instructions_baseline,
  bunny_instructions_avx2,
};

/// The fastest that this processor has.
enum bunny_instructions bunny_best_instructions(void);

/// Converts `width` by `height` pixels to planar 4:2:0; a row of chroma that two rows share becomes their
/// average. Exact but for luma's fractions, which are rounded to 1/128. `to` may be `from`, where that is
/// planar 4:2:0, but not overlap it otherwise.
void bunny_convert_colours(const struct bunny_colours *colours, enum bunny_layout layout,
                           const struct bunny_planes *from, const struct bunny_planes *to,
                           int width, int height, enum bunny_instructions instructions);
