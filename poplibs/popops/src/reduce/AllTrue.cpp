// SPDX-License-Identifier: MIT
// allTrue: the logical and of all elements.
#include "popops/AllTrue.hpp"
#include "popops/Reduce.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include <base/Text.hpp>

namespace popops {

poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A));
  if (A.elementType() != poplar::BOOL)
    throw poputil::poplibs_error(base::str("popops::allTrue: the tensor ", A.shapeToString(),
                                           " is of type ", A.elementType(),
                                           "; it must be bool. Compare or cast first."));
  auto out = reduce(graph, A.flatten(), {0}, Operation::LOGICAL_AND, prog, {di, "allTrue"});
  di.addOutput(out);
  return out;
}

} // namespace popops
