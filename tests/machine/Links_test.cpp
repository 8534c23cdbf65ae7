// SPDX-License-Identifier: MIT
// Tools for links, gateways and power, on a chip of few tiles and racks of four.
#include "machine/State.hpp"
#include "Tools.hpp"
#include <csignal>

using namespace tools;

namespace {

struct Links : Tools {
  Links() {
    chip = scratch.write("small.chip",
                         "base = ipu2\nname = small\ntiles = 12\nlinks.ipusPerDomain = 4\n");
    set("OPENIPU_CHIP", chip);
    set("OPENIPU_CACHE_DIR", scratch.folder("cache"));
  }
  // A fixed partition in two racks.
  void fixed(unsigned gcds) {
    set("OPENIPU_NUM_IPUS", "8");
    machine::Partition fixed;
    fixed.name = "wide";
    fixed.chip = chip;
    fixed.reconfigurable = false;
    fixed.syncType = "pod-native-default";
    fixed.gcds = gcds;
    machine::changeState([&](machine::State &state) { state.partitions = {{fixed, 0, 8}}; });
    for (const char *name : {"OPENIPU_NUM_IPUS", "OPENIPU_CHIP"})
      ::unsetenv(name);
  }
  std::string chip;
};

const char *softError =
    R"({"simulateSOCError.errorList":"IPUSOFTERR","simulateSOCError.triggerCount":"2"})";

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++n;
  return n;
}

} // namespace

TEST_F(Links, GcLinksTestsEveryChannelBetweenNeighbours) {
  const auto all = json("gc-links -j --arrays");
  EXPECT_EQ(all["num ipus"], "4");
  EXPECT_EQ(all["training fails"], "0");
  EXPECT_EQ(all["overall result"], "passed");
  const auto &pairs = all["ipu to ipu"];
  ASSERT_EQ(pairs.size(), 4u); // two rungs, two rails
  EXPECT_EQ(pairs[0]["from pcie id"], "0");
  EXPECT_EQ(pairs[0]["to pcie id"], "1");
  EXPECT_EQ(pairs[0]["channel"].size(), 2u);
  EXPECT_EQ(pairs[0]["channel"][0].dump(),
            R"({"from":"NLC_E_0A","gen":"4","lanes":"8","status":"passed","to":"NLC_W_0A"})");
}

TEST_F(Links, GcLinksRepeatsKeysAsTheOriginal) {
  const auto text = output("gc-links -j -d 4");
  EXPECT_EQ(count(text, "\"ipu to ipu\": {"), 1u);
  EXPECT_EQ(count(text, "\"channel\": {"), 2u);
  EXPECT_TRUE(has(output("gc-links"), "      NLC_E_0A -> NLC_W_0A: passed, gen 4, 8 lanes\n"));
}

TEST_F(Links, GcLinksClosesTheRailsOfARack) {
  ::unsetenv("OPENIPU_CHIP");
  set("OPENIPU_CHIP", scratch.write("eight.chip", "base = ipu2\nname = eight\ntiles = 4\n"
                                                  "links.ipusPerDomain = 8\n"));
  set("OPENIPU_NUM_IPUS", "8");
  const auto torus = json("gc-links -j --arrays")["ipu to ipu"];
  EXPECT_EQ(torus.size(), 4u + 8u);
  unsigned closing = 0;
  for (const auto &pair : torus)
    if (pair["to pcie id"] == "6" && pair["from pcie id"] == "0") {
      EXPECT_EQ(pair["channel"][0]["from"], "NLC_W_1A");
      ++closing;
    }
  EXPECT_EQ(closing, 1u);
}

TEST_F(Links, GcLinksNamesWhatFailed) {
  set("GCDA_OPTIONS", softError);
  const auto result = run("gc-links -j --arrays");
  EXPECT_EQ(result.status, 1);
  const auto all = nlohmann::json::parse(result.out);
  EXPECT_EQ(all["overall result"], "failed");
  EXPECT_EQ(all["training fails"], "6"); // the second pair and all after it
  EXPECT_EQ(all["ipu to ipu"][0]["channel"][0]["status"], "passed");
  EXPECT_EQ(all["ipu to ipu"][1]["channel"][0]["status"], "failed");
  EXPECT_EQ(all["ipu to ipu"][1]["channel"][0]["gen"], "0");
  EXPECT_EQ(all["ipu to ipu"][1]["channel"][0]["lanes"], "0");
  EXPECT_TRUE(has(all["error"], "IPUSOFTERR"));
  EXPECT_EQ(run("gc-links -d 0").out, "gc-links: device 0 is one IPU and has no links to another. "
                                      "Give the id of a device with several; gc-info -l lists "
                                      "them.\n");
}

TEST_F(Links, GcPowertestPrintsALinePerSample) {
  const auto text = output("gc-powertest -n 2 --interval 0.01 --size 64");
  EXPECT_TRUE(has(text, "simulated"));
  EXPECT_TRUE(has(text, "\n |              CARD LEVEL          |  IPU#1  |\n XDPE132G5C | B_COL0:1 "
                        "B_COL1:1 B_IN:1 B_MID:1 B_OUT:1 | 1:PVT0 1:PVT1 1:PVT2 1:PVTE CLOCK\n"));
  EXPECT_EQ(count(text, "\n | 0001: 0"), 1u);
  EXPECT_EQ(count(text, "\n | 0002: 0"), 1u);
  EXPECT_EQ(count(text, "1330MHz |\n"), 2u);
  const auto card =
      json("gc-powertest -n 1 --interval 0.01 --size 64 -j")["samples"][0]["cards"][0];
  EXPECT_EQ(card["ipus"].size(), 2u);
  EXPECT_GT(std::stod(card["ipus"][1]["ipu power"].get<std::string>()),
            std::stod(card["ipus"][0]["ipu power"].get<std::string>()))
      << "the tested IPU draws more than its idle neighbour";
}

TEST_F(Links, GcPowertestEndsWhenItIsInterrupted) {
  const auto text = output("gc-powertest --interval 0.01 --size 64 & pid=$!; "
                           "until " TOOLS "gc-info -d 0 | grep -q 'user process id'; do :; done; "
                           "kill -INT $pid; wait $pid");
  EXPECT_TRUE(has(text, "o Result - Pass\n")) << text;
  EXPECT_EQ(run("gc-powertest -j").status, 1);
}

TEST_F(Links, GcPowertestFailsAsHardwareWould) {
  set("GCDA_OPTIONS", softError);
  const auto result = run("gc-powertest -n 1000 --interval 0.01 --size 64");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(has(result.out, "IPUSOFTERR")) << result.out;
  EXPECT_TRUE(has(result.out, "o Result - Fail\n")) << result.out;
}

TEST_F(Links, GcGwlinkstraffictestCrossesRacks) {
  fixed(1);
  const auto all = json("gc-gwlinkstraffictest -i 10 -j")["gw_links"];
  EXPECT_EQ(all["num_ilds"], "2");
  EXPECT_EQ(all["ipu_pairs"], "4");
  EXPECT_EQ(all["errors"], "0");
  const double gbps = std::stod(all["gbps"].get<std::string>());
  EXPECT_GT(gbps, 10);
  EXPECT_LT(gbps, 2 * 200) << "two gateways of 200 Gbit/s, one in each rack";
  const auto one = json("gc-gwlinkstraffictest -i 10 --single-ipu 5 -j")["gw_links"];
  EXPECT_EQ(one["ipu_pairs"], "1");
  EXPECT_EQ(one["kbytes_transferred"], std::to_string(10 * 2 * 12 * 4));
  EXPECT_TRUE(has(output("gc-gwlinkstraffictest -i 10 -v"), "o Errors: 0\no Result - Pass\n"));
  EXPECT_EQ(run("gc-gwlinkstraffictest --single-ipu 8").out,
            "gc-gwlinkstraffictest: partition wide has no IPU 8: they are 0 to 7.\n");
}

TEST_F(Links, GcGwlinkstraffictestSaysWhatItNeeds) {
  EXPECT_TRUE(has(run("gc-gwlinkstraffictest").out, "partition ipuof is reconfigurable"));
  fixed(2);
  EXPECT_TRUE(has(run("gc-gwlinkstraffictest").out, "partition wide has 2 GCDs"));
  fixed(1);
  set("GCDA_OPTIONS", R"({"simulateSOCError.errorList":"IPUSOFTERR",)"
                      R"("simulateSOCError.triggerCount":"1"})");
  const auto result = run("gc-gwlinkstraffictest -i 10");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(has(result.out, "o Result - Fail\n")) << result.out;
}
