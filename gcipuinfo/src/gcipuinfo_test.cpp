// SPDX-License-Identifier: MIT
#include "gcipuinfo/gcipuinfo.hpp"
#include "machine/Events.hpp"
#include "machine/Lease.hpp"
#include "machine/TestMachine.hpp"
#include <nlohmann/json.hpp>
#include <unistd.h>

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

TEST_F(Gcipuinfo, KeepsARecordOfEveryError) {
  gcipuinfo info;
  EXPECT_EQ(info.getEventRecords(), "[]");
  set("GCDA_OPTIONS", R"({"simulateSOCError.errorList":"IPUSOFTERR",)"
                      R"("simulateSOCError.triggerCount":"1"})");
  machine::Lease lease({0, 1});
  ASSERT_TRUE(lease.acquire());
  lease.countRun();
  const auto records = nlohmann::json::parse(info.getEventRecords());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0]["description"], "Simulated error IPUSOFTERR");
  EXPECT_EQ(records[0]["severity"], "error");
  EXPECT_EQ(records[0]["pid"], std::to_string(::getpid()));
  EXPECT_EQ(records[0]["partition"], "ipuof");
  EXPECT_EQ(records[0]["attached ipus"], (std::vector<std::string>{"0", "1"}));
  EXPECT_EQ(records[0]["specific ipu hosts"], (std::vector<std::string>{"127.0.1.1"}));
  EXPECT_NE(records[0]["command line"].get<std::string>().find("gcipuinfo_test"),
            std::string::npos);
  const std::string path = records[0]["event record path"];
  EXPECT_EQ(::access(path.c_str(), R_OK), 0);
  for (int i = 0; i < 120; ++i)
    machine::recordEvent({"error", std::to_string(i), {0}, {0}});
  const auto kept = nlohmann::json::parse(info.getEventRecords());
  EXPECT_EQ(kept.size(), 100u);
  EXPECT_EQ(kept.back()["description"], "119");
}

TEST_F(Gcipuinfo, SaysWhatIsWrongWithTheMachine) {
  set("OPENIPU_CHIP", "/nowhere.chip");
  EXPECT_NE(failureOf([] { gcipuinfo info; }).find("/nowhere.chip"), std::string::npos);
  set("OPENIPU_NUM_IPUS", "x");
  EXPECT_THROW(gcipuinfo(), std::runtime_error);
}

TEST_F(Gcipuinfo, HasOneDiscoveryModeInAProcess) {
  const gcipuinfo info;
  EXPECT_THROW(gcipuinfo{gcipuinfo::DiscoverAllPartitionIPUs}, std::runtime_error);
}
