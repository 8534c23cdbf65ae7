// SPDX-License-Identifier: MIT
// Half from double, and 8-bit floats; base/Half.hpp has half from float and back.
#pragma once
#include "openipu/TypeId.hpp"
#include "poplar/Quarter.hpp"
#include <cstddef>
#include <cstdint>

namespace poplar::openipu {
struct View;
}

namespace poplar::types {

// To nearest, ties to even, rounded once.
std::uint16_t doubleToHalf(double value);

// Infinity has no 8-bit code and becomes NaN; other values beyond the range become the largest, or
// NaN as well.
std::uint8_t toQuarter(float value, const QuarterMetadata &metadata, bool nanOnOverflow = false);
float fromQuarter(std::uint8_t bits, const QuarterMetadata &metadata);

// n elements of any simple type to and from QUARTER; broadcast: one source element for all.
void convertToQuarter(TypeId from, const void *src, const QuarterMetadata &metadata, void *dst,
                      std::size_t n, bool broadcast);
void convertFromQuarter(const void *src, const QuarterMetadata &metadata, TypeId to, void *dst,
                        std::size_t n);

} // namespace poplar::types
