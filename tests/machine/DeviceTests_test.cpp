// SPDX-License-Identifier: MIT
// The tools that run programs on a device, on a chip of few tiles.
#include "Tools.hpp"

using namespace tools;

namespace {

struct DeviceTests : Tools {
  DeviceTests() {
    set("OPENIPU_CHIP", scratch.write("small.chip", "base = ipu2\nname = small\ntiles = 12\n"));
    set("OPENIPU_CACHE_DIR", scratch.folder("cache"));
  }
};

const char *softError =
    R"({"simulateSOCError.errorList":"IPUSOFTERR","simulateSOCError.triggerCount":"1"})";

} // namespace

TEST_F(DeviceTests, MemoryTestCoversEveryTile) {
  const auto all = json("gc-memorytest -d 4 -j");
  EXPECT_EQ(all["tiles"], "24");
  EXPECT_GT(std::stoul(all["bytes_per_tile"].get<std::string>()), 590000u);
  EXPECT_TRUE(all["failing_tiles"].empty());
  EXPECT_EQ(all["result"], "pass");
  const auto text = output("gc-memorytest --kilobytes 4");
  EXPECT_TRUE(
      has(text, "bytes of each of 12 tiles of device 0\no No tile failed\no Result - Pass\n"));
}

TEST_F(DeviceTests, ExchangeTestsCompareWhatArrives) {
  const auto pairs = json("gc-exchangetest -j -d 4");
  EXPECT_EQ(pairs["result"], "pass");
  EXPECT_EQ(pairs["steps"], "4");
  EXPECT_EQ(pairs["tiles"], "24");
  EXPECT_TRUE(has(output("gc-exchangewritetest"), "o Result - Pass\n"));
}

TEST_F(DeviceTests, FailAsHardwareWould) {
  set("GCDA_OPTIONS", softError);
  for (const char *tool :
       {"gc-memorytest --kilobytes 4", "gc-exchangetest", "gc-exchangewritetest"}) {
    const auto result = run(tool);
    EXPECT_EQ(result.status, 1) << tool;
    EXPECT_TRUE(has(result.out, "Simulated error IPUSOFTERR")) << result.out;
    EXPECT_TRUE(has(result.out, "o Result - Fail\n")) << result.out;
    EXPECT_EQ(machine::errorStateOf(0), "IPUSOFTERR");
    EXPECT_EQ(run("gc-reset").status, 0);
    EXPECT_FALSE(machine::errorStateOf(0));
  }
}

TEST_F(DeviceTests, LeaveADeviceAloneThatIsInUse) {
  machine::Lease lease({1});
  ASSERT_TRUE(lease.acquire());
  for (const char *tool : {"gc-memorytest -d 4", "gc-exchangetest -d 4"}) {
    const auto result = run(tool);
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(has(result.out, "device 4 is in use by process " + std::to_string(::getpid())));
  }
}
