// SPDX-License-Identifier: MIT
// What docs/session-options.md says of every option; written by the build.
#pragma once
#include <string>
#include <utility>
#include <vector>

const std::vector<std::pair<std::string, std::string>> &optionDocs();
