// SPDX-License-Identifier: MIT
// What the operator libraries throw when they are used wrongly: shapes, types or parameters that do
// not fit. Unknown or malformed options are poplar::invalid_option instead.
#pragma once
#include <stdexcept>
#include <string>

namespace poputil {

// What PopLibs throw for arguments that do not fit.
struct poplibs_error : std::runtime_error {
  std::string type; // "poplibs_error"
  explicit poplibs_error(const std::string &message);
  explicit poplibs_error(const char *message);
  ~poplibs_error() override;
};

} // namespace poputil
