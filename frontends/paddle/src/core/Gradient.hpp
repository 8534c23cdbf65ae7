// SPDX-License-Identifier: MIT
#pragma once
#include "core/Call.hpp"

namespace paddleipu {

// "relu_grad", if there is a relu.
bool isGradient(const std::string &type);
void convertGradient(Call &c);

} // namespace paddleipu
