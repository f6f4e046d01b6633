// Counts the video encoders that a thread has open, by standing in front of libavcodec.
#define _GNU_SOURCE
#include "csupport.h"

#include <dlfcn.h>
#include <libavcodec/avcodec.h>

static _Thread_local int open_encoders;
static _Thread_local int most_encoders;

void support_count_encoders(void) { open_encoders = most_encoders = 0; }

int support_most_encoders(void) { return most_encoders; }

int support_open_encoders(void) { return open_encoders; }

static int is_video_encoder(const AVCodecContext *context) {
  return context && avcodec_is_open((AVCodecContext *)context) &&
         av_codec_is_encoder(context->codec) && context->codec_type == AVMEDIA_TYPE_VIDEO;
}

int avcodec_open2(AVCodecContext *context, const AVCodec *codec, AVDictionary **options) {
  int (*next)(AVCodecContext *, const AVCodec *, AVDictionary **) =
      (int (*)(AVCodecContext *, const AVCodec *, AVDictionary **))dlsym(RTLD_NEXT,
                                                                         "avcodec_open2");
  int code = next(context, codec, options);
  open_encoders += code >= 0 && is_video_encoder(context);
  if (open_encoders > most_encoders) most_encoders = open_encoders;
  return code;
}

void avcodec_free_context(AVCodecContext **context) {
  void (*next)(AVCodecContext **) =
      (void (*)(AVCodecContext **))dlsym(RTLD_NEXT, "avcodec_free_context");
  open_encoders -= is_video_encoder(*context);
  next(context);
}
