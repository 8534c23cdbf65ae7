// SPDX-License-Identifier: MIT
// Checks every index, offset, extent and enumerator of an image that comes from a file or, in
// development builds, out of a compiler pass, so that nothing in it can make the engine read or
// write outside its storage, or recurse without end. Costs one pass over the image. The code inside
// codelet modules cannot be checked; the file's checksum guards it against damage.
#pragma once
#include "base/Text.hpp"
#include "executable/Image.hpp"

namespace poplar::executable {

// What an image has so far: its tables; the memory of each tile; places in the host arena, as all
// have that are in files.
enum class Made { Tables, Memory, All };

// Throws poplar_error naming the first thing that does not fit.
void validate(const Image &image, Made made = Made::All);

[[noreturn]] void throwInconsistent(const std::string &what);

template <class... Parts> [[noreturn]] void inconsistent(const Parts &...parts) {
  throwInconsistent(base::str(parts...));
}

} // namespace poplar::executable
