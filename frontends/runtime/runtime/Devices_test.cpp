// SPDX-License-Identifier: MIT
#include "runtime/Devices.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <poplar/exceptions.hpp>
#include <unistd.h>

namespace frontend {
namespace {

// A machine of its own for every test.
class Devices : public testing::Test {
protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "openipu-test-" + std::to_string(::getpid());
    ::setenv("OPENIPU_RUNTIME_DIR", directory_.c_str(), 1);
    ::setenv("OPENIPU_NUM_IPUS", "2", 1);
  }
  void TearDown() override {
    for (const char *name : {"OPENIPU_RUNTIME_DIR", "OPENIPU_NUM_IPUS", "POPLAR_TARGET_OPTIONS"})
      ::unsetenv(name);
    std::filesystem::remove_all(directory_);
  }
  std::string directory_;
  template <class Error> static std::string textOf(const Wanted &wanted) {
    try {
      acquire(wanted);
    } catch (const Error &e) {
      return e.what();
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
  }
};

TEST_F(Devices, SaysWhetherThereAreNoneOrNoneFree) {
  const auto both = acquire({.ipus = 2});
  EXPECT_TRUE(both->isAttached());
  EXPECT_EQ(textOf<InUse>({.ipus = 1}),
            "All of the 2 devices with 1 IPU(s) are in use: gc-monitor shows by whom.");
  EXPECT_EQ(textOf<Unavailable>({.ipus = 4}),
            "No device found on the system with 4 IPUs. OPENIPU_NUM_IPUS says how many are "
            "simulated, and gc-info -l lists the devices.");
  EXPECT_EQ(textOf<InUse>({.id = 0}), "It is in use: gc-monitor shows by whom.");
  EXPECT_NE(textOf<Unavailable>({.id = 99}).find("There is no device 99"), std::string::npos);
}

TEST_F(Devices, ADeviceOfAnIdMustBeLargeEnough) {
  EXPECT_EQ(textOf<Unavailable>({.ipus = 2, .id = 0}),
            "The device with id 0 has 1 IPU(s), but the model needs 2.");
  EXPECT_TRUE(acquire({.id = 0})->isAttached()) << "the refused one must have been let go";
}

TEST_F(Devices, AWrongEnvironmentIsNoLackOfDevices) {
  ::setenv("POPLAR_TARGET_OPTIONS", R"({"backend":"nope"})", 1);
  for (const Wanted &wanted : {Wanted{.ipus = 1}, Wanted{.id = 0}})
    try {
      acquire(wanted);
      ADD_FAILURE();
    } catch (const poplar::poplar_error &e) {
      EXPECT_NE(std::string(e.what()).find("Target option \"backend\""), std::string::npos);
    }
}

TEST_F(Devices, OthersMakeRoomInTheirOrderUntilItIsEnough) {
  auto first = acquire({}), second = acquire({});
  std::string asked;
  const auto a = Sharing::add([&] { asked += "a"; });
  const auto b = Sharing::add([&] { asked += "b", first->detach(); });
  const auto c = Sharing::add([&] { asked += "c", second->detach(); });
  const auto third = acquire({});
  EXPECT_EQ(asked, "ab");
  EXPECT_THROW(attach(*first), InUse) << "the third has it, and does not share";
  EXPECT_EQ(asked, "ababc");
  for (const auto member : {a, b, c})
    Sharing::remove(member);
  third->detach();
  attach(*first);
  EXPECT_EQ(asked, "ababc");
}

TEST_F(Devices, OnDemandEverybodyGetsAnotherOneThatIsFree) {
  const Wanted wanted{.connection = popart::DeviceConnectionType::OnDemand};
  const auto first = acquire(wanted), second = acquire(wanted);
  EXPECT_FALSE(first->isAttached());
  EXPECT_NE(first->getId(), second->getId());
  ASSERT_TRUE(first->attach());
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(acquire(wanted)->getId(), second->getId());
}

TEST_F(Devices, ModelsHaveAllTilesOfTheirIpu) {
  EXPECT_EQ(ipuModel(2)->getTilesPerIPU(), 1472);
  EXPECT_EQ(ipuModel(1, "ipu1")->getTilesPerIPU(), 1216);
  EXPECT_EQ(ipuModel(1, "ipu2", 4)->getTilesPerIPU(), 4);
  EXPECT_EQ(offline(4)->getNumIpus(), 4);
}

TEST(Environment, VariablesThatSayYes) {
  for (const auto &[value, on] : {std::pair("", false), {"0", false}, {"1", true}, {"no", true}}) {
    ::setenv("OPENIPU_TEST_FLAG", value, 1);
    EXPECT_EQ(isOn("OPENIPU_TEST_FLAG"), on) << value;
  }
  ::unsetenv("OPENIPU_TEST_FLAG");
  EXPECT_FALSE(isOn("OPENIPU_TEST_FLAG"));
}

} // namespace
} // namespace frontend
