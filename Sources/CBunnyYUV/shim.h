// Of libyuv what moves and shrinks planes.
#pragma once

#include <libyuv/convert.h>
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/scale.h>
