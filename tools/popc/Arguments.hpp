// SPDX-License-Identifier: MIT
// The command line of popc as data. Compiler options are passed on; everything else is understood
// here or refused.
#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace popc {

// One target to compile for: a plain name, or a variant with flags of its own from a JSON list.
struct Target {
  std::string name, arch;
  std::vector<std::string> flags;
};

struct Arguments {
  std::vector<std::string> inputs, flags;
  std::vector<Target> targets;
  std::string output; // empty: beside the first input
  std::string sizes;  // of operands, for --cycles
  bool cycles = false;
  bool assembly = false, help = false, version = false, listTargets = false;
};

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Arguments parseArguments(const std::vector<std::string> &words);
std::vector<Target> parseTargets(const std::string &text); // "ipu2", "ipu1,ipu2", or a JSON list
extern const char *const usage;

// The flags as one string that the library splits again.
std::string quoted(const std::vector<std::string> &flags);

} // namespace popc
