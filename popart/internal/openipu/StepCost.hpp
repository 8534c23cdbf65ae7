// SPDX-License-Identifier: MIT
// What one step of a session costs, kind by kind and phase by phase: what
// Session::getModelledStep() is made of.
#pragma once
#include "openipu/ProgramCost.hpp"

namespace popart {

class Session;

// Throws popart::runtime_error if nothing is compiled yet.
poplar::openipu::ProgramCost stepCost(const Session &session);

} // namespace popart
