// SPDX-License-Identifier: MIT
// For tests: tensors in given memory orders, and views that no order describes.
#pragma once
#include "Session.hpp"
#include <numeric>

// `order`: dimensions from outermost to innermost in memory.
inline poplar::Tensor inOrder(Session &s, poplar::Type type, const Shape &shape,
                              const std::vector<unsigned> &order, const Doubles &values) {
  Shape inMemory;
  std::vector<unsigned> back(order.size());
  for (unsigned i = 0; i < order.size(); ++i) {
    inMemory.push_back(shape[order[i]]);
    back[order[i]] = i;
  }
  auto t = s.graph.addVariable(type, inMemory, poplar::VariableMappingMethod::LINEAR, "input")
               .dimShuffle(back);
  s.set(t, values);
  return t;
}

// The orders that activations [batch][channels][field...] have: channels first, channels last,
// batch innermost with channels outermost.
inline std::vector<std::vector<unsigned>> activationOrders(unsigned rank) {
  std::vector<unsigned> first(rank), last{0}, batch{1};
  std::iota(first.begin(), first.end(), 0u);
  for (unsigned d = 2; d < rank; ++d) {
    last.push_back(d);
    batch.push_back(d);
  }
  last.push_back(1);
  batch.push_back(0);
  return {first, last, batch};
}

// A slice of a larger tensor; a small one is reversed in its last dimension, too.
inline poplar::Tensor awkward(Session &s, poplar::Type type, const Shape &shape,
                              const Doubles &values) {
  Shape larger = shape;
  for (auto &size : larger)
    size += 2;
  auto t = s.graph.addVariable(type, larger, poplar::VariableMappingMethod::LINEAR, "larger");
  for (unsigned d = 0; d < shape.size(); ++d)
    t = t.slice(1, 1 + shape[d], d);
  if (count(shape) <= 200) // clones of reversed views lie in single elements
    t = t.reverse(unsigned(shape.size()) - 1);
  s.set(t, values);
  return t;
}

inline std::string describe(poplar::Type type, const Shape &shape, unsigned layout) {
  std::string text = type.toString() + " [";
  for (auto size : shape)
    text += std::to_string(size) + ",";
  return text + "] layout " + std::to_string(layout);
}
