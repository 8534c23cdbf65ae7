// SPDX-License-Identifier: MIT
// Indices as one-hot rows, and counting sequences.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/EncodingConstants.hpp>
#include <poputil/DebugInfo.hpp>

namespace popops {

// encoded[i][indices[i]] = 1, everything else 0. indices: [n], INT or UNSIGNED_INT; encoded:
// [n, classes], FLOAT, HALF, INT or UNSIGNED_INT. An index that is no class (MASKED_LABEL_CODE
// among them) gives a row of zeros.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

// With `on` for 1 and `off` for 0: one element each, of encoded's type.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::Tensor &on, const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

// t[i] = startInteger + i. t: rank 0 or 1, UNSIGNED_INT for the first form and INT for the second.
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

} // namespace popops
