// SPDX-License-Identifier: MIT
#include "base/HostMemory.hpp"
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace base {
namespace {

namespace fs = std::filesystem;

// A tree of files as /sys/fs/cgroup has it.
struct Groups {
  fs::path root = fs::temp_directory_path() / ("openipu-groups-" + std::to_string(getpid()));
  ~Groups() { fs::remove_all(root); }
  void set(const std::string &file, const std::string &text) const {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << text << '\n';
  }
};

constexpr auto unlimited = ~std::uint64_t(0);

} // namespace

TEST(HostMemory, TheTightestControlGroupCounts) {
  Groups g;
  g.set("memory.max", "max");
  g.set("work/memory.max", "5000");
  g.set("work/one/memory.max", "9000");
  EXPECT_EQ(controlGroupLimit("0::/\n", g.root), unlimited);
  EXPECT_EQ(controlGroupLimit("0::/work/one\n", g.root), 5000u);
  EXPECT_EQ(controlGroupLimit("0::/elsewhere\n", g.root), unlimited);
  g.set("memory.max", "4000"); // inside a container the root is the group
  EXPECT_EQ(controlGroupLimit("0::/elsewhere\n", g.root), 4000u);
}

TEST(HostMemory, ControlGroupsOfTheFirstVersionCountToo) {
  Groups g;
  g.set("memory/work/memory.limit_in_bytes", "6000");
  EXPECT_EQ(controlGroupLimit("5:devices:/\n4:cpu,memory:/work\n0::/\n", g.root), 6000u);
  EXPECT_EQ(controlGroupLimit("5:devices:/work\n", g.root), unlimited);
  EXPECT_EQ(controlGroupLimit("", g.root), unlimited);
}

TEST(HostMemory, IsKnownAndMayBeSet) {
  const auto found = hostMemory();
  EXPECT_GT(found.bytes, std::uint64_t(1) << 26);
  EXPECT_LT(found.bytes, unlimited);
  setenv("OPENIPU_HOST_MEMORY_MB", "3", 1);
  EXPECT_EQ(hostMemory().bytes, 3u << 20);
  EXPECT_STREQ(hostMemory().from, "OPENIPU_HOST_MEMORY_MB");
  setenv("OPENIPU_HOST_MEMORY_MB", "much", 1);
  EXPECT_THROW(hostMemory(), std::invalid_argument);
  unsetenv("OPENIPU_HOST_MEMORY_MB");
}

} // namespace base
