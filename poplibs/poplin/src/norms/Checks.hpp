// SPDX-License-Identifier: MIT
#pragma once
#include <string>

namespace poplin::norms {

// Throws poplibs_error: a mean or deviation is needed and the tensor is empty.
[[noreturn]] void failWithoutStatistics(const std::string &api);

} // namespace poplin::norms
