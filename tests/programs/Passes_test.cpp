// SPDX-License-Identifier: MIT
// What users may ask of the compiler's passes by environment variables.
#include "base/testing/Variable.hpp"
#include "Programs.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;
using namespace programs;

namespace {

using base::testing::Variable;

// a goes through b, c and d, of which two can have the same place, and back to the host.
std::vector<float> copied() {
  auto device = smallModel();
  Graph graph(device);
  std::vector<Tensor> chain;
  Sequence program;
  for (const char *name : {"a", "b", "c", "d", "e"}) {
    auto next = graph.addVariable(FLOAT, {8}, name);
    graph.setTileMapping(next, unsigned(chain.size() % 4));
    if (!chain.empty())
      program.add(Copy(chain.back().reverse(0), next));
    chain.push_back(next);
  }
  graph.createHostWrite("a", chain.front());
  graph.createHostRead("e", chain.back());
  Engine engine(graph, program);
  engine.load(device);
  const auto in = iota<float>(8);
  engine.writeTensor("a", in.data(), in.data() + in.size());
  engine.run();
  return read<float>(engine, "e", 8);
}

std::string refusal() {
  try {
    copied();
  } catch (const invalid_option &e) {
    return e.what();
  }
  return "accepted";
}

} // namespace

TEST(Passes, SharingStorageCanBeLeftOut) {
  const Variable skip("OPENIPU_POPLAR_SKIP_PASSES", "share storage");
  EXPECT_EQ(copied(), iota<float>(8)); // turned round four times
}

TEST(Passes, WhatOthersRelyOnAndUnknownNamesAreRefused) {
  {
    const Variable skip("OPENIPU_POPLAR_SKIP_PASSES", "verify");
    EXPECT_EQ(refusal(),
              "OPENIPU_POPLAR_SKIP_PASSES: the pass \"verify\" cannot be left out: what follows "
              "relies on it (every element and vertex has a tile, every edge is connected, nobody "
              "writes what another touches). Those that can are [share storage].");
  }
  const Variable dump("OPENIPU_POPLAR_DUMP_PASSES", "time step");
  EXPECT_EQ(refusal(),
            "OPENIPU_POPLAR_DUMP_PASSES: there is no pass \"time step\". Did you mean \"time "
            "steps\"? The passes are [lower, verify, plan exchange, find liveness, lay out memory, "
            "time steps, bind storage, share storage].");
}

TEST(Passes, TextBeforeAndAfterGoesToFiles) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("openipu-passes-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  const Variable dump("OPENIPU_POPLAR_DUMP_PASSES", "all"),
      where("OPENIPU_DUMP_DIR", folder.string());
  EXPECT_THROW(copied(), poplar_error); // there is no such folder
  std::filesystem::create_directory(folder);
  copied();
  unsigned files = 0;
  std::string texts[2];
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    for (int i : {0, 1})
      if (entry.path().string().ends_with(i ? "02-verify.after.txt" : "01-lower.before.txt")) {
        std::ifstream in(entry.path());
        texts[i].assign(std::istreambuf_iterator<char>(in), {});
      }
  }
  EXPECT_EQ(files, 16u);
  EXPECT_EQ(texts[0], "variables:\n");
  EXPECT_NE(texts[1].find("v1 \"b\" float[8] on tile 1: 0-7\n"), std::string::npos) << texts[1];
  EXPECT_NE(texts[1].find("Copy v0+7 -> v1 {8: -1, 1}"), std::string::npos) << texts[1];
  std::filesystem::remove_all(folder);
}

TEST(Passes, ImagesAreCheckedAfterEachPassIfAskedFor) {
  const Variable check("OPENIPU_CHECK_PASSES", "1");
  EXPECT_EQ(copied(), iota<float>(8));
}
