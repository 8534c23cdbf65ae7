// SPDX-License-Identifier: MIT
// What the kernel popops.sort is told, and the plan of it. Operands: outputs are the keys, if
// wanted, then the extra; inputs are the keys, then the values. In place, outputs are both.
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "popops/SortOrder.hpp"

namespace popops::sorting {

enum class SortExtra : std::uint8_t { None, Values, Indices };

struct SortSpec {
  std::uint32_t k = 0;
  bool largest = false;
  SortOrder order = SortOrder::ASCENDING;
  SortExtra extra = SortExtra::None;
  bool wantKeys = true, inPlace = false;
  bool byIndex = false; // without an order: as they lie
};

inline std::string write(const SortSpec &s) {
  return openipu::AttributeWriter()
      .put(s.k)
      .put(s.largest)
      .put(s.order)
      .put(s.extra)
      .put(s.wantKeys)
      .put(s.inPlace)
      .put(s.byIndex)
      .take();
}

inline SortSpec readSortSpec(std::string_view bytes) {
  openipu::AttributeReader in(bytes);
  SortSpec s;
  s.k = in.get<std::uint32_t>();
  s.largest = in.get<bool>();
  s.order = in.get<SortOrder>();
  s.extra = in.get<SortExtra>();
  s.wantKeys = in.get<bool>();
  s.inPlace = in.get<bool>();
  s.byIndex = in.get<bool>();
  return s;
}

// Bitonic networks over the tiles that hold the keys [..., n].
openipu::Plan sortPlan(const poplar::Graph &graph, const poplar::Tensor &keys, const SortSpec &spec,
                       bool stable);

} // namespace popops::sorting
