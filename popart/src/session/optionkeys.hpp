// SPDX-License-Identifier: MIT
// Session options in the keys of cached executables, by the table of openipu/SessionOptions.def.
#pragma once
#include "openipu/SessionOptionTable.hpp"
#include "session/hash.hpp"

namespace popart::session {

void addProgramOptions(Hasher &h, const SessionOptions &options); // rows of option::Key::Program
void addModelOptions(Hasher &h, const SessionOptions &options);   // rows of option::Key::Model

} // namespace popart::session
