// SPDX-License-Identifier: MIT
// Runs a program without a shell, with its standard output and error captured; and the few file
// helpers that go with it.
#pragma once
#include "base/NewFile.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

struct ProcessResult {
  int status = 0;     // exit status; 128 + signal when killed; 127 when it could not be started
  std::string output; // standard output and error together, in order of arrival
};

// `temporary`: where the program puts its own temporary files, if not where it likes.
ProcessResult runProcess(const std::vector<std::string> &command,
                         const std::string &temporary = {});

// The first executable of that name on PATH, or empty. A name with a slash is looked at as it is.
std::string findProgram(const std::string &name);

using TemporaryDirectory = base::TemporaryFolder;

bool readFile(const std::string &path, std::string &bytes);      // false when it cannot be read
void writeFile(const std::string &path, std::string_view bytes); // in folders of our own only

} // namespace poplar::codelet
