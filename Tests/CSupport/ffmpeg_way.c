// Converts pictures as the ffmpeg command does.
#include "csupport.h"

#include <libavcodec/avcodec.h>
#include <libavutil/imgutils.h>
#include <libswscale/swscale.h>
#include <string.h>

struct support_ffmpeg_way {
  struct SwsContext *scaler;
  AVCodecContext *decoder;  // of JPEGs; NULL: what comes is raw
  AVPacket *packet;
  AVFrame *from, *to;
};

void support_ffmpeg_way_free(struct support_ffmpeg_way *way) {
  if (!way) return;
  sws_freeContext(way->scaler);
  avcodec_free_context(&way->decoder);
  av_packet_free(&way->packet);
  av_frame_free(&way->from);
  av_frame_free(&way->to);
  av_free(way);
}

static int open_decoder(struct support_ffmpeg_way *way, const uint8_t *bytes, int count) {
  const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_MJPEG);
  way->decoder = avcodec_alloc_context3(codec);
  if (!way->decoder || av_new_packet(way->packet, count) < 0) return -1;
  way->decoder->thread_count = 1;
  memcpy(way->packet->data, bytes, count);
  return avcodec_open2(way->decoder, codec, NULL);
}

static int fill(AVFrame *frame, enum AVPixelFormat pixels, int width, int height,
                const uint8_t *bytes) {
  frame->format = pixels;
  frame->width = width;
  frame->height = height;
  if (av_frame_get_buffer(frame, 0) < 0) return -1;
  if (!bytes) return 0;
  uint8_t *planes[4];
  int strides[4];
  av_image_fill_arrays(planes, strides, bytes, pixels, width, height, 1);
  av_image_copy(frame->data, frame->linesize, (const uint8_t **)planes, strides, pixels, width,
                height);
  return 0;
}

struct support_ffmpeg_way *support_ffmpeg_way_new(const char *format, const uint8_t *bytes,
                                                  int count, int width, int height, int to_width,
                                                  int to_height) {
  struct support_ffmpeg_way *way = av_mallocz(sizeof *way);
  const int is_jpeg = strcmp(format, "jpeg") == 0;
  const enum AVPixelFormat pixels = is_jpeg ? AV_PIX_FMT_YUV422P : av_get_pix_fmt(format);
  way->packet = av_packet_alloc();
  way->from = av_frame_alloc();
  way->to = av_frame_alloc();
  way->scaler = sws_getContext(width, height, pixels, to_width, to_height, AV_PIX_FMT_YUV420P,
                               SWS_BICUBIC, NULL, NULL, NULL);
  if (way->scaler)
    sws_setColorspaceDetails(way->scaler, sws_getCoefficients(SWS_CS_ITU601), is_jpeg,
                             sws_getCoefficients(SWS_CS_ITU709), 0, 0, 1 << 16, 1 << 16);
  int code = is_jpeg ? open_decoder(way, bytes, count) : fill(way->from, pixels, width, height, bytes);
  if (way->scaler && code >= 0 && fill(way->to, AV_PIX_FMT_YUV420P, to_width, to_height, NULL) == 0)
    return way;
  support_ffmpeg_way_free(way);
  return NULL;
}

int support_ffmpeg_way_convert(struct support_ffmpeg_way *way) {
  if (way->decoder && (avcodec_send_packet(way->decoder, way->packet) < 0 ||
                       avcodec_receive_frame(way->decoder, way->from) < 0))
    return -1;
  int rows = sws_scale(way->scaler, (const uint8_t *const *)way->from->data, way->from->linesize, 0,
                       way->from->height, way->to->data, way->to->linesize);
  return rows == way->to->height ? 0 : -1;
}
