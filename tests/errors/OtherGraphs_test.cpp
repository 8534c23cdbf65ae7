// SPDX-License-Identifier: MIT
// Tensors, vertices and handles of another graph, of a graph that is gone, or of none.
#include "Errors.hpp"
#include <optional>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

// Two graphs of the same kind, so that numbers of one are valid in the other.
struct Two {
  Fixture f, other;
  Tensor own = f.variable("own", 4), foreign = other.variable("foreign", 4);
};

std::string belongs(const std::string &type, const std::string &call) {
  return type + ": " + call + ": the tensor foreign[4] belongs to another graph.";
}

} // namespace

TEST(OtherGraphs, VertexOfAnotherIsNotMapped) {
  Two t;
  t.f.scale(t.own, t.f.variable("out", 4));
  auto vertex = t.other.scale(t.foreign, t.other.variable("out", 4));
  EXPECT_REJECTED(
      "invalid_tile_mapping: Graph::setTileMapping: the vertex belongs to another graph.",
      t.f.graph.setTileMapping(vertex, 1));
  EXPECT_REJECTED("invalid_tile_mapping: Graph::setTileMapping: the vertex is not initialised.",
                  t.f.graph.setTileMapping(VertexRef(), 1));
  EXPECT_REJECTED("poplar_error: Graph::setPerfEstimate: the vertex belongs to another graph.",
                  t.f.graph.setPerfEstimate(vertex, 1));
  EXPECT_REJECTED("graph_connection_error: Graph::setInitialValue: the vertex belongs to another "
                  "graph.",
                  t.f.graph.setInitialValue(vertex["factor"], 1.0f));
}

TEST(OtherGraphs, TensorOfAnotherIsNotMapped) {
  Two t;
  EXPECT_REJECTED(belongs("invalid_tile_mapping", "Graph::setTileMapping"),
                  t.f.graph.setTileMapping(t.foreign, 1));
  EXPECT_REJECTED(belongs("invalid_tile_mapping", "Graph::setTileMapping"),
                  t.f.graph.setTileMapping(t.foreign, {{{0, 4}}}));
  EXPECT_REJECTED(belongs("invalid_tile_mapping", "Graph::getTileMapping"),
                  t.f.graph.getTileMapping(t.foreign));
}

TEST(OtherGraphs, TensorOfAnotherIsNotCopiedOrInitialised) {
  Two t;
  EXPECT_REJECTED(belongs("poplar_error", "Graph::clone"), t.f.graph.clone(t.foreign));
  EXPECT_REJECTED(belongs("poplar_error", "Graph::setInitialValue"),
                  t.f.graph.setInitialValue(t.foreign, 1.0f));
  EXPECT_REJECTED(belongs("poplar_error", "Graph::createHostRead of \"x\""),
                  t.f.graph.createHostRead("x", t.foreign));
  EXPECT_REJECTED("poplar_error: poplar::concat: tensor 1 [4] of variable \"foreign\" [4] and "
                  "tensor 0 [4] of variable \"own\" [4] belong to different graphs.",
                  concat(t.own, t.foreign));
}

TEST(OtherGraphs, TensorsOfTwoGraphsAreNotEqual) {
  Two t;
  EXPECT_NE(t.own, t.foreign);
  EXPECT_FALSE(t.own.intersectsWith(t.foreign));
}

TEST(OtherGraphs, ComputeSetOfAnother) {
  Two t;
  EXPECT_REJECTED("poplar_error: Graph::addVertex: the compute set for a vertex of type \"Sum\" "
                  "does not belong to this graph.",
                  t.f.graph.addVertex(t.other.set, "Sum"));
  EXPECT_REJECTED("control_program_error: A program uses a compute set of another graph (at "
                  "\"step\").",
                  Engine(t.f.graph, Execute(t.other.set, "step")));
}

TEST(OtherGraphs, FunctionsOfAnother) {
  Two t;
  t.f.graph.addFunction(Sequence());
  auto function = t.other.graph.addFunction(Sequence());
  EXPECT_REJECTED("control_program_error: A program uses a function of another graph.",
                  Engine(t.f.graph, Call(function)));
  EXPECT_REJECTED("poplar_error: Graph::addFunctionBuffer: the function does not belong to this "
                  "graph.",
                  t.f.graph.addFunctionBuffer(function, FunctionBufferMappingType::REMOTE));
  EXPECT_REJECTED("control_program_error: Copy: the function buffer and the function must be of "
                  "one graph. Take them from Graph::addFunctionBuffer and Graph::addFunction.",
                  Copy(FunctionBuffer(), function));
  t.f.graph.addHostFunction("h", {}, {});
  auto host = t.other.graph.addHostFunction("h", {}, {});
  EXPECT_REJECTED("control_program_error: A program uses a host function of another graph.",
                  Engine(t.f.graph, Call(host, {}, {})));
}

TEST(OtherGraphs, StreamsOfAnother) {
  Two t;
  t.f.graph.addHostToDeviceFIFO("in", FLOAT, 8);
  auto stream = t.other.graph.addHostToDeviceFIFO("in", FLOAT, 4);
  EXPECT_REJECTED(
      "control_program_error: A program uses the stream or remote buffer \"in\" of another graph.",
      Engine(t.f.graph, Copy(stream, t.own)));
  t.f.graph.addRemoteBuffer("store", FLOAT, 8);
  auto buffer = t.other.graph.addRemoteBuffer("store", FLOAT, 4);
  EXPECT_REJECTED("control_program_error: A program uses the stream or remote buffer \"store\" of "
                  "another graph.",
                  Engine(t.f.graph, Copy(t.own, buffer)));
}

TEST(OtherGraphs, GraphThatIsGone) {
  Fixture f;
  Tensor orphan;
  VertexRef vertex;
  {
    Fixture gone;
    orphan = gone.variable("gone", 4);
    vertex = gone.scale(orphan, gone.variable("out", 4));
  }
  EXPECT_EQ(orphan.slice(0, 2).numElements(), 2u);
  EXPECT_REJECTED("poplar_error: A tensor or vertex is used whose graph no longer exists. Keep the "
                  "graph until they are no longer needed.",
                  orphan.containsConstant());
  EXPECT_REJECTED("unknown_field: VertexRef: the graph of the vertex no longer exists.",
                  vertex["in"]);
  EXPECT_REJECTED("invalid_tile_mapping: Graph::setTileMapping: the tensor [4] belongs to another "
                  "graph.",
                  f.graph.setTileMapping(orphan, 0));
}

TEST(OtherGraphs, EmptyRearranger) {
  Fixture f;
  auto a = f.variable("a", 4);
  EXPECT_REJECTED("poplar_error: TensorRearranger::rearrange: the rearranger is empty. Take one "
                  "from Graph::getSimplifyingRearranger.",
                  TensorRearranger().rearrange(a));
  auto rearranger = f.graph.getSimplifyingRearranger(a);
  EXPECT_REJECTED("index_error: TensorRearranger::undoRearrangement: b[5] has 5 elements; the "
                  "rearranger was made for 4.",
                  rearranger.undoRearrangement(f.variable("b", 5)));
}

TEST(OtherGraphs, NumbersThatNameNothing) {
  Fixture f;
  auto a = f.variable("a", 4);
  EXPECT_REJECTED("index_error: Graph::getVariable: there is no variable 77; the graph has 1.",
                  f.graph.getVariable(VariableRef(77)));
  EXPECT_REJECTED("index_error: Graph::getSortedContiguousRegions: [2,9) is not a range of the 4 "
                  "elements of a[4].",
                  f.graph.getSortedContiguousRegions(a, {{2, 9}}));
  auto vertex = f.graph.addVertex(f.set, "Sum");
  EXPECT_REJECTED("unknown_field: Graph::connect: vertex type \"Sum\" has no field 9; it has 2.",
                  f.graph.connect(FieldRef(vertex, 9), a));
  EXPECT_REJECTED("control_program_error: Execute: the compute set does not belong to this graph.",
                  Engine(f.graph, Execute(ComputeSet())));
  EXPECT_REJECTED("control_program_error: Call: the function does not belong to this graph.",
                  Engine(f.graph, Call(Function())));
}

TEST(OtherGraphs, ReplicasThatDoNotExist) {
  Fixture f;
  auto a = f.variable("a", 4), b = f.variable("b", 4);
  EXPECT_REJECTED("control_program_error: CrossReplicaCopy: the map names replica 1; the graph has "
                  "1 replica(s), from 0 on.",
                  Engine(f.graph, CrossReplicaCopy(a, b, {{0, 1}, {1, 0}})));
  EXPECT_REJECTED("control_program_error: CrossReplicaCopy: replica 4294967295 receives from two "
                  "replicas.",
                  CrossReplicaCopy(a, b, {{0, 4294967295u}, {1, 4294967295u}}));
}

namespace {

template <class Wrap> Program nested(unsigned depth, Wrap wrap) {
  Program program = Sequence();
  for (unsigned i = 0; i < depth; ++i)
    program = wrap(program);
  return program;
}

} // namespace

TEST(DeepPrograms, AreRefusedByTheCompilerAndGoWithoutASound) {
  Fixture f;
  auto flag = f.graph.addVariable(BOOL, {}, "flag");
  const auto message = "control_program_error: Programs are nested more than 4000 deep. Add to one "
                       "Sequence instead of nesting a new one for every step.";
  constexpr unsigned depth = 100000;
  EXPECT_REJECTED(message,
                  Engine(f.graph, nested(depth, [](const Program &p) { return Repeat(2, p); })));
  EXPECT_REJECTED(message, Engine(f.graph, nested(depth, [&](const Program &p) {
                                    return If(flag, p, Sequence());
                                  })));
  auto deep = nested(depth, [](const Program &p) { return Sequence({p, p}); });
  EXPECT_TRUE(deep.isEmpty()); // 2^100000 places
  EXPECT_REJECTED(message, Engine(f.graph, deep));
}
