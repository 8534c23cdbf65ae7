// SPDX-License-Identifier: MIT
// What every slicing function asks of its arguments.
#pragma once
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"
#include <string>
#include <vector>

namespace popops::slice {

using Sizes = std::vector<std::size_t>;

// `call` is the public name, "popops::dynamicSlice". A bad, repeated or too small dimension is a
// graph_connection_error, lists that do not fit each other a poplibs_error.
void checkSlice(const std::string &call, const Sizes &shape, const Sizes &dims, const Sizes &sizes);
void checkOffsets(const std::string &call, const poplar::Tensor &offsets, const Sizes &expected);
// graph_connection_error, naming `what`.
void checkShape(const std::string &call, const char *what, const poplar::Tensor &t,
                const Sizes &expected);
void checkSameType(const std::string &call, const poplar::Tensor &t, const poplar::Tensor &s);

// shape with dims replaced by sizes.
Sizes sliceShape(Sizes shape, const Sizes &dims, const Sizes &sizes);
std::size_t product(const Sizes &sizes);
std::vector<std::uint32_t> narrow(const Sizes &values);
// The first slice of the sizes: stands for where slices lie.
poplar::Tensor firstSlice(poplar::Tensor t, const Sizes &dims, const Sizes &sizes);

// t itself, or a copy of it when it shares memory with `written`.
poplar::Tensor apartFrom(poplar::Graph &graph, const poplar::Tensor &written,
                         const poplar::Tensor &t, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context);

} // namespace popops::slice
