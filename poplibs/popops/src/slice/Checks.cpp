// SPDX-License-Identifier: MIT
#include "slice/Checks.hpp"
#include "base/Text.hpp"
#include "openipu/Placement.hpp"
#include "poplar/exceptions.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Sizes.hpp"
#include "poputil/Util.hpp"

namespace popops::slice {

using base::list;
using base::str;
using poputil::poplibs_error;

void checkSlice(const std::string &call, const Sizes &shape, const Sizes &dims,
                const Sizes &sizes) {
  if (dims.size() != sizes.size())
    throw poplibs_error(str(call, ": ", dims.size(), " dimensions ", list(dims), " but ",
                            sizes.size(), " sizes ", list(sizes), "; give one size for each."));
  std::vector<bool> seen(shape.size());
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= shape.size())
      throw poplar::graph_connection_error(str(call, ": dimension ", dims[i],
                                               " does not exist in a tensor of shape ", list(shape),
                                               '.'));
    if (sizes[i] > shape[dims[i]])
      throw poplar::graph_connection_error(str(call, ": a slice of ", sizes[i],
                                               " elements does not fit dimension ", dims[i],
                                               " of shape ", list(shape), '.'));
    if (seen[dims[i]])
      throw poplar::graph_connection_error(
          str(call, ": dimension ", dims[i], " is named twice in ", list(dims), '.'));
    seen[dims[i]] = true;
  }
}

void checkOffsets(const std::string &call, const poplar::Tensor &offsets, const Sizes &expected) {
  if (offsets.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(str(call, ": offsets are of type ", offsets.elementType(),
                            "; they must be unsigned int (Tensor::reinterpret makes them so)."));
  if (offsets.shape() != expected)
    throw poplibs_error(str(call, ": offsets have shape ", list(offsets.shape()), "; expected ",
                            list(expected), '.'));
}

void checkShape(const std::string &call, const char *what, const poplar::Tensor &t,
                const Sizes &expected) {
  if (t.shape() != expected)
    throw poplar::graph_connection_error(
        str(call, ": ", what, " has shape ", list(t.shape()), "; expected ", list(expected), '.'));
}

void checkSameType(const std::string &call, const poplar::Tensor &t, const poplar::Tensor &s) {
  if (t.elementType() != s.elementType())
    throw poplibs_error(str(call, ": slices are of type ", s.elementType(), ", the tensor of type ",
                            t.elementType(), "; make them equal with popops::cast."));
}

Sizes sliceShape(Sizes shape, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    shape[dims[i]] = sizes[i];
  return shape;
}

std::size_t product(const Sizes &sizes) { return poputil::elementsOf(sizes, "A slice"); }

std::vector<std::uint32_t> narrow(const Sizes &values) { return {values.begin(), values.end()}; }

poplar::Tensor firstSlice(poplar::Tensor t, const Sizes &dims, const Sizes &sizes) {
  for (std::size_t i = 0; i != dims.size(); ++i)
    t = t.slice(0, sizes[i], unsigned(dims[i]));
  return t;
}

poplar::Tensor apartFrom(poplar::Graph &graph, const poplar::Tensor &written,
                         const poplar::Tensor &t, poplar::program::Sequence &prog,
                         const poplar::DebugContext &context) {
  if (openipu::overlap(written, t) == openipu::Overlap::None)
    return t;
  return poputil::duplicate(graph, t, prog, {context, "copy"});
}

} // namespace popops::slice
