/* SPDX-License-Identifier: MIT */
/* The IPU's vector types under their global names. */
#ifndef IPUDEF_H
#define IPUDEF_H
#include "poplar/VectorTypes.hpp"
#endif
