// SPDX-License-Identifier: MIT
#include "compile/FindLiveness.hpp"
#include "compile/LayOutMemory.hpp"
#include "compile/PlanExchange.hpp"
#include "compile/TestImage.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

const arch::System gc200 = arch::systemOf(arch::chipByName("ipu2"));

struct Laid : TestImage {
  void layOut(bool allow = false) {
    planExchange(image, gc200);
    findLiveness(image);
    layOutMemory(image, gc200, allow);
  }
  const TileMemory &tile(std::uint32_t t) const { return image.memory.tiles.at(t); }
  std::uint64_t on(std::uint32_t t, MemoryCategory c) const {
    return tile(t).category[unsigned(c)];
  }
};

void expectSumsUp(const Image &image) {
  for (const auto &tile : image.memory.tiles) {
    std::uint64_t sum = 0;
    for (auto bytes : tile.category)
      sum += bytes;
    ASSERT_EQ(sum, tile.total());
  }
}

} // namespace

TEST(LayOutMemory, CountsVariablesConstantsStacksStateAndCodeByTile) {
  Laid t;
  auto a = t.variable("a", 100, {0, 1}), c = t.variable("c", 3, {1});
  t.image.variables[c].kind = VariableKind::Constant;
  auto type = t.vertexType("V", {{"a"}, {"c"}});
  auto cs = t.computeSet("cs");
  t.vertex(cs, type, 1, {t.span(a, 50, 75), t.span(c, 0, 3)});
  t.vertex(cs, type, 1, {t.span(a, 75, 100), t.span(c, 0, 3)});
  t.image.programs = {t.execute(cs)};
  t.layOut();
  EXPECT_EQ(t.on(0, MemoryCategory::Variable), 200u);
  EXPECT_EQ(t.on(1, MemoryCategory::Constant), 12u);
  EXPECT_EQ(t.tile(1).gaps, 4u);
  EXPECT_EQ(t.on(7, MemoryCategory::Stack), 6 * 512u + 96u);
  EXPECT_EQ(t.on(1, MemoryCategory::VertexInstanceState), 2 * 16u);
  EXPECT_EQ(t.on(1, MemoryCategory::VertexCode), 100u);
  EXPECT_EQ(t.on(0, MemoryCategory::VertexCode), 0u);
  EXPECT_EQ(t.on(1, MemoryCategory::ControlCode), 624 + 16u); // the runtime's, and its own
  EXPECT_EQ(t.on(5, MemoryCategory::ControlCode), 624u);
  EXPECT_EQ(t.on(5, MemoryCategory::HostExchangeCode), 243u);
  EXPECT_EQ(t.image.memory.vertexBytesByType.at("V"), 32u);
  EXPECT_FALSE(t.image.memory.outOfMemory);
  expectSumsUp(t.image);
}

TEST(LayOutMemory, PointerTablesOfTwoDimensionalFieldsCount) {
  Laid t;
  auto a = t.variable("a", 30, {4});
  auto type =
      t.vertexType("V", {{"rows", FieldDirection::Input, codelet::FieldShape::VectorOfVectors}});
  auto cs = t.computeSet("cs");
  t.vertex(cs, type, 4, {{{{a, 0, 10, 1}}, {{a, 10, 10, 1}}, {{a, 20, 10, 1}}}});
  t.image.programs = {t.execute(cs)};
  t.layOut();
  EXPECT_EQ(t.on(4, MemoryCategory::VertexFieldData), 24u);
}

TEST(LayOutMemory, ShortLivesOverlayEachOther) {
  Laid t;
  auto s = t.variable("s", 100), x = t.variable("x", 1000), y = t.variable("y", 2000),
       d = t.variable("d", 100);
  auto fill = [&](std::uint32_t to, std::uint64_t n) {
    return t.copy(s, 0, to, 0, {{n / 100, 0, 100}, {100, 1, 1}});
  };
  auto useX = t.copy(x, 0, d, 0, {{100, 1, 1}}), useY = t.copy(y, 0, d, 0, {{100, 1, 1}});
  auto fillY = fill(y, 2000);
  t.image.programs = {t.sequence({fill(x, 1000), useX, fillY, useY})};
  t.image.hostReads.push_back({"d", TypeId::Float, 100, {}, t.view(d)});
  t.layOut();
  EXPECT_EQ(t.tile(0).peakNotAlwaysLive, 8000u);
  EXPECT_EQ(t.tile(0).peakStep, fillY);
  EXPECT_EQ(t.on(0, MemoryCategory::Variable), 8000u + 2 * 400u);
  expectSumsUp(t.image);
}

TEST(LayOutMemory, ArrivingMessagesNeedRoom) {
  Laid t;
  auto a = t.variable("a", 100, {0});
  auto type = t.vertexType("V", {{"a"}});
  auto cs = t.computeSet("cs");
  t.vertex(cs, type, 2, {t.span(a, 0, 100)});
  t.image.programs = {t.execute(cs)};
  t.layOut();
  EXPECT_EQ(t.on(2, MemoryCategory::Message), 400u);
  EXPECT_EQ(t.tile(2).peakNotAlwaysLive, 400u);
  EXPECT_EQ(t.on(2, MemoryCategory::InternalExchangeCode), 18u);
  expectSumsUp(t.image);
}

// Halves in the wrong order are copied before and after. While the vertex runs its operand has gone
// and its result has not come; unless the operand is needed later, or not only copied.
TEST(LayOutMemory, WhatIsOnlyCopiedIsNotThereWhileVerticesRun) {
  for (int what : {0, 1, 2}) {
    SCOPED_TRACE(what);
    Laid t;
    auto s = t.variable("s", 1), x = t.variable("x", 1000), y = t.variable("y", 1000);
    auto type = t.vertexType("V", {{"x"}, {"y", FieldDirection::Output}});
    auto cs = t.computeSet("cs");
    auto turned = [](std::uint32_t var) -> TestSlot {
      return {{{var, 500, 500, 1}, {var, 0, 500, 1}}};
    };
    t.vertex(cs, type, 0, {turned(x), turned(y)});
    if (what == 1)
      t.vertex(cs, t.vertexType("W", {{"x"}}), 0, {t.span(x, 0, 10)});
    auto execute = t.execute(cs);
    std::vector<std::uint32_t> steps{t.copy(s, 0, x, 0, {{1000, 0, 1}}), execute, t.print(y)};
    if (what == 2)
      steps.push_back(t.print(x));
    t.image.programs = {t.sequence(steps)};
    t.image.hostWrites.push_back({"s", TypeId::Float, 1, {}, t.view(s)});
    t.layOut();
    EXPECT_EQ(t.tile(0).peakNotAlwaysLive, what ? 12000u : 8000u);
    EXPECT_EQ(t.tile(0).peakStep, execute);
    expectSumsUp(t.image);
  }
}

namespace {
std::uint32_t kernel(Laid &t, std::vector<openipu::Superstep> steps) {
  auto plan = std::make_shared<openipu::Plan>();
  plan->steps = std::move(steps);
  step::Kernel kernel;
  kernel.plan = std::move(plan);
  return t.put(std::move(kernel));
}
openipu::Superstep superstep(std::uint64_t bytesIn, std::uint64_t tempBytes, unsigned repeats = 1) {
  openipu::TileWork work;
  work.tile = 3;
  work.cycles = 10;
  work.bytesIn = bytesIn;
  work.tempBytes = tempBytes;
  openipu::Superstep step;
  step.name = "Part";
  step.tiles = {work};
  step.repeats = repeats;
  return step;
}
} // namespace

TEST(LayOutMemory, SlicesInTurnUseOneBuffer) {
  Laid t;
  t.image.programs = {kernel(t, {superstep(1000, 500, 8)})};
  t.layOut();
  EXPECT_EQ(t.on(3, MemoryCategory::Message), 1000u);
  EXPECT_EQ(t.on(3, MemoryCategory::Rearrangement), 500u);
  EXPECT_EQ(t.tile(3).peakNotAlwaysLive, 1500u);
  expectSumsUp(t.image);
}

TEST(LayOutMemory, TheLargestPartOfAnOperatorCountsAndNotTheSumOfAll) {
  Laid t;
  t.image.programs = {kernel(t, {superstep(1000, 100), superstep(40, 900), superstep(500, 501)})};
  t.layOut();
  EXPECT_EQ(t.tile(3).peakNotAlwaysLive, 1100u);
  EXPECT_EQ(t.on(3, MemoryCategory::Message), 1000u);
  expectSumsUp(t.image);
}

TEST(LayOutMemory, OnlyPackedCopiesNeedRoomAtBothEnds) {
  for (std::uint64_t stride :
       {1u, 4u}) { // every fourth element: their code would fill the tile, so they are packed
    Laid t;
    auto from = t.variable("from", 8000, {0}), to = t.variable("to", 8000, {1});
    auto n = 8000 / stride;
    auto copy = t.copy(from, 0, to, 0, {{std::uint64_t(n), std::int64_t(stride), 1}});
    t.image.programs = {t.sequence({copy, t.print(to)})};
    t.image.hostWrites.push_back({"from", TypeId::Float, 8000, {}, t.view(from)});
    t.layOut();
    EXPECT_EQ(t.on(0, MemoryCategory::Rearrangement), stride == 1 ? 0u : 8000u);
    EXPECT_EQ(t.on(1, MemoryCategory::Message), stride == 1 ? 0u : 8000u);
  }
}

TEST(LayOutMemory, OutOfMemoryNamesTileNeedLimitAndCulprits) {
  Laid t;
  auto big = t.variable("weights", 200000, {9}), small = t.variable("bias", 1000, {9, 10});
  t.image.programs = {t.sequence({t.print(big), t.print(small)})};
  t.layOut();
  EXPECT_TRUE(t.image.memory.outOfMemory);
  const auto &text = t.image.memory.outOfMemoryText;
  auto need = t.tile(9).total() + t.tile(9).gaps;
  for (std::string part : {"Out of memory", "1 of 1,472 tiles need more than their 638,976 bytes",
                           "tile 9 needs", "weights float [200000]", "800,000 bytes  always live",
                           "bias float [1000]", "variable", "debug.allowOutOfMemory"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_GT(need, 800000u);
  EXPECT_LT(text.find("weights"), text.find("bias"));
}

TEST(LayOutMemory, ThePeakStepIsNamed) {
  Laid t;
  auto s = t.variable("s", 1, {3}), x = t.variable("temporary", 200000, {3});
  auto fill = t.copy(s, 0, x, 0, {{200000, 0, 1}});
  t.image.steps[fill].name = "layer1/fill";
  t.image.programs = {t.sequence({fill, t.print(x)})};
  t.layOut(true);
  const auto &text = t.image.memory.outOfMemoryText;
  EXPECT_NE(text.find("\"layer1/fill\""), std::string::npos) << text;
  EXPECT_NE(text.find("live at the peak"), std::string::npos) << text;
  EXPECT_EQ(text.find("allowOutOfMemory"), std::string::npos) << text;
}
