// SPDX-License-Identifier: MIT
// Element types as a plain enumeration: the index behind poplar::Type, used in files and by the
// codelet loader. The numbers are part of the executable format: append, never renumber.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace poplar {

enum class TypeId : std::uint8_t {
  Bool,
  Char,
  SignedChar,
  UnsignedChar,
  Short,
  UnsignedShort,
  Int,
  UnsignedInt,
  Long,
  UnsignedLong,
  LongLong,
  UnsignedLongLong,
  Half,
  Float,
  Double,
  Quarter,
  QuarterMetadata
};
constexpr unsigned numTypeIds = 17;

// Bytes per element, on the device and in host storage alike (Long, UnsignedLong and Double are
// host-only: 8).
constexpr std::size_t sizeOf(TypeId id) {
  constexpr std::uint8_t sizes[] = {1, 1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 8, 2, 4, 8, 1, 1};
  return sizes[static_cast<unsigned>(id)];
}

// The spelling of the codelet's C++ type: "unsigned int", "half", ...
constexpr std::string_view spelling(TypeId id) {
  constexpr std::string_view names[] = {"bool",
                                        "char",
                                        "signed char",
                                        "unsigned char",
                                        "short",
                                        "unsigned short",
                                        "int",
                                        "unsigned int",
                                        "long",
                                        "unsigned long",
                                        "long long",
                                        "unsigned long long",
                                        "half",
                                        "float",
                                        "double",
                                        "quarter",
                                        "quarter_metadata"};
  return names[static_cast<unsigned>(id)];
}

} // namespace poplar
