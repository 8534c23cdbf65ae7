// SPDX-License-Identifier: MIT
#include "machine/TestMachine.hpp"
#include "popdist/context.hpp"

namespace {

struct Popdist : machine::testing::TestMachine {
  Popdist() { forget(); }
  ~Popdist() override { forget(); }
  static void forget() {
    for (const char *name :
         {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "POPDIST_NUM_TOTAL_REPLICAS",
          "POPDIST_NUM_LOCAL_REPLICAS", "POPDIST_NUM_IPUS_PER_REPLICA",
          "POPDIST_REPLICA_INDEX_OFFSET", "POPDIST_LOCAL_INSTANCE_INDEX",
          "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE"})
      ::unsetenv(name);
  }
  // As poprun --num-replicas 8 --num-instances 2 --ipus-per-replica 2 has it for the second.
  static void second() {
    set("OMPI_COMM_WORLD_RANK", "1");
    set("OMPI_COMM_WORLD_SIZE", "2");
    set("POPDIST_NUM_TOTAL_REPLICAS", "8");
    set("POPDIST_NUM_LOCAL_REPLICAS", "4");
    set("POPDIST_NUM_IPUS_PER_REPLICA", "2");
    set("POPDIST_REPLICA_INDEX_OFFSET", "4");
  }
};

} // namespace

TEST_F(Popdist, IsAloneOutsidePoprun) {
  EXPECT_FALSE(popdist::isPopdistEnvSet());
  EXPECT_EQ(popdist::getNumInstances(), 1u);
  EXPECT_EQ(popdist::getInstanceIndex(), 0u);
  EXPECT_EQ(popdist::getNumTotalReplicas(), 1u);
  EXPECT_EQ(popdist::getNumLocalReplicas(), 1u);
  EXPECT_EQ(popdist::getNumIpusPerReplica(), 1u);
  EXPECT_EQ(popdist::getDeviceId(), 0u);
  popdist::checkNumIpusPerReplica(1);
}

TEST_F(Popdist, KnowsItsReplicasAndDevice) {
  second();
  EXPECT_TRUE(popdist::isPopdistEnvSet());
  EXPECT_EQ(popdist::getInstanceIndex(), 1u);
  EXPECT_EQ(popdist::getReplicaIndexOffset(), 4u);
  EXPECT_EQ(popdist::getDeviceId(), 29u) << "the second group of eight among sixteen";
  EXPECT_EQ(popdist::getDeviceId(1), 25u) << "the second group of four";
  EXPECT_NE(failureOf([] { popdist::checkNumIpusPerReplica(4); }).find("--ipus-per-replica 2"),
            std::string::npos);
}

TEST_F(Popdist, RefusesNumbersThatDoNotFit) {
  second();
  set("POPDIST_NUM_LOCAL_REPLICAS", "5");
  EXPECT_NE(failureOf([] { popdist::getReplicaIndexOffset(); }).find("do not fit together"),
            std::string::npos);
  set("POPDIST_NUM_TOTAL_REPLICAS", "many");
  EXPECT_NE(failureOf([] { popdist::getNumTotalReplicas(); }).find("POPDIST_NUM_TOTAL_REPLICAS"),
            std::string::npos);
  second();
  set("OPENIPU_NUM_IPUS", "8");
  EXPECT_NE(failureOf([] { popdist::getDeviceId(); }).find("no device with 8 IPUs from IPU 8"),
            std::string::npos);
}
