// SPDX-License-Identifier: MIT
// What a poplar::Tensor is: a shape and a list of strided pieces over variables.
// A piece fills one box of the tensor's index space. Within the box each tensor dimension is walked
// by zero or more nested loops (extent, stride), so a transpose that was flattened, a broadcast or
// a reversal stays one piece. View operations cost O(pieces), never O(elements); only a reshape
// that cuts across the loops of a piece splits it into runs. Pieces are sorted by the first element
// they hold, and their boxes tile the shape.
#pragma once
#include "base/Id.hpp"
#include "openipu/TypeId.hpp"
#include "tensor/GraphRef.hpp"
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace poplar::tensor {

using VarId = base::Id<struct VarTag>;
using Shape = std::vector<std::size_t>;

// One level of a walk: `extent` positions, `stride` elements of the variable apart, along tensor
// dimension `dim`.
struct Loop {
  std::size_t extent;
  std::int64_t stride;
  unsigned dim;
  bool operator==(const Loop &) const = default;
};

struct Range {
  std::size_t begin, extent;
  bool operator==(const Range &) const = default;
};

struct Piece {
  VarId var;
  std::int64_t offset = 0; // element of the variable that the piece's first element is
  std::vector<Range> box;  // one per tensor dimension
  std::vector<Loop> loops; // outermost first; ordered by dim; loops of extent 1 are left out
  bool operator==(const Piece &) const = default;
};

} // namespace poplar::tensor

namespace poplar::openipu {

struct View {
  graph::GraphRef graph; // the graph the variables belong to; none in an executable
  TypeId type = TypeId::Float;
  tensor::Shape shape;
  std::vector<tensor::Piece> pieces;
  std::shared_ptr<const View> metadata; // scale and format of an 8-bit float tensor

  std::size_t numElements() const; // cannot wrap: shapes are checked where they are made
  bool operator==(const View &other) const {
    return type == other.type && shape == other.shape && pieces == other.pieces;
  }
};

} // namespace poplar::openipu

namespace poplar::tensor {

using openipu::View;

// A strided run of a flattened view, in element order.
struct Run {
  VarId var;
  std::int64_t offset;
  std::size_t count;
  std::int64_t stride; // 1 when count is 1
  bool operator==(const Run &) const = default;
};

// Half-open range of elements of a variable.
struct VarRange {
  VarId var;
  std::size_t begin, end;
  auto operator<=>(const VarRange &) const = default;
};

// The number of elements of a shape that a caller gives. Throws tensor_creation_error if they are
// more than a tensor can have; `call` begins the message.
std::size_t elementsOf(const Shape &shape, const std::string &call);

View wholeVariable(const graph::GraphRef &graph, VarId var, TypeId type, Shape shape);

// Arguments are checked by Tensor.cpp; these assume them valid.
View slice(const View &view, std::size_t begin, std::size_t end, unsigned dim);
View dimShuffle(const View &view, const std::vector<unsigned> &permutation);
View reverse(const View &view, unsigned dim);
View broadcast(const View &view, std::size_t n, unsigned dim);
View upsample(const View &view, std::size_t scale, unsigned dim);
View subSample(const View &view, std::size_t stride, unsigned dim);
View expand(const View &view,
            const std::vector<std::size_t> &before); // sorted positions, repeats allowed
View squeeze(const View &view, const std::vector<std::size_t> &dims);
View reshape(const View &view, const Shape &shape);
View flatten(const View &view);
View concat(const std::vector<const View *> &views, unsigned dim);

// Strided runs in flattened order, neighbouring ones merged.
std::vector<Run> runs(const View &view);
void forEachRun(const View &view, const std::function<void(const Run &)> &visit);

// Memory ranges touched, in flattened order, neighbours merged (not sorted; aliases repeat).
void forEachRange(const View &view, const std::function<void(const VarRange &)> &visit);
std::vector<VarRange> sortedRanges(const View &view); // sorted, merged, each element once

bool containsAliases(const View &view);
bool isContiguous(const View &view); // one run of stride 1

} // namespace poplar::tensor
