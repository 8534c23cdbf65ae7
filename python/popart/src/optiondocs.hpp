// SPDX-License-Identifier: MIT
// What the table of session options (openipu/SessionOptions.def) says of each, as a docstring.
#pragma once
#include <string>
#include <utility>
#include <vector>

const std::vector<std::pair<std::string, std::string>> &optionDocs();
