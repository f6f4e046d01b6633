#include "bunny_colour.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Samples of chroma that are converted at once, and that are in work between two planes.
enum { block = 16, chunk = 8 * block };

// Two rows of luma, with the two rows of chroma whose average is theirs.
struct lines {
  const uint8_t *y[2], *u[2], *v[2];
};

struct result {
  uint8_t *y[2], *u, *v;
};

typedef void convert_lines(const struct bunny_colours *, struct lines, struct result, int count);

#define always_inline static inline __attribute__((always_inline))

// The same source for SSE2 and NEON: the compiler's own vectors. All of it is inlined, so that no vector
// is handed over in a way that depends on the processor.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpsabi"

typedef uint8_t bytes __attribute__((vector_size(block)));
typedef uint16_t words __attribute__((vector_size(2 * block)));
typedef int16_t levels __attribute__((vector_size(2 * block)));
typedef uint32_t products __attribute__((vector_size(4 * block)));
typedef int32_t sums __attribute__((vector_size(4 * block)));

always_inline sums average(const uint8_t *const rows[2], int index) {
  bytes upper, lower;
  memcpy(&upper, rows[0] + index, sizeof upper);
  memcpy(&lower, rows[1] + index, sizeof lower);
  words sum = __builtin_convertvector(upper, words) + __builtin_convertvector(lower, words);
  return __builtin_convertvector((levels)((sum + 1) >> 1), sums);
}

always_inline void store_chroma(sums sum, uint8_t *to) {
  sum >>= 14;
  sum = __builtin_elementwise_min(__builtin_elementwise_max(sum, (sums){}), (sums){} + 255);
  bytes result = __builtin_convertvector(sum, bytes);
  memcpy(to, &result, sizeof result);
}

// `high` has the samples in its upper bytes; `change` is in units of 1/128.
always_inline words luma(words high, uint16_t scale, levels change) {
  products product = __builtin_convertvector(high, products) * scale;
  levels level = (levels)__builtin_convertvector(product >> 16, words);
  level = __builtin_elementwise_add_sat(level, change) >> 7;
  return (words)__builtin_elementwise_max(level, (levels){});
}

always_inline void convert_luma(const uint8_t *from, uint8_t *to, uint16_t scale, levels change) {
  words pairs;
  memcpy(&pairs, from, sizeof pairs);
  words result = luma(pairs << 8, scale, change) | luma(pairs & 0xff00, scale, change) << 8;
  memcpy(to, &result, sizeof result);
}

static void convert_baseline(const struct bunny_colours *colours, struct lines from,
                             struct result to, int count) {
  const struct bunny_colours c = *colours;
  for (int index = 0; index < count; index += block) {
    sums u = average(from.u, index), v = average(from.v, index);
    levels change =
        __builtin_convertvector((u * c.luma_u + v * c.luma_v + c.luma_offset) >> 7, levels);
    for (int row = 0; row < 2; row++)
      convert_luma(from.y[row] + 2 * index, to.y[row] + 2 * index, c.luma, change);
    store_chroma(u * c.u_u + v * c.u_v + c.u_offset, to.u + index);
    store_chroma(u * c.v_u + v * c.v_v + c.v_offset, to.v + index);
  }
}

// Bytes that lie in pairs.
static void part_pairs(const uint8_t *restrict from, uint8_t *restrict first,
                       uint8_t *restrict second, int count) {
  int index = 0;
  for (; index + block <= count; index += block) {
    words pairs;
    memcpy(&pairs, from + 2 * index, sizeof pairs);
    bytes low = __builtin_convertvector(pairs & 255, bytes);
    bytes high = __builtin_convertvector(pairs >> 8, bytes);
    memcpy(first + index, &low, sizeof low);
    memcpy(second + index, &high, sizeof high);
  }
  for (; index < count; index++) {
    first[index] = from[2 * index];
    second[index] = from[2 * index + 1];
  }
}

#pragma clang diagnostic pop

#if defined(__x86_64__)

// The compiler's vectors would cross AVX2's two lanes at each change of width, and be no faster.
#define avx2 __attribute__((target("avx2")))

avx2 always_inline __m256i average_avx2(const uint8_t *const rows[2], int index) {
  return _mm256_cvtepu8_epi16(
      _mm_avg_epu8(_mm_loadu_si128((const __m128i_u *)(rows[0] + index)),
                   _mm_loadu_si128((const __m128i_u *)(rows[1] + index))));
}

avx2 always_inline __m256i pair(int16_t u, int16_t v) {
  return _mm256_set1_epi32((int32_t)((uint32_t)(uint16_t)v << 16 | (uint16_t)u));
}

// A weighted sum of U and V that lie in pairs, `low` and `high` of each lane.
avx2 always_inline __m256i weigh(__m256i low, __m256i high, __m256i weights, int32_t offset,
                                 int bits) {
  const __m256i base = _mm256_set1_epi32(offset);
  low = _mm256_add_epi32(_mm256_madd_epi16(low, weights), base);
  high = _mm256_add_epi32(_mm256_madd_epi16(high, weights), base);
  return _mm256_packs_epi32(_mm256_srai_epi32(low, bits), _mm256_srai_epi32(high, bits));
}

avx2 always_inline __m256i luma_avx2(__m256i high, __m256i scale, __m256i change) {
  return _mm256_srai_epi16(_mm256_adds_epi16(_mm256_mulhi_epu16(high, scale), change), 7);
}

avx2 always_inline void convert_luma_avx2(const uint8_t *from, uint8_t *to, __m256i scale,
                                          __m256i change) {
  __m256i pairs = _mm256_loadu_si256((const __m256i_u *)from);
  __m256i even = luma_avx2(_mm256_slli_epi16(pairs, 8), scale, change);
  __m256i odd = luma_avx2(
      _mm256_and_si256(pairs, _mm256_set1_epi16((int16_t)0xff00)), scale, change);
  __m256i both = _mm256_packus_epi16(even, odd);  // in each lane the even ones, then the odd ones
  _mm256_storeu_si256((__m256i_u *)to,
                      _mm256_unpacklo_epi8(both, _mm256_srli_si256(both, 8)));
}

avx2 static void convert_avx2(const struct bunny_colours *colours, struct lines from,
                              struct result to, int count) {
  const struct bunny_colours c = *colours;
  const __m256i scale = _mm256_set1_epi16((int16_t)c.luma), of_luma = pair(c.luma_u, c.luma_v),
                of_u = pair(c.u_u, c.u_v), of_v = pair(c.v_u, c.v_v);
  for (int index = 0; index < count; index += block) {
    __m256i u = average_avx2(from.u, index), v = average_avx2(from.v, index);
    __m256i low = _mm256_unpacklo_epi16(u, v), high = _mm256_unpackhi_epi16(u, v);
    __m256i change = weigh(low, high, of_luma, c.luma_offset, 7);
    for (int row = 0; row < 2; row++)
      convert_luma_avx2(from.y[row] + 2 * index, to.y[row] + 2 * index, scale, change);
    __m256i chroma = _mm256_packus_epi16(weigh(low, high, of_u, c.u_offset, 14),
                                         weigh(low, high, of_v, c.v_offset, 14));
    chroma = _mm256_permute4x64_epi64(chroma, 0xd8);  // all of U, then all of V
    _mm_storeu_si128((__m128i_u *)(to.u + index), _mm256_castsi256_si128(chroma));
    _mm_storeu_si128((__m128i_u *)(to.v + index), _mm256_extracti128_si256(chroma, 1));
  }
}

enum bunny_instructions bunny_best_instructions(void) {
  return __builtin_cpu_supports("avx2") ? bunny_instructions_avx2 : bunny_instructions_baseline;
}

static convert_lines *with(enum bunny_instructions instructions) {
  return instructions == bunny_instructions_avx2 ? convert_avx2 : convert_baseline;
}

#else

enum bunny_instructions bunny_best_instructions(void) { return bunny_instructions_baseline; }

static convert_lines *with(enum bunny_instructions instructions) { return convert_baseline; }

#endif

// A part of two rows, unpacked: what is not planar, and what does not fill a block.
struct workshop {
  uint8_t y[2][2 * chunk], u[2][chunk], v[2][chunk];
};

static void unpack(enum bunny_layout layout, const struct lines *from, struct workshop *to,
                   int width) {
  const int count = (width + 1) / 2;
  uint8_t both[2 * chunk];
  for (int row = 0; row < 2; row++) {
    if (layout < bunny_layout_yuyv) memcpy(to->y[row], from->y[row], width);
    switch (layout) {
    case bunny_layout_420:
    case bunny_layout_422:
      memcpy(to->u[row], from->u[row], count);
      memcpy(to->v[row], from->v[row], count);
      break;
    case bunny_layout_nv12: part_pairs(from->u[row], to->u[row], to->v[row], count); break;
    case bunny_layout_nv21: part_pairs(from->u[row], to->v[row], to->u[row], count); break;
    case bunny_layout_yuyv:
      part_pairs(from->y[row], to->y[row], both, 2 * count);
      part_pairs(both, to->u[row], to->v[row], count);
      break;
    case bunny_layout_uyvy:
      part_pairs(from->y[row], both, to->y[row], 2 * count);
      part_pairs(both, to->u[row], to->v[row], count);
      break;
    }
  }
}

static struct lines lines_of(const struct workshop *shop) {
  return (struct lines){{shop->y[0], shop->y[1]}, {shop->u[0], shop->u[1]}, {shop->v[0], shop->v[1]}};
}

// Where the samples of a pixel lie, and of the one below it, if there is one.
static struct lines lines_at(enum bunny_layout layout, const struct bunny_planes *planes, int column,
                             int row, int below) {
  const int is_packed = layout >= bunny_layout_yuyv;
  const int is_semi = layout == bunny_layout_nv12 || layout == bunny_layout_nv21;
  const int has_all_rows = layout == bunny_layout_422;
  const ptrdiff_t step = is_packed ? 2 * column : column;
  const ptrdiff_t chroma = is_semi ? column : column / 2;
  const int upper = has_all_rows ? row : row / 2, lower = has_all_rows ? below : row / 2;
  struct lines lines = {{planes->y + row * planes->y_stride + step,
                         planes->y + below * planes->y_stride + step}};
  if (is_packed) return lines;
  lines.u[0] = planes->u + upper * planes->u_stride + chroma;
  lines.u[1] = planes->u + lower * planes->u_stride + chroma;
  if (is_semi) return lines;
  lines.v[0] = planes->v + upper * planes->v_stride + chroma;
  lines.v[1] = planes->v + lower * planes->v_stride + chroma;
  return lines;
}

void bunny_convert_colours(const struct bunny_colours *colours, enum bunny_layout layout,
                           const struct bunny_planes *from, const struct bunny_planes *to,
                           int width, int height, enum bunny_instructions instructions) {
  convert_lines *const convert = with(instructions);
  const int is_planar = layout <= bunny_layout_422;
  struct workshop before = {}, after;
  for (int row = 0; row < height; row += 2) {
    const int below = row + 1 < height ? row + 1 : row;
    for (int column = 0; column < width; column += 2 * chunk) {
      const int part = width - column < 2 * chunk ? width - column : 2 * chunk;
      const int count = (part + 2 * block - 1) / (2 * block) * block;
      const int is_whole = part == 2 * count;
      struct lines source = lines_at(layout, from, column, row, below);
      if (!is_planar || !is_whole) {
        unpack(layout, &source, &before, part);
        source = lines_of(&before);
      }
      uint8_t *const y[2] = {to->y + row * to->y_stride + column,
                             to->y + below * to->y_stride + column};
      uint8_t *const u = to->u + row / 2 * to->u_stride + column / 2;
      uint8_t *const v = to->v + row / 2 * to->v_stride + column / 2;
      if (is_whole) {
        // A last row without a neighbour is converted beside, once more.
        uint8_t *const lower = below == row ? after.y[1] : y[1];
        convert(colours, source, (struct result){{y[0], lower}, u, v}, count);
        continue;
      }
      convert(colours, source, (struct result){{after.y[0], after.y[1]}, after.u[0], after.v[0]},
              count);
      for (int line = 0; line < 2; line++) memcpy(y[line], after.y[line], part);
      memcpy(u, after.u[0], (part + 1) / 2);
      memcpy(v, after.v[0], (part + 1) / 2);
    }
  }
}
