// SPDX-License-Identifier: MIT
#include "runtime/Cache.hpp"
#include "runtime/Share.hpp"

#include <gtest/gtest.h>
#include <popart/sgd.hpp>

namespace frontend {
namespace {

TEST(Executables, AreKeptInAFolderThatIsNamed) {
  popart::SessionOptions options;
  options.enableEngineCaching = false; // whatever the environment of this test has
  keepExecutables(options, "");
  EXPECT_FALSE(options.enableEngineCaching);
  keepExecutables(options, "here");
  EXPECT_TRUE(options.enableEngineCaching);
  EXPECT_EQ(options.cachePath, "here");
}

TEST(Executables, HaveAKeyOfAllThatTheyDependOn) {
  const auto device = popart::DeviceManager::createDeviceManager().createCpuDevice();
  const popart::SessionOptions usual;
  const auto key = keyOf("model", usual, *device, nullptr);
  EXPECT_EQ(key.size(), 16u);
  EXPECT_EQ(keyOf("model", usual, *device, nullptr), key);
  EXPECT_NE(keyOf("another", usual, *device, nullptr), key);
  auto options = usual;
  options.enableStableNorm = true;
  EXPECT_NE(keyOf("model", options, *device, nullptr), key);
  options = usual;
  options.reportOptions["showVarStorage"] = "true";
  EXPECT_EQ(keyOf("model", options, *device, nullptr), key);
  const popart::ConstSGD slow(0.1f), fast(0.2f);
  EXPECT_NE(keyOf("model", usual, *device, &slow), key);
  EXPECT_NE(keyOf("model", usual, *device, &slow), keyOf("model", usual, *device, &fast));
  const auto variable = [](float rate) {
    return popart::SGD({{"defaultLearningRate", {rate, false}}});
  };
  const auto one = variable(0.1f), other = variable(0.2f);
  EXPECT_EQ(keyOf("model", usual, *device, &one), keyOf("model", usual, *device, &other));
}

TEST(Replicas, OfOneProcessAreNotDistributed) {
  popart::SessionOptions options;
  setReplicas(options, {.here = 2, .total = 2});
  EXPECT_TRUE(options.enableReplicatedGraphs);
  EXPECT_FALSE(options.enableDistributedReplicatedGraphs);
  EXPECT_EQ(options.getGlobalReplicationFactor(), 2);
  setReplicas(options, {});
  EXPECT_FALSE(options.enableReplicatedGraphs);
  EXPECT_EQ(options.getGlobalReplicationFactor(), 1);
}

TEST(Replicas, OfSeveralProcessesSayTheirPlace) {
  popart::SessionOptions options;
  setReplicas(options, {.here = 1, .first = 3, .total = 4});
  EXPECT_FALSE(options.enableReplicatedGraphs);
  EXPECT_TRUE(options.enableDistributedReplicatedGraphs);
  EXPECT_EQ(options.globalReplicaOffset, 3);
  EXPECT_EQ(options.getGlobalReplicationFactor(), 4);
}

} // namespace
} // namespace frontend
