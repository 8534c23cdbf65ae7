// SPDX-License-Identifier: MIT
#include "gcipuinfo/gcipuinfo.hpp"
#include "machine/Lease.hpp"
#include "machine/TestMachine.hpp"

namespace {

struct Gcipuinfo : machine::testing::TestMachine {
  Gcipuinfo() { set("OPENIPU_NUM_IPUS", "4"); }
};

} // namespace

TEST_F(Gcipuinfo, ListsIpusAndGroups) {
  gcipuinfo info;
  const auto devices = info.getDevices();
  ASSERT_EQ(devices.size(), 7u);
  EXPECT_EQ(devices[6].at(gcipuinfo::Id), "6");
  EXPECT_EQ(devices[1].at(gcipuinfo::Clock), "1330MHz");
  EXPECT_EQ(info.getNamedAttributeForAll(gcipuinfo::BoardIpuIndex),
            (std::vector<std::string>{"3", "2", "1", "0", "3", "1", "3"}));
  EXPECT_EQ(info.getNamedAttributeForAll("no such thing").at(0), "N/A");
  EXPECT_EQ(info.checkHealthOfDevices(), "{}");
}

TEST_F(Gcipuinfo, LooksAgainWhenItIsTold) {
  gcipuinfo info;
  machine::Lease lease({2});
  ASSERT_TRUE(lease.acquire());
  const auto own = std::to_string(::getpid());
  EXPECT_EQ(info.getNamedAttributeForAll(gcipuinfo::UserProcessId)[2], "N/A");
  info.updateData();
  EXPECT_EQ(info.getNamedAttributeForAll(gcipuinfo::UserProcessId)[2], own);
  lease.release();
  info.setUpdateMode(true);
  EXPECT_EQ(info.getNamedAttributeForAll(gcipuinfo::UserProcessId)[2], "N/A");
}

TEST_F(Gcipuinfo, NamesDevicesWithErrors) {
  gcipuinfo info;
  machine::setErrorState({2}, "LINK_DOWN");
  EXPECT_EQ(
      info.checkHealthOfDevices(),
      R"({"hosts":{"127.0.1.1":[{"error":"device","id":"2","partition":"ipuof","board ipu )"
      R"(index":"1"},{"error":"device","id":"5","partition":"ipuof","board ipu index":"1"}]}})");
}

TEST_F(Gcipuinfo, SaysWhatIsWrongWithTheMachine) {
  set("OPENIPU_CHIP", "/nowhere.chip");
  EXPECT_NE(failureOf([] { gcipuinfo info; }).find("/nowhere.chip"), std::string::npos);
  set("OPENIPU_NUM_IPUS", "x");
  EXPECT_THROW(gcipuinfo(), std::runtime_error);
}

TEST_F(Gcipuinfo, HasOneDiscoveryModeInAProcess) {
  const gcipuinfo info;
  EXPECT_THROW(gcipuinfo(gcipuinfo::DiscoverAllPartitionIPUs), std::runtime_error);
}
