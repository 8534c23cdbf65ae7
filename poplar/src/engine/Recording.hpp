// SPDX-License-Identifier: MIT
// What an engine's options say about recording.
#pragma once
#include "options/EngineOptions.hpp"
#include "profile/Recorder.hpp"

namespace poplar::engine {

// The trace is on with autoReport.all, autoReport.outputExecutionProfile or any of
// debug.instrument*.
profile::RecorderOptions recorderOptions(const options::Options &options);

} // namespace poplar::engine
