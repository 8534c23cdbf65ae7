// SPDX-License-Identifier: MIT
// A planned operator as a program: the host function to run on whole tensors, by name
// (backend/Kernel.hpp), and what the tiles would take for it, planned by the caller. Libraries of
// operators are built from this.
#pragma once
#include "executable/Image.hpp"
#include "poplar/Program.hpp"

namespace poplar::program {

Program kernelProgram(std::string kernel, const std::vector<Tensor> &outputs,
                      const std::vector<Tensor> &inputs, std::string attributes,
                      executable::Cost cost, const DebugContext &context);

} // namespace poplar::program
