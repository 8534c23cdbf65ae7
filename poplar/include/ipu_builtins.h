// SPDX-License-Identifier: MIT
// The tile's builtins and the vector types that they take. Vertex.hpp brings the builtins alone
// (poplar/codelet/Builtins.hpp).
#ifndef IPU_BUILTINS_H
#define IPU_BUILTINS_H
#include "ipudef.h"
#include "poplar/codelet/Builtins.hpp"
#endif
