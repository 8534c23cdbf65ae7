// SPDX-License-Identifier: MIT
// How much memory a process can have on this host: physical memory and swap, or less if the
// process or its control group has a limit. OPENIPU_HOST_MEMORY_MB takes the place of all that.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace base {

struct HostMemory {
  std::uint64_t bytes = ~std::uint64_t(0);
  const char *from = "no limit"; // for messages: where the number comes from
};

// Throws std::invalid_argument if the environment variable is no number.
HostMemory hostMemory();

// The least limit of the control group and those around it, in either version of control groups;
// all ones if there is none. `groups`: /proc/self/cgroup, `root`: /sys/fs/cgroup.
std::uint64_t controlGroupLimit(const std::string &groups, const std::filesystem::path &root);

} // namespace base
