// SPDX-License-Identifier: MIT
// Models that write Gelu out, as exporters do, get the operator instead:
//   x/2 (1 + erf(x / sqrt 2))  ->  GeluErf        x/2 (1 + tanh(c (x + 0.044715 x^3)))  ->  Gelu
// with the factors in any order. What else uses values in between still finds them.
#pragma once
#include "ir/graph.hpp"

namespace popart::transforms {

// The number of Gelus found.
unsigned joinGelus(ir::Graph &graph);

} // namespace popart::transforms
