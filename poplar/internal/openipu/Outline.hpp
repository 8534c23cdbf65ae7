// SPDX-License-Identifier: MIT
// One piece of code for several places of a program. The device has it once, with buffers for its
// arguments: every call copies the arguments in, runs the code and copies the results out, and all
// of that is priced. The host runs each place on the tensors that are really meant, so outlining
// costs it neither time nor memory.
#pragma once
#include "poplar/DebugContext.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include <vector>

namespace poplar::openipu {

// The tensor that a place works on and the buffer that the shared code uses instead. Both have the
// same shape and type; the buffer is laid out like the tensor of the first place.
struct Argument {
  poplar::Tensor tensor, buffer;
};

// The copy of an argument, in either direction: paid for, but not done. To be placed within the
// program that is given to `outlined`.
poplar::program::Program passArgument(const poplar::Tensor &from, const poplar::Tensor &to,
                                      const poplar::DebugContext &context = {});

// `program` as a call of the code number `code`. Programs with the same number must consist of the
// same steps; one that does not is charged as code of its own.
poplar::program::Program outlined(const poplar::program::Program &program, std::uint32_t code,
                                  const std::vector<Argument> &arguments,
                                  const poplar::DebugContext &context = {});

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
