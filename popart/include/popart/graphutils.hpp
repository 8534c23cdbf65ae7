// SPDX-License-Identifier: MIT
// Graphs and their tensors by one name.
#ifndef POPART_GRAPHUTILS_HPP
#define POPART_GRAPHUTILS_HPP
#include <popart/graph.hpp>
#include <popart/tensorindex.hpp>
#endif
