// SPDX-License-Identifier: MIT
// Names of graphs, which graph.hpp has.
#ifndef POPART_GRAPHID_HPP
#define POPART_GRAPHID_HPP
#include <popart/graph.hpp>
#endif
