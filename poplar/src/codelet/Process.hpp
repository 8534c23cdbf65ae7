// SPDX-License-Identifier: MIT
// Runs a program without a shell, with its standard output and error captured; and the few file
// helpers that go with it.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

struct ProcessResult {
  int status = 0;     // exit status; 128 + signal when killed; 127 when it could not be started
  std::string output; // standard output and error together, in order of arrival
};

ProcessResult runProcess(const std::vector<std::string> &command);

// The first executable of that name on PATH, or empty. A name with a slash is looked at as it is.
std::string findProgram(const std::string &name);

// A private directory under TMPDIR that vanishes with the object.
class TemporaryDirectory {
public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  std::string file(const std::string &name) const { return path_ + "/" + name; }

private:
  std::string path_;
};

bool readFile(const std::string &path, std::string &bytes); // false when it cannot be read
void writeFile(const std::string &path, std::string_view bytes);
// Written beside the target and renamed, so that readers see the old file or the whole new one.
void replaceFile(const std::string &path, std::string_view bytes);

} // namespace poplar::codelet
