// SPDX-License-Identifier: MIT
// Sends numbers between the tiles of each IPU of a device and compares what arrives.
#pragma once
#include "Bench.hpp"

namespace exchangetest {

// Pairs: at distances 1, 2, 4, ... every tile sends to one other. Broadcast: tiles spread over the
// IPU, one after the other, send to all.
enum class Pattern { Pairs, Broadcast };

struct Options {
  unsigned device = 0;
  bool json = false;
};
gctool::Outcome run(const Options &options, Pattern pattern);
int main(int argc, char **argv, const char *name, const char *description, Pattern pattern);

} // namespace exchangetest
