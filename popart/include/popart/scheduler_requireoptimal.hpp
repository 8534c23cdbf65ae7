// SPDX-License-Identifier: MIT
// RequireOptimalSchedule, which graph.hpp has.
#ifndef POPART_SCHEDULER_REQUIREOPTIMAL_HPP
#define POPART_SCHEDULER_REQUIREOPTIMAL_HPP
#include <popart/graph.hpp>
#endif
