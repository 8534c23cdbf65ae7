// SPDX-License-Identifier: MIT
#include "program/KernelProgram.hpp"
#include "Access.hpp"

namespace poplar::program {

Program kernelProgram(std::string kernel, const std::vector<Tensor> &outputs,
                      const std::vector<Tensor> &inputs, std::string attributes,
                      executable::Cost cost, const DebugContext &context) {
  Node node;
  node.kind = executable::StepKind::Kernel;
  node.name = context.getPathName();
  node.debugId = context.getParentId();
  node.text = std::move(kernel);
  node.operands = outputs;
  node.operands.insert(node.operands.end(), inputs.begin(), inputs.end());
  node.count = outputs.size();
  node.attributes = std::move(attributes);
  node.cost = std::move(cost);
  return Access::program(std::move(node));
}

} // namespace poplar::program
