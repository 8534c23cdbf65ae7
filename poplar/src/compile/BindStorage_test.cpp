// SPDX-License-Identifier: MIT
#include "backend/Backend.hpp"
#include "compile/BindStorage.hpp"
#include "compile/TestImage.hpp"
#include "openipu/Overwrite.hpp"
#include "poplar/Target.hpp"
#include "tensor/View.hpp"
#include <gtest/gtest.h>
#include <sstream>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

TEST(BindStorage, AlignsAndLeavesSlack) {
  TestImage t;
  auto a = t.variable("a", 16), b = t.variable("b", 1), c = t.variable("c", 17);
  shareStorage(t.image);
  EXPECT_EQ(t.image.variables[a].arenaOffset, 0u);
  EXPECT_EQ(t.image.variables[b].arenaOffset, 128u);
  EXPECT_EQ(t.image.variables[c].arenaOffset, 256u);
  EXPECT_EQ(t.image.arenaBytes, 448u);
}

TEST(BindStorage, SharesBytesOfVariablesThatNeverMeet) {
  TestImage t;
  auto s = t.variable("s", 16), x = t.variable("x", 16), y = t.variable("y", 16),
       z = t.variable("z", 16);
  t.image.hostWrites.push_back({"s", TypeId::Float, 16, {}, t.view(s)});
  // x dies at the second step, where y is born; z can have x's place.
  t.image.programs = {t.sequence({t.copy(s, x), t.copy(x, y), t.copy(y, z), t.copy(z, s)})};
  shareStorage(t.image);
  auto at = [&](std::uint32_t v) { return t.image.variables[v].arenaOffset; };
  EXPECT_EQ(at(s), 0u);
  EXPECT_NE(at(x), at(y));
  EXPECT_NE(at(y), at(z));
  EXPECT_EQ(at(x), at(z));
  EXPECT_EQ(t.image.arenaBytes, 3 * 128u);
}

TEST(BindStorage, NeverSharesWhatOldContentsMayMatterTo) {
  TestImage t;
  auto s = t.variable("s", 16), x = t.variable("x", 16), y = t.variable("y", 16);
  auto type = t.vertexType("V", {{"in"}, {"out", FieldDirection::Output}});
  auto first = t.computeSet("1"), second = t.computeSet("2");
  t.vertex(first, type, 0, {t.span(s, 0, 16), t.span(x, 0, 16)});
  t.vertex(second, type, 0, {t.span(s, 0, 16), t.span(y, 0, 16)});
  t.image.programs = {t.sequence({t.execute(first), t.print(x), t.execute(second), t.print(y)})};
  shareStorage(t.image);
  EXPECT_NE(t.image.variables[x].arenaOffset, t.image.variables[y].arenaOffset);
}

TEST(BindStorage, VariablesOfDifferentProgramsShare) {
  TestImage t;
  auto s = t.variable("s", 16), x = t.variable("x", 16), y = t.variable("y", 64);
  t.image.programs = {t.sequence({t.copy(s, x), t.copy(x, s)}),
                      t.sequence({t.copy(s, 0, y, 0, {{4, 0, 16}, {16, 1, 1}}), t.print(y)})};
  shareStorage(t.image);
  EXPECT_EQ(t.image.variables[x].arenaOffset, t.image.variables[y].arenaOffset);
}

TEST(BindStorage, ResultsTakeThePlaceOfOperandsThatEndWhereTheKernelAllowsIt) {
  const openipu::Overwriting rule("test.first", [](std::string_view, std::size_t, std::size_t,
                                                   std::size_t input) { return input == 0; });
  enum { Plain, OtherKernel, NeededLater, SecondView, SecondInput, Longer };
  for (int what : {Plain, OtherKernel, NeededLater, SecondView, SecondInput, Longer}) {
    TestImage t;
    auto s = t.variable("s", 16), x = t.variable("x", 16), z = t.variable("z", 16),
         y = t.variable("y", what == Longer ? 32 : 16);
    t.image.hostWrites.push_back({"s", TypeId::Float, 16, {}, t.view(s)});
    step::Kernel kernel;
    kernel.name = what == OtherKernel ? "test.second" : "test.first";
    auto out = t.view(y);
    if (what == Longer)
      out = tensor::slice(out, 0, 16, 0);
    kernel.outputs = {{out, false}};
    kernel.inputs = {t.view(x), t.view(z)};
    if (what == SecondView)
      kernel.inputs[1] = tensor::reverse(t.view(x), 0);
    if (what == SecondInput)
      std::swap(kernel.inputs[0], kernel.inputs[1]);
    auto first = t.copy(s, x), second = t.copy(s, z);
    const auto middle = t.put(kernel);
    t.image.programs = {t.sequence({first, second, middle, t.print(what == NeededLater ? x : y),
                                    t.print(y), t.print(z)})}; // z is needed until the end
    shareStorage(t.image);
    const auto &v = t.image.variables;
    EXPECT_EQ(v[x].arenaOffset == v[y].arenaOffset, what == Plain) << what;
    EXPECT_NE(v[z].arenaOffset, v[y].arenaOffset);
  }
}

TEST(BindStorage, AsksTheBackendOfTheTarget) {
  backend::registerBackend(
      {.name = "test.picky", .traits = {.alignment = 512, .overwrites = false}, .make = {}});
  const openipu::Overwriting rule(
      "test.any", [](std::string_view, std::size_t, std::size_t, std::size_t) { return true; });
  for (const bool picky : {false, true}) {
    TestImage t;
    std::ostringstream target;
    Target::createIPUTarget(1, "ipu2", {{"backend", picky ? "test.picky" : "cpu"}})
        .serialize(target);
    t.image.target = target.str();
    auto s = t.variable("s", 16), x = t.variable("x", 16), y = t.variable("y", 16);
    t.image.hostWrites.push_back({"s", TypeId::Float, 16, {}, t.view(s)});
    step::Kernel kernel;
    kernel.name = "test.any";
    kernel.outputs = {{t.view(y), false}};
    kernel.inputs = {t.view(x)};
    auto first = t.copy(s, x);
    const auto second = t.put(kernel);
    t.image.programs = {t.sequence({first, second, t.print(y)})};
    shareStorage(t.image);
    const auto &v = t.image.variables;
    EXPECT_EQ(v[x].arenaOffset, picky ? 512u : 128u);
    EXPECT_EQ(v[y].arenaOffset, picky ? 1024u : 128u);
  }
}
