// SPDX-License-Identifier: MIT
// Identifiers of ai.graphcore's operators, which operators.hpp has.
#ifndef POPART_GRAPHCOREOPERATORS_HPP
#define POPART_GRAPHCOREOPERATORS_HPP
#include <popart/operators.hpp>
#endif
