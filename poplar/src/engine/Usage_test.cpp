// SPDX-License-Identifier: MIT
// What other processes see of a program that runs.
#include "base/testing/OtherUser.hpp"
#include "machine/Lease.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/Engine.hpp"
#include "poplar/Graph.hpp"
#include "poplar/Program.hpp"

namespace poplar {

TEST(Usage, OfADeviceGrowsWithEachRun) {
  const base::testing::Scratch scratch;
  ::setenv("OPENIPU_RUNTIME_DIR", scratch.folder("runtime").c_str(), 1);
  const auto device = DeviceManager().getDevice(0);
  ASSERT_TRUE(device.attach());
  Graph graph(device.getTarget());
  const auto a = graph.addVariable(FLOAT, {1000}, "a"), b = graph.addVariable(FLOAT, {1000}, "b");
  graph.setTileMapping(a, 0);
  graph.setTileMapping(b, 1);
  Engine engine(graph, program::Copy(a, b));
  engine.load(device);
  const auto usage = [] { return machine::usageOf(*machine::holderOf(0)).value(); };
  EXPECT_EQ(usage().runs, 0u);
  engine.run();
  const auto once = usage();
  EXPECT_EQ(once.runs, 1u);
  EXPECT_GT(once.deviceSeconds, 0);
  EXPECT_GE(once.watts, 48) << "an idle GC200 draws as much";
  engine.run();
  EXPECT_DOUBLE_EQ(usage().deviceSeconds, 2 * once.deviceSeconds);
  EXPECT_GE(usage().busySeconds, once.busySeconds);
  ::unsetenv("OPENIPU_RUNTIME_DIR");
}

} // namespace poplar
