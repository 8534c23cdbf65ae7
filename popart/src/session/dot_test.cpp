// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "opdef/graphbuilder.hpp"
#include "session/dot.hpp"
#include <filesystem>
#include <gtest/gtest.h>
#include <popart/error.hpp>
#include <unistd.h>

using namespace popart;
using namespace popart::session;

namespace {

ir::Graph twoNodes() {
  ir::Graph graph;
  ops::GraphBuilder b(graph);
  const auto x = graph.addStream("x", {DataType::FLOAT, {2, 3}});
  b.op("Relu", {b.op("Neg", {x})});
  return graph;
}

TEST(Dot, ShowsNodesAndWhatFlowsBetweenThem) {
  const auto text = dotText(twoNodes(), 0, 10000, false);
  EXPECT_NE(text.find("n1 [shape=box, color=blue, label=\"Relu"), std::string::npos) << text;
  EXPECT_NE(text.find("\"x\" -> n0 [label=\"x\nFLOAT [2,3]\"]"), std::string::npos) << text;
  EXPECT_NE(text.find("n0 -> n1"), std::string::npos) << text;
  const auto part = dotText(twoNodes(), 1, 10000, true);
  EXPECT_EQ(part.find("n0 ->"), std::string::npos) << part;
}

TEST(Dot, FilesAppearForTheChecksThatAreAskedFor) {
  const auto folder = std::filesystem::temp_directory_path() / base::str("dot", getpid());
  std::filesystem::create_directories(folder);
  SessionOptions options;
  options.logDir = folder.string();
  options.dotChecks = {"FWD0"};
  writeDot(twoNodes(), options, DotCheck::Fwd0);
  writeDot(twoNodes(), options, DotCheck::Final);
  EXPECT_TRUE(std::filesystem::exists(folder / "fwd0.dot"));
  EXPECT_FALSE(std::filesystem::exists(folder / "final.dot"));
  std::filesystem::remove_all(folder);
  EXPECT_THROW(writeDot(twoNodes(), options, DotCheck::Fwd0), error);
  options.dotChecks = {"nowhere"};
  EXPECT_THROW(checkDotOptions(options), error);
}

} // namespace
