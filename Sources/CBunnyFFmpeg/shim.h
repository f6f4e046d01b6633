// What Swift needs of FFmpeg, and the values of it that its importer cannot see: casts and
// function-like macros.
#pragma once

#include <libavcodec/avcodec.h>
#include <libavdevice/version.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/display.h>
#include <libavutil/hwcontext.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include <libswscale/swscale.h>

static const int64_t bunny_no_pts = INT64_MIN;  // AV_NOPTS_VALUE
static const int bunny_error_eof = AVERROR_EOF;
static const int bunny_error_again = AVERROR(EAGAIN);
static const int bunny_error_exit = AVERROR_EXIT;
static const int bunny_error_invalid_data = AVERROR_INVALIDDATA;
static const int bunny_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;

// swr_convert takes a pointer to pointers to const, which Swift cannot make of a frame's planes.
static inline int bunny_swr_convert(SwrContext *resampler, uint8_t **out, int room,
                                    const AVFrame *in, int count) {
  return swr_convert(resampler, out, room, in ? (const uint8_t **)in->extended_data : NULL, count);
}

// Scales `from` into `to` (8-bit planar 4:2:0), its top left corner at even pixels (x, y).
static inline int bunny_sws_scale(struct SwsContext *scaler, const AVFrame *from, AVFrame *to,
                                  int x, int y) {
  uint8_t *planes[4] = {to->data[0] + (ptrdiff_t)y * to->linesize[0] + x,
                        to->data[1] + (ptrdiff_t)(y / 2) * to->linesize[1] + x / 2,
                        to->data[2] + (ptrdiff_t)(y / 2) * to->linesize[2] + x / 2, NULL};
  return sws_scale(scaler, (const uint8_t *const *)from->data, from->linesize, 0, from->height,
                   planes, to->linesize);
}
