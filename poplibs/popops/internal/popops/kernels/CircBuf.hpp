// SPDX-License-Identifier: MIT
// A ring of entries and the index of the newest.
//   circBufAdd
//     outputs: entries [size, n] and index [1], both read and written
//     inputs:  the new entry [n]
//   circBufPrev
//     outputs: an entry [n]
//     inputs:  entries [size, n], index [1]
#pragma once
#include "openipu/Attributes.hpp"

namespace popops::kernels {

inline constexpr char circBufAdd[] = "popops.circBufAdd";   // no attributes
inline constexpr char circBufPrev[] = "popops.circBufPrev"; // CircBufBack

struct CircBufBack { // so many before the newest
  std::uint32_t entries;

  std::string write() const { return openipu::AttributeWriter().put(entries).take(); }
  static CircBufBack read(std::string_view bytes) {
    return {openipu::AttributeReader(bytes).get<std::uint32_t>()};
  }
};

} // namespace popops::kernels
