// What Swift needs of V4L2 and USB: the requests and fourccs that its importer cannot see, and one ioctl.
#pragma once

#include <errno.h>
#include <linux/usbdevice_fs.h>
#include <linux/usb/video.h>
#include <linux/uvcvideo.h>
#include <linux/videodev2.h>
#include <stdint.h>
#include <sys/ioctl.h>

// 0, or the errno.
static inline int bunny_v4l2(int device, unsigned long request, void *argument) {
  while (ioctl(device, request, argument) < 0)
    if (errno != EINTR) return errno;
  return 0;
}

static const unsigned long bunny_vidioc_querycap = VIDIOC_QUERYCAP;
static const unsigned long bunny_vidioc_enum_fmt = VIDIOC_ENUM_FMT;
static const unsigned long bunny_vidioc_enum_framesizes = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long bunny_vidioc_enum_frameintervals = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long bunny_vidioc_g_fmt = VIDIOC_G_FMT;
static const unsigned long bunny_vidioc_s_fmt = VIDIOC_S_FMT;
static const unsigned long bunny_vidioc_g_parm = VIDIOC_G_PARM;
static const unsigned long bunny_vidioc_s_parm = VIDIOC_S_PARM;
static const unsigned long bunny_vidioc_reqbufs = VIDIOC_REQBUFS;
static const unsigned long bunny_vidioc_querybuf = VIDIOC_QUERYBUF;
static const unsigned long bunny_vidioc_qbuf = VIDIOC_QBUF;
static const unsigned long bunny_vidioc_dqbuf = VIDIOC_DQBUF;
static const unsigned long bunny_vidioc_streamon = VIDIOC_STREAMON;
static const unsigned long bunny_vidioc_streamoff = VIDIOC_STREAMOFF;
static const unsigned long bunny_vidioc_queryctrl = VIDIOC_QUERYCTRL;
static const unsigned long bunny_vidioc_g_ctrl = VIDIOC_G_CTRL;
static const unsigned long bunny_vidioc_s_ctrl = VIDIOC_S_CTRL;
static const unsigned long bunny_usbdevfs_reset = USBDEVFS_RESET;

// Sets a control of a USB camera's extension unit. 0, or the errno.
static inline int bunny_uvc_set(int device, uint8_t unit, uint8_t selector, uint8_t *data,
                                uint16_t size) {
  struct uvc_xu_control_query query = {unit, selector, UVC_SET_CUR, size, data};
  return bunny_v4l2(device, UVCIOC_CTRL_QUERY, &query);
}

static const uint32_t bunny_cid_force_keyframe = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
static const uint32_t bunny_cid_bitrate = V4L2_CID_MPEG_VIDEO_BITRATE;
static const uint32_t bunny_cid_gop_size = V4L2_CID_MPEG_VIDEO_GOP_SIZE;
static const uint32_t bunny_cid_h264_period = V4L2_CID_MPEG_VIDEO_H264_I_PERIOD;
static const uint32_t bunny_cid_b_frames = V4L2_CID_MPEG_VIDEO_B_FRAMES;
static const uint32_t bunny_cid_repeat_header = V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER;
