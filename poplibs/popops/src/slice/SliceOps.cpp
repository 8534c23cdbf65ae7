// SPDX-License-Identifier: MIT
#include "slice/SliceOps.hpp"

namespace popops::slice {

poplar::program::Program sliceOperation(const poplar::Graph &graph, const SliceOperands &operands,
                                        const Request &request, Missing missing, openipu::Plan plan,
                                        const poplar::DebugContext &context) {
  auto result =
      missing == Missing::Keep ? openipu::inOut(operands.rows) : openipu::out(operands.rows);
  return openipu::operation(graph,
                            {kernels::slice,
                             {result, openipu::in(operands.table), openipu::in(operands.offsets)},
                             kernels::SliceAttributes{request, missing == Missing::Keep}.write(),
                             std::move(plan),
                             context});
}

poplar::program::Program updateOperation(const poplar::Graph &graph, const SliceOperands &operands,
                                         const Request &request, const UpdateHow &how,
                                         openipu::Plan plan, const poplar::DebugContext &context) {
  const kernels::UpdateAttributes attributes{request, how.op, how.floatPartials};
  std::vector<openipu::Used> uses{openipu::inOut(operands.table), openipu::in(operands.rows),
                                  openipu::in(operands.offsets)};
  if (how.scale.valid())
    uses.push_back(openipu::in(how.scale));
  return openipu::operation(
      graph, {kernels::update, std::move(uses), attributes.write(), std::move(plan), context});
}

} // namespace popops::slice
