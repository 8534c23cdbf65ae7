// SPDX-License-Identifier: MIT
#include "machine/State.hpp"
#include "Tools.hpp"

using namespace tools;

namespace {

// Every leaf of what a tool prints as JSON is a text.
void expectTexts(const nlohmann::json &json) {
  if (json.is_structured())
    for (const auto &item : json)
      expectTexts(item);
  else
    EXPECT_TRUE(json.is_string()) << json;
}

} // namespace

TEST_F(Tools, GcInfoListsSinglesThenGroups) {
  EXPECT_EQ(output("gc-info -l"),
            "Graphcore device listing:\n"
            "Partition: ipuof [active]\n"
            "-+- Id: [0], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [3]\n"
            "-+- Id: [1], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [2]\n"
            "-+- Id: [2], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [1]\n"
            "-+- Id: [3], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [0]\n"
            "-+- Id: [4], target: [Multi IPU]\n"
            " |--- Id: [0], DNC Id: [0], IPU-M host: [127.0.1.1], IPU#: [3]\n"
            " |--- Id: [1], DNC Id: [1], IPU-M host: [127.0.1.1], IPU#: [2]\n"
            "-+- Id: [5], target: [Multi IPU]\n"
            " |--- Id: [2], DNC Id: [0], IPU-M host: [127.0.1.1], IPU#: [1]\n"
            " |--- Id: [3], DNC Id: [1], IPU-M host: [127.0.1.1], IPU#: [0]\n"
            "-+- Id: [6], target: [Multi IPU]\n"
            " |--- Id: [0], DNC Id: [0], IPU-M host: [127.0.1.1], IPU#: [3]\n"
            " |--- Id: [1], DNC Id: [1], IPU-M host: [127.0.1.1], IPU#: [2]\n"
            " |--- Id: [2], DNC Id: [2], IPU-M host: [127.0.1.1], IPU#: [1]\n"
            " |--- Id: [3], DNC Id: [3], IPU-M host: [127.0.1.1], IPU#: [0]\n");
  EXPECT_EQ(run("gc-info -l && " TOOLS "gc-monitor").status, 0);
  expectTexts(json("gc-info -l -j"));
}

TEST_F(Tools, GcInfoAlignsIdsOfLargerPartitions) {
  set("OPENIPU_NUM_IPUS", "16");
  const auto text = output("gc-info --list-devices");
  EXPECT_TRUE(has(text, "\n-+- Id:  [0], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [3]\n"));
  EXPECT_TRUE(has(text, "\n-+- Id: [16], target: [Multi IPU]\n |--- Id:  [0], DNC Id: [0], "));
  EXPECT_TRUE(has(text, "\n-+- Id: [30], target: [Multi IPU]\n"));
}

TEST_F(Tools, GcInfoShowsANamedMachine) {
  ::unsetenv("OPENIPU_NUM_IPUS");
  set("OPENIPU_MACHINE", "bow-2000");
  const auto text = output("gc-info -l");
  EXPECT_TRUE(has(text, "Partition: bow-2000 [active]\n")) << text;
  EXPECT_TRUE(has(text, "-+- Id: [3], target: [Fabric]")) << text;
  EXPECT_FALSE(has(text, "Id: [4], target: [Fabric]")) << text;
  EXPECT_TRUE(has(output("gc-info -i -d 0"), "BOW-2000"));
  set("OPENIPU_MACHINE", "bow-200");
  const auto failed = run("gc-info -l");
  EXPECT_EQ(failed.status, 1);
  EXPECT_TRUE(has(failed.out, "Did you mean \"bow-2000\"")) << failed.out;
}

TEST_F(Tools, GcInfoShowsCardsAsPcie) {
  set("OPENIPU_IPU", "ipu1");
  const auto text = output("gc-info -l");
  EXPECT_TRUE(has(text, "-+- Id: [0], type:      [PCIe], PCI Domain: [0000:01:00.0]\n"));
  EXPECT_TRUE(has(text, "-+- Id: [4], type: [Multi IPU]\n"
                        " |--- PCIe Id: [0], DNC Id: [0], PCI Domain: [0000:01:00.0]\n"));
}

TEST_F(Tools, GcInfoListsAllPartitionsWithIdsThatCountOn) {
  machine::changeState([](machine::State &state) {
    machine::Partition fixed;
    fixed.name = "fixed";
    fixed.reconfigurable = false;
    state.partitions = {{machine::Partition(), 0, 2}, {fixed, 2, 2}};
  });
  ::unsetenv("OPENIPU_NUM_IPUS");
  EXPECT_EQ(output("gc-info -l --all-partitions"),
            "Graphcore device listing:\n"
            "Partition: ipuof [active]\n"
            "-+- Id: [0], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [3]\n"
            "-+- Id: [1], target: [Fabric], IPU-M host: [127.0.1.1], IPU#: [2]\n"
            "-+- Id: [2], target: [Multi IPU]\n"
            " |--- Id: [0], DNC Id: [0], IPU-M host: [127.0.1.1], IPU#: [3]\n"
            " |--- Id: [1], DNC Id: [1], IPU-M host: [127.0.1.1], IPU#: [2]\n"
            "Partition: fixed\n"
            "-+- Id: [3], target: [Multi IPU]\n"
            " |--- Id: [3], DNC Id: [0], IPU-M host: [127.0.1.1], IPU#: [1]\n"
            " |--- Id: [4], DNC Id: [1], IPU-M host: [127.0.1.1], IPU#: [0]\n");
  EXPECT_FALSE(has(output("gc-info -l"), "fixed"));
}

TEST_F(Tools, GcInfoShowsTheAttributesOfADevice) {
  const auto text = output("gc-info");
  EXPECT_EQ(text, output("gc-info -d 0 -i"));
  EXPECT_EQ(text.substr(0, 13), "Device Info:\n");
  for (const char *line :
       {"  id: 0\n", "  target: Fabric\n", "  board type: M2000\n", "  ipu architecture: ipu2\n",
        "  clock: 1330MHz\n", "  remote buffers supported: 1\n", "  ipu utilisation: 0.00%\n"})
    EXPECT_TRUE(has(text, line)) << line;
  EXPECT_FALSE(has(text, "user process id"));
  machine::Lease lease({0});
  ASSERT_TRUE(lease.acquire());
  EXPECT_EQ(json("gc-info -i -j")["user process id"], std::to_string(::getpid()));
  expectTexts(json("gc-info -d 6 -j"));
}

TEST_F(Tools, GcInfoPrintsSingleValuesForScripts) {
  EXPECT_EQ(output("gc-info --ipu-count"), "4\n");
  EXPECT_EQ(output("gc-info --ipu-arch"), "ipu2\n");
  set("OPENIPU_IPU", "bow");
  EXPECT_EQ(output("gc-info --tile-clock-speed"), "1850MHz\n");
}

TEST_F(Tools, GcInfoDrawsTheTilesOfAFreeDevice) {
  const auto text = output("gc-info --tile-overview");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 23 + 1);
  EXPECT_TRUE(has(text, "\n  0 :::: :::: "));
  EXPECT_TRUE(has(text, "\n 22 :::: :::: "));
  machine::Lease lease({0});
  ASSERT_TRUE(lease.acquire());
  const auto busy = run("gc-info --tile-overview");
  EXPECT_EQ(busy.status, 1);
  EXPECT_TRUE(has(busy.out, "is in use by process " + std::to_string(::getpid())));
}

TEST_F(Tools, RefuseWhatIsNotThere) {
  const auto info = run("gc-info -d 7");
  EXPECT_EQ(info.status, 1);
  EXPECT_EQ(info.out, "gc-info: there is no device 7 in partition ipuof: its ids are 0 to 6. "
                      "gc-info -l lists them.\n");
  EXPECT_EQ(run("gc-info -d x").status, 2);
  EXPECT_EQ(run("gc-info --listen").status, 2);
  EXPECT_EQ(run("gc-info -l > /dev/full").status, 1);
  const auto registers = run("gc-info --tile-status 3");
  EXPECT_EQ(registers.status, 1);
  EXPECT_TRUE(has(registers.out, "--tile-status: a simulated IPU has no registers"));
  set("OPENIPU_CHIP", "/nowhere.chip");
  EXPECT_EQ(run("gc-info").out,
            "gc-info: \"/nowhere.chip\": it is not a file with the description of a chip.\n");
  ::unsetenv("OPENIPU_CHIP");
  set("IPUOF_CONFIG_PATH", "/nowhere");
  for (const char *tool : {"gc-info", "gc-monitor", "gc-inventory", "gc-reset"}) {
    EXPECT_EQ(run(tool).status, 1) << tool;
    EXPECT_TRUE(has(run(tool).out, "IPUOF_CONFIG_PATH names \"/nowhere\"")) << tool;
    EXPECT_EQ(run(std::string(tool) + " --help").status, 0) << tool;
    EXPECT_TRUE(has(output(std::string(tool) + " --version"), tool));
  }
}

TEST_F(Tools, GcInventoryShowsEveryDevice) {
  const auto text = output("gc-inventory");
  EXPECT_EQ(text.substr(0, 8), "Device:\n");
  EXPECT_TRUE(has(text, "  board serial number: 0000.0002.0000001\n"));
  const auto all = json("gc-inventory -j");
  EXPECT_EQ(all["devices"].size(), 7u);
  EXPECT_EQ(all["devices"][6]["id"], "6");
  expectTexts(all);
}

TEST_F(Tools, GcResetRefusesADeviceThatIsInUse) {
  EXPECT_EQ(output("gc-reset -d 4"), "Device 4 was reset (2 IPUs).\n");
  machine::Lease lease({1});
  ASSERT_TRUE(lease.acquire());
  const auto busy = run("gc-reset -d 4");
  EXPECT_EQ(busy.status, 1);
  EXPECT_TRUE(
      has(busy.out, "gc-reset: device 4 is in use by process " + std::to_string(::getpid())));
  EXPECT_EQ(machine::holderOf(1)->processId, long(::getpid()));
  EXPECT_EQ(run("gc-reset -d 5").status, 0);
}

TEST_F(Tools, GcResetClearsTheErrorState) {
  machine::setErrorState({2}, "IPUSOFTERR");
  EXPECT_EQ(json("gc-info -d 2 -j")["ipu error state"], "IPUSOFTERR");
  EXPECT_EQ(run("gc-reset -d 6").status, 0);
  EXPECT_EQ(json("gc-info -d 2 -j")["ipu error state"], "no errors");
}
