// SPDX-License-Identifier: MIT
// Figures that the tools give are those of the model.
#include "Tools.hpp"

using namespace tools;

namespace {

struct Traffic : Tools {
  Traffic() { set("OPENIPU_CACHE_DIR", scratch.folder("cache")); }
  static double figure(const nlohmann::json &json, const char *key) {
    return std::stod(json[key].get<std::string>());
  }
};

} // namespace

TEST_F(Traffic, BetweenIpusIsNoFasterThanTheLinks) {
  set("OPENIPU_CHIP", scratch.write("small.chip", "base = ipu2\nname = small\ntiles = 12\n"));
  const auto result = json("gc-iputraffictest --device0 0 --device1 1 -i 10 -j")["tile_to_tile"];
  EXPECT_EQ(result["errors"], "0");
  EXPECT_GT(figure(result, "gbps"), 10);
  EXPECT_LT(figure(result, "gbps"), 2 * 8 * 160) << "10 links of 32 GB/s in both directions";
  EXPECT_EQ(result["boards"]["0000.0002.0000001"]["device_ids"].size(), 2u);
  EXPECT_EQ(run("gc-iputraffictest --device0 1 --device1 1").status, 1);
  EXPECT_EQ(run("gc-iputraffictest --device0 1 --device1 9").status, 1);
}

TEST_F(Traffic, SoaksEveryLink) {
  set("OPENIPU_CHIP", scratch.write("small.chip", "base = ipu2\nname = small\ntiles = 12\n"));
  const auto all = json("gc-iputraffictest --all-links -i 2 -j")["all_links"];
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1]["device1"], "2");
  const double board =
      figure(all[1]["boards"]["0000.0002.0000001"]["power_sensors"], "XDPE132G5C:0");
  EXPECT_GT(board, 2 * 40) << "two IPUs that draw at least what idle ones do";
  EXPECT_GT(figure(all[1], "power"), 1.9 * board) << "IPUs 0 and 2 stand on two boards";
  EXPECT_EQ(run("gc-iputraffictest --forever -j").status, 1);
  const auto soak = scratch.file("soak");
  const auto text = output("gc-iputraffictest --forever --all-links -i 1 > " + soak +
                           " & pid=$!; until [ \"$(wc -l < " + soak +
                           ")\" -gt 8 ]; do :; done; kill -INT $pid; wait $pid; tail -1 " + soak);
  EXPECT_EQ(text, "o Result - Pass\n");
}

TEST_F(Traffic, GoesThereAndBackOrStaysOnOneIpu) {
  set("OPENIPU_NUM_IPUS", "2");
  set("OPENIPU_CHIP", scratch.write("small.chip", "base = ipu2\nname = small\ntiles = 12\n"));
  const auto seconds = [&](const std::string &options) {
    const auto result = json("gc-iputraffictest -i 2 -j " + options)["tile_to_tile"];
    EXPECT_EQ(result["errors"], "0") << options;
    return figure(result, "duration_sec");
  };
  const double once = seconds("");
  EXPECT_NEAR(seconds("--loopback"), 2 * once, 0.2 * once);
  EXPECT_GT(seconds("--high-power"), once);
  EXPECT_LT(seconds("--single-ipu"), once) << "an exchange is faster than links";
  EXPECT_TRUE(
      has(output("gc-iputraffictest --single-ipu --device0 1 -i 1"), "o Halves of IPU 1: "));
  EXPECT_EQ(run("gc-iputraffictest --single-ipu --all-links").status, 1);
}

TEST_F(Traffic, WithTheHostHasFourPatterns) {
  const auto result = json("gc-hosttraffictest -i 100 -j");
  EXPECT_EQ(result["configuration"]["tiles_per_ipu"], "32");
  EXPECT_EQ(result["repeat_0"].size(), 4u);
  EXPECT_GT(figure(result["repeat_0"]["host_to_buffer_to_tile"], "host_transfer_speed_gbps"), 0);
  EXPECT_TRUE(has(output("gc-hosttraffictest -i 10"), "host <- buffer <- tile"));
}

TEST_F(Traffic, SyncsWithTheHostTakeTime) {
  const auto few = json("gc-hostsynclatencytest --mark-count 100 -j");
  EXPECT_EQ(few["result"], "pass");
  EXPECT_GT(figure(few, "time_to_sync_us"), 0);
  EXPECT_TRUE(has(output("gc-hostsynclatencytest --mark-count 10 -m posted"),
                  "o Using sync mode: Posted, HSP: hsp1\n  - Issuing 10 syncs, each followed by 32 "
                  "delay instructions of 5 cycles\no Loading binary on all tiles... done\n"));
  set("OPENIPU_NUM_IPUS", "4");
  const auto split = json("gc-hostsynclatencytest -d 6 --mark-count 10 --split-increment 3 -j");
  EXPECT_EQ(split["split_increments"], "3");
  EXPECT_EQ(split["splits"].size(), 2u);
  EXPECT_EQ(split["splits"]["4"], split["time_to_sync_us"]);
}

TEST_F(Traffic, FlopsStayBelowThePeak) {
  const auto half = json("gc-flops --size 512 -j"), single = json("gc-flops --size 512 -p FP32 -j");
  EXPECT_LT(figure(half, "teraflops"), 250);
  EXPECT_GT(figure(half, "teraflops"), figure(single, "teraflops"));
  EXPECT_GT(figure(json("gc-flops --size 512 -p FP8 -j"), "teraflops"),
            figure(single, "teraflops"));
  EXPECT_TRUE(has(output("gc-flops --size 256"), "IPU clock speed: 1330 MHz\n"));
  EXPECT_EQ(run("gc-flops -l").status, 1);
}
