// SPDX-License-Identifier: MIT
// Histograms.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// How many elements of `input` (FLOAT or HALF, any shape) fall between the n ascending `levels` (of
// the same type): n + 1 counts, the i-th of levels[i - 1] <= x < levels[i]. Counts are
// UNSIGNED_INT. Options, not both:
//   useFloatArithmetic                        counts are FLOAT, exact to 2^24
//   useFloatArithmeticWithUnsignedIntOutput   counted as FLOAT, returned as UNSIGNED_INT
poplar::Tensor histogram(poplar::Graph &graph, const poplar::Tensor &input,
                         const poplar::Tensor &levels, bool absoluteOfInput,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {},
                         const poplar::OptionFlags &options = {});

// Into `output`, or added to its counts.
void histogram(poplar::Graph &graph, const poplar::Tensor &input, poplar::Tensor &output,
               bool updateOutput, const poplar::Tensor &levels, bool absoluteOfInput,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {},
               const poplar::OptionFlags &options = {});

} // namespace popops
