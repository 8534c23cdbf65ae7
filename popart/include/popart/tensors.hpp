// SPDX-License-Identifier: MIT
// Tensors, which graph.hpp has.
#ifndef POPART_TENSORS_HPP
#define POPART_TENSORS_HPP
#include <popart/graph.hpp>
#endif
