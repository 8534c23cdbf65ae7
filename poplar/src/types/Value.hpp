// SPDX-License-Identifier: MIT
// Conversion of host values to device bytes and back, between any two simple types.
// Integers must fit (overflow_error names value and type); floating values are truncated to
// integers, rounded to nearest even to half and float, and overflow to infinity. BOOL is whether
// the value differs from zero.
#pragma once
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <string>

namespace poplar::types {

// broadcast: src is one element, repeated n times. QUARTER needs its metadata: see Half.hpp; here
// it is a type_error unless both types are QUARTER.
void convertElements(TypeId from, const void *src, TypeId to, void *dst, std::size_t n,
                     bool broadcast);

// One element as text: "3", "1.5", "true".
std::string elementToString(TypeId type, const void *value);

} // namespace poplar::types
