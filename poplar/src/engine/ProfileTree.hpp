// SPDX-License-Identifier: MIT
// The profile as a tree of values, for programs that serialise Engine::getGraphProfile and getExecutionProfile to JSON.
#pragma once
#include "executable/Image.hpp"
#include "poplar/ProfileValue.hpp"
#include "poplar/Target.hpp"
#include "profile/Recorder.hpp"

namespace poplar::engine {

ProfileValue graphTree(const executable::Image &image, const Target &target);
ProfileValue executionTree(const executable::Image &image, const profile::Recorder &recorder);

} // namespace poplar::engine
