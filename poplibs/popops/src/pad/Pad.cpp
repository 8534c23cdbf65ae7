// SPDX-License-Identifier: MIT
// Padding as views: constants or the tensor's own elements joined to it, slices where the amount is
// negative.
#include "popops/Pad.hpp"
#include "poputil/exceptions.hpp"
#include <base/Text.hpp>
#include <functional>
#include <limits>

namespace popops {

namespace {

using poplar::Tensor;

template <class... Parts> [[noreturn]] void fail(const Parts &...parts) {
  throw poputil::poplibs_error(base::str("popops::pad: ", parts...));
}

void checkDims(const Tensor &t, const std::vector<std::ptrdiff_t> &lower,
               const std::vector<std::ptrdiff_t> &upper) {
  if (lower.size() != t.rank() || upper.size() != t.rank())
    fail(lower.size(), " lower and ", upper.size(), " upper amounts for the ", t.rank(),
         " dimensions of ", t.shapeToString(), "; give one of each per dimension.");
}

void checkDim(const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    fail("dimension ", dim, " is not one of the ", t.rank(), " of ", t.shapeToString(), ".");
}

// What a negative amount takes away.
Tensor truncated(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim) {
  constexpr std::ptrdiff_t most = std::numeric_limits<std::int32_t>::max();
  for (auto amount : {lower, upper})
    if (amount > most || amount < -most)
      fail("an amount of ", amount, " for dimension ", dim, " of ", t.shapeToString(),
           " is not possible; it must be between -", most, " and ", most, ".");
  std::ptrdiff_t size = t.dim(dim), begin = lower < 0 ? -lower : 0;
  std::ptrdiff_t end = upper < 0 ? size + upper : size;
  if (begin > end)
    fail("dimension ", dim, " of ", t.shapeToString(), " cannot lose ", begin,
         " elements at the lower and ", size - end, " at the upper end.");
  return t.slice(begin, end, dim);
}

// constants(shape, region of the view padded with edges) makes the elements to add.
using Constants = std::function<Tensor(const std::vector<std::size_t> &, const Tensor &edge)>;

Tensor padDim(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
              const Constants &constants) {
  auto middle = truncated(t, lower, upper, dim);
  auto shape = middle.shape();
  std::vector<Tensor> parts{middle};
  bool empty = middle.dim(dim) == 0;
  if (lower > 0) {
    shape[dim] = lower;
    auto edge = empty ? middle : middle.slice(0, 1, dim).broadcast(lower, dim);
    parts.insert(parts.begin(), constants(shape, edge));
  }
  if (upper > 0) {
    shape[dim] = upper;
    auto last = middle.dim(dim) - 1;
    auto edge = empty ? middle : middle.slice(last, last + 1, dim).broadcast(upper, dim);
    parts.push_back(constants(shape, edge));
  }
  return poplar::concat(parts, dim);
}

// Maps constants as asked for and keeps the result for later dimensions.
template <class Make>
Constants mapped(poplar::Graph &graph, padding::MappingMethod method, Make make) {
  return [&graph, method, make](const std::vector<std::size_t> &shape, const Tensor &edge) {
    Tensor t = make(shape);
    bool withEdge = method == padding::MappingMethod::EDGE && edge.numElements();
    if (withEdge)
      graph.setTileMapping(t, graph.getTileMapping(edge, false));
    else if (method != padding::MappingMethod::NONE)
      graph.setTileMapping(t, 0);
    return t;
  };
}

template <class Value>
Constants constantsOf(poplar::Graph &graph, const Tensor &t, Value value,
                      padding::MappingMethod method) {
  auto type = t.elementType();
  return mapped(graph, method, [&graph, type, value](const std::vector<std::size_t> &shape) {
    return graph.addConstant(type, shape, value, "padding");
  });
}

// Elements of a tensor are where they are: there is nothing to map.
Constants valuesOf(const Tensor &t, const Tensor &value) {
  if (value.numElements() != 1 || value.elementType() != t.elementType())
    fail("the value is ", value.elementType(), value.shapeToString(),
         "; it must be one element of ", t.elementType(), ".");
  return [value](const std::vector<std::size_t> &shape, const Tensor &) {
    auto out = value.reshape(std::vector<std::size_t>(shape.size(), 1));
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      if (shape[dim] > std::numeric_limits<unsigned>::max())
        fail("dimension ", dim, " of ", base::list(shape), " is too long to be padded.");
      out = out.broadcast(unsigned(shape[dim]), dim);
    }
    return out;
  };
}

Tensor padAll(Tensor t, const std::vector<std::ptrdiff_t> &lower,
              const std::vector<std::ptrdiff_t> &upper, const Constants &constants) {
  checkDims(t, lower, upper);
  for (unsigned dim = 0; dim < lower.size(); ++dim)
    t = padDim(t, lower[dim], upper[dim], dim, constants);
  return t;
}

Tensor padOne(const Tensor &t, std::ptrdiff_t lower, std::ptrdiff_t upper, unsigned dim,
              const Constants &constants) {
  checkDim(t, dim);
  return padDim(t, lower, upper, dim, constants);
}

} // namespace

Tensor pad(poplar::Graph &graph, const Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
           const std::vector<std::ptrdiff_t> &paddingUpper, float val,
           padding::MappingMethod mappingMethod) {
  return padAll(t, paddingLower, paddingUpper, constantsOf(graph, t, val, mappingMethod));
}
Tensor pad(poplar::Graph &graph, const Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
           const std::vector<std::ptrdiff_t> &paddingUpper, int val,
           padding::MappingMethod mappingMethod) {
  return padAll(t, paddingLower, paddingUpper, constantsOf(graph, t, val, mappingMethod));
}
Tensor pad(poplar::Graph &, const Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
           const std::vector<std::ptrdiff_t> &paddingUpper, const Tensor &val,
           padding::MappingMethod) {
  return padAll(t, paddingLower, paddingUpper, valuesOf(t, val));
}

Tensor pad(poplar::Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, float val,
           padding::MappingMethod mappingMethod) {
  return padOne(t, paddingLower, paddingUpper, dim, constantsOf(graph, t, val, mappingMethod));
}
Tensor pad(poplar::Graph &graph, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, int val,
           padding::MappingMethod mappingMethod) {
  return padOne(t, paddingLower, paddingUpper, dim, constantsOf(graph, t, val, mappingMethod));
}
Tensor pad(poplar::Graph &, const Tensor &t, std::ptrdiff_t paddingLower,
           std::ptrdiff_t paddingUpper, unsigned dim, const Tensor &val, padding::MappingMethod) {
  return padOne(t, paddingLower, paddingUpper, dim, valuesOf(t, val));
}

Tensor pad(const Tensor &t, std::ptrdiff_t paddingLower, std::ptrdiff_t paddingUpper, unsigned dim,
           padding::Type type) {
  checkDim(t, dim);
  auto middle = truncated(t, paddingLower, paddingUpper, dim);
  std::ptrdiff_t size = middle.dim(dim), lower = std::max<std::ptrdiff_t>(0, paddingLower),
                 upper = std::max<std::ptrdiff_t>(0, paddingUpper);
  std::ptrdiff_t most = type == padding::Type::REFLECT ? size - 1 : size > 0 ? lower + upper : 0;
  if (lower > most || upper > most)
    fail("dimension ", dim, " of ", middle.shapeToString(), " is too short to be padded by ", lower,
         " and ", upper, " of its own elements.");
  std::vector<Tensor> parts{middle};
  if (type == padding::Type::EDGE) {
    if (lower)
      parts.insert(parts.begin(), middle.slice(0, 1, dim).broadcast(lower, dim));
    if (upper)
      parts.push_back(middle.slice(size - 1, size, dim).broadcast(upper, dim));
  } else {
    if (lower)
      parts.insert(parts.begin(), middle.slice(1, 1 + lower, dim).reverse(dim));
    if (upper)
      parts.push_back(middle.slice(size - 1 - upper, size - 1, dim).reverse(dim));
  }
  return poplar::concat(parts, dim);
}

Tensor pad(const Tensor &t, const std::vector<std::ptrdiff_t> &paddingLower,
           const std::vector<std::ptrdiff_t> &paddingUpper, padding::Type type) {
  checkDims(t, paddingLower, paddingUpper);
  Tensor result = t;
  for (unsigned dim = 0; dim < t.rank(); ++dim)
    result = pad(result, paddingLower[dim], paddingUpper[dim], dim, type);
  return result;
}

} // namespace popops
