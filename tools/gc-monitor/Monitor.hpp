// SPDX-License-Identifier: MIT
// What gc-monitor shows of a partition, in its three forms.
#pragma once
#include "Tool.hpp"
#include <functional>

namespace gcmonitor {

using Readers = std::vector<machine::AttributeReader>; // of partitions; the first is active

struct Shown {
  bool cards = true;  // the table of IPUs
  bool usage = false; // a table of what programs use
};
std::string tables(const Readers &readers, const Shown &shown);

gctool::Json asJson(const Readers &readers);

// In the text format of Prometheus. `ticks` counts the answers.
std::string metrics(const Readers &readers, unsigned long ticks);

// Answers GET /metrics on a port of the loopback until the process ends; 0 chooses a port, and
// `ready` is told which. Throws Error if it cannot listen.
void serve(unsigned port, const std::function<void(unsigned)> &ready,
           const std::function<std::string()> &answer);

} // namespace gcmonitor
