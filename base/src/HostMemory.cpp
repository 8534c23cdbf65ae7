// SPDX-License-Identifier: MIT
#include "base/HostMemory.hpp"
#include "base/Environment.hpp"
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <sys/sysinfo.h>

namespace base {
namespace {

constexpr std::uint64_t unlimited = ~std::uint64_t(0);
constexpr std::uint64_t MiB = std::uint64_t(1) << 20;

// A file that says "max", or is not there, sets no limit.
std::uint64_t numberIn(const std::filesystem::path &file) {
  std::ifstream in(file);
  std::uint64_t number = 0;
  return in >> number ? number : unlimited;
}

std::uint64_t leastUpwards(const std::filesystem::path &root, std::filesystem::path group,
                           const char *file) {
  auto least = numberIn(root / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    least = std::min(least, numberIn(root / group / file));
  return least;
}

// Swap may come on top of what a group or a host has of memory.
void lower(HostMemory &memory, std::uint64_t bytes, std::uint64_t swap, const char *from) {
  if (bytes < unlimited - swap && bytes + swap < memory.bytes)
    memory = {bytes + swap, from};
}

} // namespace

std::uint64_t controlGroupLimit(const std::string &groups, const std::filesystem::path &root) {
  auto least = unlimited;
  std::istringstream lines(groups);
  for (std::string number, controllers, path; std::getline(lines, number, ':') &&
                                              std::getline(lines, controllers, ':') &&
                                              std::getline(lines, path);) {
    if (controllers.empty())
      least = std::min(least, leastUpwards(root, path, "memory.max"));
    else if (("," + controllers + ",").find(",memory,") != std::string::npos)
      least = std::min(least, leastUpwards(root / "memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

HostMemory hostMemory() {
  constexpr auto variable = "OPENIPU_HOST_MEMORY_MB";
  if (const auto given = numberFromEnvironment(variable, 0, 1, unlimited / MiB))
    return {given * MiB, variable};
  HostMemory out;
  std::uint64_t swap = 0;
  if (struct sysinfo info{}; sysinfo(&info) == 0) {
    swap = std::uint64_t(info.totalswap) * info.mem_unit;
    lower(out, std::uint64_t(info.totalram) * info.mem_unit, swap, "physical memory and swap");
  }
  std::ifstream file("/proc/self/cgroup");
  const std::string groups(std::istreambuf_iterator<char>(file), {});
  lower(out, controlGroupLimit(groups, "/sys/fs/cgroup"), swap, "the limit of its control group");
  if (rlimit limit{}; getrlimit(RLIMIT_AS, &limit) == 0)
    lower(out, limit.rlim_cur, 0, "the limit of its address space, ulimit -v");
  return out;
}

} // namespace base
