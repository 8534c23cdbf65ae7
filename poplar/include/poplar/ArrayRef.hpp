// SPDX-License-Identifier: MIT
// poplar::ArrayRef is gccs::ArrayRef, the same template.
#pragma once
#include <gccs/ArrayRef.hpp>

namespace poplar {
using gccs::ArrayRef;
} // namespace poplar
