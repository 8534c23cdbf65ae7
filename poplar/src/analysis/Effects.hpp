// SPDX-License-Identifier: MIT
// What a step does to variables: elements it may read before writing them, and elements it surely
// writes. Both stay on the safe side when a scattered access would need too many ranges: reads
// grow, writes shrink.
#pragma once
#include "analysis/RangeSet.hpp"
#include "executable/Image.hpp"
#include <map>
#include <memory>

namespace poplar::analysis {

struct Effect {
  RangeSet read, written;
  bool used = false; // the step touches the variable's storage; WriteUndef does not
};
using Effects = std::map<std::uint32_t, Effect>; // by variable

// How to read Output fields and the outputs of kernels: as writing every element, or as possibly
// relying on old contents too.
enum class Outputs { Write, ReadAndWrite };

// A leaf step; for a control step, what its own decision reads.
Effects effectsOf(const executable::Image &image, const executable::Step &step, Outputs outputs);

// first, then second.
void follow(Effects &second, const Effects &first);

// Either a or b.
void branch(Effects &a, const Effects &b);

} // namespace poplar::analysis
