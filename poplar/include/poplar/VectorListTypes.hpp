// SPDX-License-Identifier: MIT
// VectorList and its layouts, by a header of their own.
#ifndef POPLAR_VECTOR_LIST_TYPES_HPP
#define POPLAR_VECTOR_LIST_TYPES_HPP
#include "poplar/InOutTypes.hpp"
#endif
