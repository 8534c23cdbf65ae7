// SPDX-License-Identifier: MIT
// Writes an Image to a stream and reads it back. A file is a header (magic, format version, size,
// checksum, package hash) and a payload (Executable.proto). The same Image gives the same bytes.
// read() trusts nothing: it throws poplar_error for a stream that is truncated, foreign, of another
// version or damaged, and it hands out only what validate() accepts. It leaves the stream behind
// the last byte of the executable.
#pragma once
#include "executable/Image.hpp"
#include <iosfwd>

namespace poplar::executable {

void write(const Image &image, std::ostream &out);

// checkPackageHash: refuse what another build of the library wrote, even when the format is the
// same.
Image read(std::istream &in, bool checkPackageHash);

} // namespace poplar::executable
