// SPDX-License-Identifier: MIT
// The version that programs and files are told: 3.3 is the API generation, the hash names the build
// of this library.
#include "base/Text.hpp"
#include "poplar/Graph.hpp"

namespace poplar {

StringRef versionString() { return "3.3.0 (OpenIPU " OPENIPU_VERSION ")"; }

StringRef packageHash() {
  // Sources that shape what is stored in files are hashed when the build is configured.
  static const std::string hash =
      base::hex(base::hashBytes(OPENIPU_SOURCE_HASH, sizeof(OPENIPU_SOURCE_HASH) - 1))
          .substr(0, 12);
  return hash;
}

} // namespace poplar
