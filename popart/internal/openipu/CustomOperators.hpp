// SPDX-License-Identifier: MIT
// What front ends may ask of operators that users name.
#pragma once
#include <optional>
#include <set>
#include <string>

namespace popart {

// The attributes that the definition of an operator lists: what a user registered, or ONNX in any
// version. Nothing if there is no such list.
std::optional<std::set<std::string>> declaredAttributes(const std::string &domain,
                                                        const std::string &type);

} // namespace popart
