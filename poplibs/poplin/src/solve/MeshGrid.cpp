// SPDX-License-Identifier: MIT
// Evenly spaced constants, and grids as views of them: nothing runs on the device.
#include "poplin/MeshGrid.hpp"
#include "base/Text.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"

namespace poplin {

poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                        std::size_t count, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, left, right, count));
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poputil::poplibs_error(base::str("poplin::linspace: values of type ", type,
                                           " cannot be spaced; use float or "
                                           "half."));
  std::vector<float> values(count);
  const double step = count > 1 ? (double(right) - left) / double(count - 1) : 0;
  for (std::size_t i = 0; i < count; ++i)
    values[i] = float(left + double(i) * step);
  if (count > 1)
    values.back() = right;
  auto t = graph.addConstant<float>(type, {count}, values, {di, "linspace"});
  poputil::mapTensorLinearly(graph, t);
  di.addOutput(t);
  return t;
}

std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &, poplar::Tensor x, poplar::Tensor y) {
  if (x.rank() != 1 || y.rank() != 1)
    throw poputil::poplibs_error(base::str("poplin::meshgrid2d: x has shape ",
                                           base::list(x.shape()), " and y ", base::list(y.shape()),
                                           "; both must be vectors."));
  const auto columns = unsigned(x.dim(0)), rows = unsigned(y.dim(0));
  return {x.expand({0}).broadcast(rows, 0), y.expand({1}).broadcast(columns, 1)};
}

} // namespace poplin
