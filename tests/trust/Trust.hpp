// SPDX-License-Identifier: MIT
// Shared by the tests of trust: a program with a codelet of its own, in this process or in one that
// is killed or belongs to another user.
#pragma once
#include "base/testing/OtherUser.hpp"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace trust {

using namespace base::testing;

// Compiles a codelet that adds `step`, runs it and checks the result. Other steps, other codelets.
// What was thrown, "wrong result", or nothing.
std::string runs(int step);

// The same where codelets are found in the cache only, since there is no compiler.
bool isCached(int step);

// Sets variables for as long as it lives: the folders that a process of ours uses.
class Environment {
public:
  explicit Environment(const Scratch &scratch); // OPENIPU_CACHE_DIR, OPENIPU_RUNTIME_DIR, TMPDIR
  ~Environment();
};

// Starts this program again with one of its tests, which the variable OPENIPU_TRUST tells it is
// wanted. Fork alone would not do: threads.
pid_t start(const std::string &test, const std::string &argument);
std::string argumentOf(); // empty: the test is to be skipped
int statusOf(pid_t child);

int kills(int otherwise); // from OPENIPU_KILLS

// Starts, waits for a random time of at most so much, and kills.
void startAndKill(const std::string &test, const std::string &argument, int mostMilliseconds,
                  unsigned seed);

} // namespace trust
