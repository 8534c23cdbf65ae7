/* SPDX-License-Identifier: MIT */
/* The tile constants under the name that assembly-minded code includes. */
#ifndef ARCH_GC_TILE_DEFINES_H
#define ARCH_GC_TILE_DEFINES_H
#include "poplar/TileConstants.hpp"
#endif
