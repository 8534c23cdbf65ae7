// SPDX-License-Identifier: MIT
#include "popops/CheckIndices.hpp"
#include "openipu/Operation.hpp"
#include <base/Text.hpp>
#include <poputil/exceptions.hpp>

namespace popops {

void checkIndices(poplar::Graph &graph, const poplar::Tensor &indices,
                  const kernels::IndexRange &range, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext) {
  const auto type = indices.elementType();
  if (type != poplar::INT && type != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(base::str("popops::checkIndices: indices are ", type,
                                           "; they must be int or unsigned int."));
  if (indices.numElements() > 0)
    prog.add(openipu::operation(graph, {kernels::checkIndices,
                                        {openipu::in(indices)},
                                        range.write(),
                                        {},
                                        {debugContext, "checkIndices"}}));
}

} // namespace popops
