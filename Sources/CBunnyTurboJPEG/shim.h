// libjpeg-turbo's own interface.
#pragma once

#include <turbojpeg.h>
