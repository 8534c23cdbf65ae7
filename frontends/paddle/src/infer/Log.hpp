// SPDX-License-Identifier: MIT
// What Paddle's predictor prints on standard error when it is made.
#pragma once
#include <string>
#include <vector>

namespace paddle_infer {

void logWarning(const std::string &text);
void logAnalysis(); // before compiling
void logExecutor(const std::vector<std::string> &feeds,
                 const std::vector<std::string> &fetches); // after

} // namespace paddle_infer
