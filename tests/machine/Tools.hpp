// SPDX-License-Identifier: MIT
// Runs a tool in the environment of a test's own machine.
#pragma once
#include "machine/Lease.hpp"
#include "machine/TestMachine.hpp"
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

namespace tools {

struct Result {
  std::string out;
  int status = -1;
};

struct Tools : machine::testing::TestMachine {
  Tools() { set("OPENIPU_NUM_IPUS", "4"); }

  // What the command prints, on both streams.
  static Result run(const std::string &command) {
    Result result;
    FILE *pipe = ::popen((TOOLS + command + " 2>&1").c_str(), "r");
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      result.out.append(buffer.data(), n);
    result.status = WEXITSTATUS(::pclose(pipe));
    return result;
  }
  static std::string output(const std::string &command) {
    const auto result = run(command);
    EXPECT_EQ(result.status, 0) << command << "\n" << result.out;
    return result.out;
  }
  static nlohmann::json json(const std::string &command) {
    return nlohmann::json::parse(output(command));
  }
  static bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
  }
};

} // namespace tools
