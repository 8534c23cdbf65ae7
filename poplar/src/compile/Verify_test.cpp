// SPDX-License-Identifier: MIT
#include "compile/TestImage.hpp"
#include "compile/Verify.hpp"
#include "poplar/exceptions.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::compile;
using namespace poplar::compile::testing;

namespace {

arch::System small() { return arch::systemOf(arch::chipByName("ipu2"), 1, 8); }

template <class Error>
std::string message(const Image &image, arch::System system = small(),
                    SharedInOut shared = SharedInOut::Refused) {
  try {
    verify(image, system, shared);
  } catch (const Error &e) {
    return e.what();
  } catch (const std::exception &e) {
    return std::string("another exception: ") + e.what();
  }
  return "no exception";
}

struct TwoVertices : TestImage {
  std::uint32_t a = variable("a", 16), b = variable("b", 16), cs = computeSet("sum");
  std::uint32_t type = vertexType("Add", {{"in"}, {"out", FieldDirection::Output}});
  TwoVertices() { image.programs = {execute(cs)}; }
  void connect(TestSlot in, TestSlot out, std::uint32_t tile = 0) {
    vertex(cs, type, tile, {in, out});
  }
};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(Verify, AcceptsDisjointWritesAndASharedInput) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 16), t.span(t.b, 8, 16));
  t.connect(t.span(t.a, 0, 16), t.span(t.b, 0, 8), 7);
  EXPECT_EQ(message<poplar_error>(t.image), "no exception");
}

TEST(Verify, NamesTheFirstUnmappedElements) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 16), t.span(t.b, 0, 8));
  t.image.variables[t.a].mapping = {{0, 4, 0}, {9, 12, 1}};
  auto text = message<invalid_tile_mapping>(t.image);
  EXPECT_TRUE(has(text, "Variable \"a\" of type float and shape [16]: 9 of 16 elements have no "
                        "tile, the first are [4, 9)"))
      << text;
  EXPECT_TRUE(has(text, "graph.setTileMapping")) << text;
  t.image.variables[t.a].mapping = {};
  EXPECT_TRUE(has(message<invalid_tile_mapping>(t.image),
                  "16 of 16 elements have no tile, the first are [0, 16)"));
}

TEST(Verify, IgnoresUnusedVariablesAndComputeSets) {
  TwoVertices t;
  t.image.variables[t.variable("unused", 4)].mapping = {};
  auto other = t.computeSet("never run");
  t.vertex(other, t.type, none, {{}, {}});
  EXPECT_EQ(message<poplar_error>(t.image), "no exception");
}

TEST(Verify, RejectsTilesThatDoNotExist) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 16), t.span(t.b, 0, 8), 8);
  EXPECT_TRUE(
      has(message<invalid_tile_mapping>(t.image), "mapped to tile 8, but there are tiles 0 to 7"));
  t.image.vertices[0].tile = none;
  EXPECT_TRUE(has(message<invalid_tile_mapping>(t.image),
                  "Vertex 0 (Add in compute set \"sum\") has no tile"));
  t.image.vertices[0].tile = 0;
  t.image.variables[t.b].mapping.edit()[0].tile = 9;
  EXPECT_TRUE(has(message<invalid_tile_mapping>(t.image), "elements [0, 16) are mapped to tile 9"));
}

TEST(Verify, ReplicasShareTheTiles) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 16), t.span(t.b, 0, 8), 8);
  t.image.replicationFactor = 2;
  auto system = arch::systemOf(arch::chipByName("ipu2"), 2, 8);
  EXPECT_TRUE(has(message<invalid_tile_mapping>(t.image, system), "tiles 0 to 7"));
  t.image.replicationFactor = 1;
  EXPECT_EQ(message<poplar_error>(t.image, system), "no exception");
  t.image.replicationFactor = 3;
  EXPECT_TRUE(has(message<graph_replication_error>(t.image, system), "replication factor of 3"));
}

TEST(Verify, NamesAnUnconnectedField) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 16), {});
  EXPECT_TRUE(has(message<graph_connection_error>(t.image),
                  "Vertex 0 (Add in compute set \"sum\"): field \"out\" is not connected"));
}

TEST(Verify, FindsTwoVerticesThatWriteOneElement) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 4), t.span(t.b, 6, 12));
  t.connect(t.span(t.a, 0, 4), t.span(t.b, 0, 7));
  auto text = message<graph_connection_error>(t.image);
  EXPECT_TRUE(has(text, "Two vertices write element 6 of variable \"b\" [16] in one compute set: "
                        "Vertex 1 (Add in compute set \"sum\"), field \"out\"; and Vertex 0"))
      << text;
}

TEST(Verify, FindsStridedWritersThatMeet) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 4), {{{t.b, 0, 5, 3}}});
  t.connect(t.span(t.a, 0, 4), {{{t.b, 1, 5, 3}}});
  EXPECT_EQ(message<poplar_error>(t.image), "no exception");
  t.connect(t.span(t.a, 0, 4), {{{t.b, 13, 1, 1}}});
  auto text = message<graph_connection_error>(t.image);
  EXPECT_TRUE(has(text, "element 13 of variable \"b\"")) << text;
  EXPECT_TRUE(has(text, "Vertex 2")) << text;
  EXPECT_TRUE(has(text, "Vertex 1")) << text;
}

TEST(Verify, FindsAReaderOfWhatAnotherVertexWrites) {
  TwoVertices t;
  t.connect(t.span(t.b, 0, 4), t.span(t.b, 0, 4)); // in place: fine
  EXPECT_EQ(message<poplar_error>(t.image), "no exception");
  t.connect(t.span(t.b, 3, 8), t.span(t.b, 8, 12));
  auto text = message<graph_connection_error>(t.image);
  EXPECT_TRUE(has(text, "reads element 3 of variable \"b\"")) << text;
  EXPECT_TRUE(has(text, "Vertex 1 (Add in compute set \"sum\"), field \"in\" reads; Vertex 0"))
      << text;
}

TEST(Verify, ReadsOfOwnStridedOutputsAreFine) {
  TwoVertices t;
  t.connect({{{t.b, 0, 4, 2}}}, {{{t.b, 0, 4, 2}}});
  t.connect({{{t.b, 1, 4, 2}}}, {{{t.b, 1, 4, 2}}});
  EXPECT_EQ(message<poplar_error>(t.image), "no exception");
  t.connect(t.span(t.b, 2, 3), t.span(t.b, 10, 11));
  EXPECT_TRUE(has(message<graph_connection_error>(t.image), "reads element 2"));
}

TEST(Verify, RejectsOutputsWithAliasesOrOnConstants) {
  TwoVertices t;
  t.connect(t.span(t.a, 0, 4), {{{t.b, 0, 4, 1}, {t.b, 3, 2, 1}}});
  EXPECT_TRUE(has(message<graph_connection_error>(t.image),
                  "holds element 3 of variable \"b\" [16] twice"));
  TwoVertices constant;
  constant.image.variables[constant.b].kind = VariableKind::Constant;
  constant.connect(constant.span(constant.a, 0, 4), constant.span(constant.b, 0, 4));
  EXPECT_TRUE(has(message<graph_connection_error>(constant.image), "connected to constant \"b\""));
}

TEST(Verify, RejectsTwoOutputFieldsOfOneVertexThatOverlap) {
  TwoVertices t;
  auto type = t.vertexType("Both", {{"x", FieldDirection::Output}, {"y", FieldDirection::InOut}});
  t.vertex(t.cs, type, 0, {t.span(t.b, 0, 8), t.span(t.b, 7, 9)});
  EXPECT_TRUE(
      has(message<graph_connection_error>(t.image), "fields \"x\" and \"y\" both write element 7"));
}

TEST(Verify, InOutFieldsMayMeetInPlaceOnOneTileIfAsked) {
  TestImage t;
  const auto a = t.variable("a", 16), b = t.variable("b", 16, {0, 1}), cs = t.computeSet("sum");
  const auto type = t.vertexType("Part", {{"in"}, {"all", FieldDirection::InOut}});
  t.image.programs = {t.execute(cs)};
  const auto small8 = small();
  const auto add = [&](std::uint32_t tile, TestSlot slot) {
    t.vertex(cs, type, tile, {t.span(a, 0, 1), slot});
  };
  const auto allowed = [&] {
    return message<graph_connection_error>(t.image, small8, SharedInOut::Allowed);
  };
  add(0, t.span(b, 0, 8));
  add(0, t.span(b, 2, 4));
  add(0, t.span(b, 3, 8));
  EXPECT_TRUE(has(message<graph_connection_error>(t.image), "debug.allowOverlappingInOut"));
  EXPECT_EQ(allowed(), "no exception");

  auto before = t.image;
  add(1, t.span(b, 7, 12)); // of another tile: it would send back what it has not seen
  EXPECT_TRUE(has(allowed(), "element 7 of variable \"b\"")) << allowed();
  EXPECT_TRUE(has(allowed(), "does not help"));
  t.image = before;
  add(0, {{{b, 0, 2, 1}, {b, 6, 2, 1}}}); // put together in a copy
  EXPECT_TRUE(has(allowed(), "element 0 of variable \"b\"")) << allowed();
  t.image = before;
  add(0, t.span(b, 6, 10)); // partly on another tile
  EXPECT_TRUE(has(allowed(), "element 6 of variable \"b\"")) << allowed();
  t.image = before;
  const auto reader = t.vertexType("Read", {{"in"}});
  t.vertex(cs, reader, 0, {t.span(b, 7, 8)});
  EXPECT_TRUE(has(allowed(), "reads element 7 of variable \"b\"")) << allowed();
}

TEST(Verify, RejectsFunctionsThatCallThemselves) {
  TestImage t;
  auto callStep = t.put(step::Call{0});
  t.image.steps[callStep].name = "again";
  auto body = t.sequence({callStep});
  t.image.functions = {body};
  t.image.programs = {t.sequence({callStep})};
  EXPECT_TRUE(has(message<graph_recursion_error>(t.image), "function 0 (called at \"again\")"));
}

TEST(Verify, RejectsHandlesUsedTwice) {
  TestImage t;
  t.image.streams = {{"in", TypeId::Float, 4, true, false, 1},
                     {"in", TypeId::Float, 4, false, false, 1}};
  EXPECT_TRUE(has(message<control_program_error>(t.image), "Two streams have the handle \"in\""));
}
