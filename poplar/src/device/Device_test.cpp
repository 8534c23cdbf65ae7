// SPDX-License-Identifier: MIT
#include "base/testing/Child.hpp"
#include "machine/Lease.hpp"
#include "poplar/DeviceManager.hpp"
#include "poplar/exceptions.hpp"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace poplar {
namespace {

// A machine of its own for every test.
class Devices : public testing::Test {
protected:
  void SetUp() override {
    directory_ = testing::TempDir() + "openipu-test-" + std::to_string(::getpid());
    ::setenv("OPENIPU_RUNTIME_DIR", directory_.c_str(), 1);
    ::setenv("OPENIPU_NUM_IPUS", "4", 1);
  }
  void TearDown() override {
    for (const char *name :
         {"OPENIPU_RUNTIME_DIR", "OPENIPU_NUM_IPUS", "OPENIPU_IPU", "OPENIPU_CHIP"})
      ::unsetenv(name);
    std::filesystem::remove_all(directory_);
  }
  std::string directory_;
  DeviceManager manager_;
};

TEST_F(Devices, AreNumberedSinglesFirstThenAlignedGroups) {
  EXPECT_EQ(manager_.getNumDevices(), 7u);
  const auto all = manager_.getDevices();
  std::vector<std::vector<unsigned>> ipus;
  for (const auto &d : all)
    ipus.push_back(d.getDriverIDs());
  EXPECT_EQ(ipus,
            (std::vector<std::vector<unsigned>>{{0}, {1}, {2}, {3}, {0, 1}, {2, 3}, {0, 1, 2, 3}}));
  EXPECT_EQ(manager_.getDevice(5).getTarget().getNumIPUs(), 2u);
  EXPECT_EQ(manager_.getDevice(5).getId(), 5u);
  EXPECT_EQ(manager_.getChildDeviceIds(5), (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(manager_.getChildDeviceIds(6, 2), (std::vector<unsigned>{4, 5}));
  EXPECT_THROW(manager_.getDevice(7), poplar_error);
}

TEST_F(Devices, AreFoundByTypeAndSize) {
  EXPECT_EQ(manager_.getDevices(TargetType::IPU, 2).size(), 2u);
  EXPECT_TRUE(manager_.getDevices(TargetType::IPU, 3).empty());
  EXPECT_TRUE(manager_.getDevices(TargetType::IPU, 8).empty());
  EXPECT_EQ(manager_.getDevices(TargetType::CPU, 1).at(0).getTarget().getTargetType(),
            TargetType::CPU);
  EXPECT_EQ(manager_.getDevices(TargetType::IPU_MODEL, 2).at(0).getTarget().getNumIPUs(), 2u);
  EXPECT_THROW(manager_.getDevices(TargetType::IPU, 1, {{"x", "y"}}), invalid_option);
}

TEST_F(Devices, ExcludeEachOtherWhileAttached) {
  const auto first = manager_.getDevice(1), second = manager_.getDevice(1),
             pair = manager_.getDevice(4);
  EXPECT_TRUE(first.attach());
  EXPECT_TRUE(first.attach());
  EXPECT_FALSE(second.attach());
  EXPECT_FALSE(pair.attach());
  EXPECT_TRUE(manager_.getDevice(0).attach()) << "a failed attach must let go of what it took";
  first.detach();
  EXPECT_FALSE(first.isAttached());
  EXPECT_TRUE(pair.attach());
  EXPECT_FALSE(second.attach());
}

TEST_F(Devices, AreFreedWhenTheObjectDies) {
  {
    auto device = manager_.getDevice(2);
    ASSERT_TRUE(device.attach());
    Device moved = std::move(device);
    EXPECT_TRUE(moved.isAttached());
  }
  EXPECT_TRUE(manager_.getDevice(2).attach());
}

TEST_F(Devices, AreFreedWhenTheHoldersProcessIsKilled) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const auto device = manager_.getDevice(0);
    const char answer = device.attach() ? '1' : '0';
    if (::write(ready[1], &answer, 1) == 1)
      ::pause();
    ::_exit(1);
  }
  char answer = 0;
  ASSERT_EQ(::read(ready[0], &answer, 1), 1);
  EXPECT_EQ(answer, '1');
  const auto device = manager_.getDevice(0);
  EXPECT_FALSE(device.attach());
  EXPECT_EQ(device.getAttribute(IPUAttributes::AttributeId::UserProcessId), std::to_string(child));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(machine::holderOf(0)) << "the record of a dead process counts for nothing";
  EXPECT_TRUE(device.attach());
}

TEST_F(Devices, StayWithTheProcessThatAttachedThem) {
  const auto device = manager_.getDevice(1), other = manager_.getDevice(2);
  ASSERT_TRUE(device.attach());
  // The child has nothing, cannot have it, and takes nothing away when it ends.
  EXPECT_EQ(base::testing::statusOfChild(
                [&] { return !device.isAttached() && !device.attach() && other.attach(); }),
            0);
  EXPECT_TRUE(device.isAttached());
  EXPECT_EQ(machine::holderOf(1)->processId, long(::getpid()));
  EXPECT_FALSE(manager_.getDevice(1).attach());
  EXPECT_TRUE(other.attach());
}

TEST_F(Devices, AreFreeWhenTheirProcessDetachesThoughAChildOfItLivesOn) {
  const auto device = manager_.getDevice(1);
  ASSERT_TRUE(device.attach());
  int end[2];
  ASSERT_EQ(::pipe(end), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    char byte;
    ::close(end[1]);
    ::_exit(::read(end[0], &byte, 1) == 0 ? 0 : 1);
  }
  device.detach();
  EXPECT_TRUE(manager_.getDevice(1).attach());
  ::close(end[1]);
  ::waitpid(child, nullptr, 0);
}

TEST_F(Devices, TellTheirAttributes) {
  const auto device = manager_.getDevice(0);
  EXPECT_THROW(device.hasGateway(), poplar_error) << "not attached";
  ASSERT_TRUE(device.attach());
  unsigned major = 9, minor = 9, point = 9;
  device.getDriverVersion(major, minor, point);
  EXPECT_LT(major, 9u);
  EXPECT_TRUE(device.hasGateway());
  EXPECT_TRUE(device.supportsRemoteBuffers());
  device.reset();
  const auto attributes = device.getAttributes();
  EXPECT_EQ(attributes.at("id"), "0");
  EXPECT_EQ(attributes.at("clock"), "1330MHz");
  EXPECT_EQ(attributes.at("ipu architecture"), "ipu2");
  EXPECT_EQ(attributes.at("board ipu index"), "3");
  EXPECT_EQ(attributes.at("user process id"), std::to_string(::getpid()));
  EXPECT_EQ(device.getAttribute(IPUAttributes::AttributeId::BoardSerialNumber),
            "0000.0002.0000001");
}

TEST_F(Devices, VirtualOnesHaveFewerTilesAndShareTheAttachment) {
  auto device = manager_.getDevice(4);
  const auto virtualDevice = device.createVirtualDevice(8);
  EXPECT_EQ(virtualDevice.getTarget().getNumTiles(), 16u);
  ASSERT_TRUE(virtualDevice.attach());
  EXPECT_TRUE(device.isAttached());
  EXPECT_THROW(device.createVirtualDevice(0), poplar_error);
  EXPECT_THROW(device.createVirtualDevice(1473), poplar_error);
}

TEST_F(Devices, MachineFollowsTheEnvironment) {
  ::setenv("OPENIPU_IPU", "bow", 1);
  EXPECT_EQ(manager_.getDevice(0).getTarget().getTileClockFrequency(), 1.85e9);
  const auto chip = directory_ + ".chip";
  std::ofstream(chip) << "base = ipu2\nname = small\ntiles = 12\n";
  ::setenv("OPENIPU_CHIP", chip.c_str(), 1);
  EXPECT_EQ(manager_.getDevice(4).getTarget().getNumTiles(), 24u);
  std::filesystem::remove(chip);
  for (const char *bad : {"0", "x", "4x", "-1", "5000"}) {
    ::setenv("OPENIPU_NUM_IPUS", bad, 1);
    EXPECT_THROW(manager_.getNumDevices(), invalid_option) << bad;
  }
}

TEST_F(Devices, SayWhenTheRuntimeFolderCannotBeUsed) {
  ::setenv("OPENIPU_RUNTIME_DIR", "/proc/nonexistent/folder", 1);
  EXPECT_THROW(manager_.getDevice(0).attach(), poplar_error);
  ::setenv("OPENIPU_RUNTIME_DIR", "/dev/null", 1);
  EXPECT_THROW(manager_.getDevice(0).attach(), poplar_error);
}

TEST(Device, AnEmptyOneSaysSo) {
  Device none;
  EXPECT_THROW(none.attach(), poplar_error);
  EXPECT_THROW(none.getTarget(), poplar_error);
}

TEST(Device, CpuAndSimulatorDevicesAreAlwaysAttached) {
  EXPECT_TRUE(Device::createCPUDevice().isAttached());
  const auto simulator = Device::createSimulatorDevice(Target::createIPUTarget(1, 4, "ipu2"));
  EXPECT_TRUE(simulator.attach());
  EXPECT_EQ(simulator.getTarget().getTargetType(), TargetType::IPU);
  EXPECT_THROW(Device::createSimulatorDevice(simulator.getTarget(), {{"a", "b"}}), invalid_option);
}

} // namespace
} // namespace poplar
