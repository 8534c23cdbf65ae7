// SPDX-License-Identifier: MIT
// IEEE binary16 and 8-bit floats. float and double to half round to nearest, ties to even, also
// from double (no double rounding); too large values become infinity, NaN stays NaN. Arrays use the
// CPU's own conversion when it has one.
#pragma once
#include "poplar/Quarter.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>

namespace poplar::tensor {
struct View;
}

namespace poplar::types {

std::uint16_t toHalf(float value);
std::uint16_t toHalf(double value);
float fromHalf(std::uint16_t bits);

void floatToHalf(const float *src, std::uint16_t *dst, std::size_t n);
void doubleToHalf(const double *src, std::uint16_t *dst, std::size_t n);
void halfToFloat(const std::uint16_t *src, float *dst, std::size_t n);
void halfToDouble(const std::uint16_t *src, double *dst, std::size_t n);

// Infinity has no 8-bit code and becomes NaN; other values beyond the range become the largest.
std::uint8_t toQuarter(float value, const QuarterMetadata &metadata);
float fromQuarter(std::uint8_t bits, const QuarterMetadata &metadata);

// n elements of any simple type to and from QUARTER; broadcast: one source element for all.
void convertToQuarter(TypeId from, const void *src, const QuarterMetadata &metadata, void *dst,
                      std::size_t n, bool broadcast);
void convertFromQuarter(const void *src, const QuarterMetadata &metadata, TypeId to, void *dst,
                        std::size_t n);

// The format and scale in a metadata tensor whose value is known when the graph is built; throws
// tensor_metadata_error otherwise.
QuarterMetadata constantMetadata(const tensor::View &view);

} // namespace poplar::types
