// SPDX-License-Identifier: MIT
// What front ends may ask of operators that users registered.
#pragma once
#include <set>
#include <string>

namespace popart {

// The attributes that the definition of an operator lists; none if nobody registered it.
std::set<std::string> declaredAttributes(const std::string &domain, const std::string &type);

} // namespace popart
