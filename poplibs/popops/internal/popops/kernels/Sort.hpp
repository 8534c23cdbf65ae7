// SPDX-License-Identifier: MIT
// The best k of each row [..., n], sorted or not, with what else is wanted of them.
//   outputs: the keys, if wanted; the values or indices, if wanted. In place, both are read too
//   inputs:  the keys, then the values, if there are any; in place none
#pragma once
#include "openipu/Attributes.hpp"
#include "popops/SortOrder.hpp"

namespace popops::kernels {

inline constexpr char sort[] = "popops.sort";

enum class SortExtra : std::uint8_t { None, Values, Indices };

// Which of equal keys comes first, or is chosen.
enum class TieOrder : std::uint8_t {
  First,    // the one that lies first: a stable sort
  Sorted,   // what std::sort makes of it
  Selected, // the best k: what std::partial_sort or std::nth_element make of it
  Kth       // of the k-th alone: what a quickselect with the median of three finds
};

struct SortSpec {
  std::uint32_t k = 0;
  bool largest = false;
  SortOrder order = SortOrder::ASCENDING;
  SortExtra extra = SortExtra::None;
  bool wantKeys = true, inPlace = false;
  bool byIndex = false; // without an order: as they lie
  TieOrder ties = TieOrder::First;

  std::string write() const {
    return openipu::AttributeWriter()
        .put(k)
        .put(largest)
        .put(order)
        .put(extra)
        .put(wantKeys)
        .put(inPlace)
        .put(byIndex)
        .put(ties)
        .take();
  }
  static SortSpec read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    SortSpec s;
    s.k = in.get<std::uint32_t>();
    s.largest = in.get<bool>();
    s.order = in.get<SortOrder>();
    s.extra = in.get<SortExtra>();
    s.wantKeys = in.get<bool>();
    s.inPlace = in.get<bool>();
    s.byIndex = in.get<bool>();
    s.ties = in.get<TieOrder>();
    return s;
  }
};

} // namespace popops::kernels
