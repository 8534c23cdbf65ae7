// SPDX-License-Identifier: MIT
// Mistakes in building a graph, found at once or by the compiler.
#include "Errors.hpp"

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

TEST(GraphErrors, UnmappedElementsAreNamed) {
  Fixture f;
  auto in = f.graph.addVariable(FLOAT, {8}, "in"), out = f.variable("out", 8);
  f.graph.setTileMapping(in.slice(0, 5), 1);
  f.scale(in, out);
  EXPECT_REJECTED(
      "invalid_tile_mapping: Variable \"in\" of type float and shape [8]: 3 of 8 elements have "
      "no tile, the first are [5, 8). Map every element with graph.setTileMapping or "
      "poputil::mapTensorLinearly before the graph is compiled.",
      Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, VariableWithoutAnyMapping) {
  Fixture f;
  auto in = f.graph.addVariable(FLOAT, {8}, "in"), out = f.variable("out", 8);
  EXPECT_REJECTED(
      "invalid_tile_mapping: Variable \"in\" of type float and shape [8]: 8 of 8 elements have "
      "no tile, the first are [0, 8). Map every element with graph.setTileMapping or "
      "poputil::mapTensorLinearly before the graph is compiled.",
      Engine(f.graph, Copy(in, out)));
}

TEST(GraphErrors, TileThatDoesNotExist) {
  Fixture f;
  auto in = f.graph.addVariable(FLOAT, {8}, "in");
  EXPECT_REJECTED(
      "invalid_tile_mapping: Graph::setTileMapping: tile 4 for variable \"in\" [8] does not "
      "exist; this graph has 4 tiles (0 to 3).",
      f.graph.setTileMapping(in, 4));
}

TEST(GraphErrors, VertexWithoutTile) {
  Fixture f;
  f.graph.addVertex(f.set, "Bump", {{"x", f.variable("x", 1, INT)[0]}});
  EXPECT_REJECTED(
      "invalid_tile_mapping: Vertex 0 (Bump in compute set \"set\") has no tile. Give it one "
      "with graph.setTileMapping(vertex, tile).",
      Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, FieldLeftUnconnected) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale", {{"out", f.variable("out", 4)}});
  f.graph.setTileMapping(vertex, 0);
  EXPECT_REJECTED(
      "graph_connection_error: Vertex 0 (Scale in compute set \"set\"): field \"in\" is not "
      "connected. Connect it with graph.connect(vertex[\"in\"], tensor).",
      Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, InnerVectorLeftUnconnected) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Rows");
  f.graph.setTileMapping(vertex, 0);
  f.graph.setFieldSize(vertex["rows"], 2);
  f.graph.connect(vertex["rows"][0], f.variable("row", 4));
  EXPECT_REJECTED("graph_connection_error: Vertex 0 (Rows in compute set \"set\"): field "
                  "\"rows[1]\" is not connected. "
                  "Connect it with graph.connect(vertex[\"rows\"][1], tensor).",
                  Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, MisspeltFieldSuggestsTheRightOne) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Sum");
  EXPECT_REJECTED(
      "unknown_field: Vertex type \"Sum\" has no field \"resutl\". Did you mean \"result\"? Its "
      "fields are [in, result].",
      vertex["resutl"]);
}

TEST(GraphErrors, MisspeltVertexSuggestsTheRightOne) {
  Fixture f;
  EXPECT_REJECTED(
      "unknown_vertex_type: There is no codelet \"Scalle\" in the graph. Did you mean \"Scale\"?",
      f.graph.addVertex(f.set, "Scalle"));
}

TEST(GraphErrors, ConnectingAnotherElementType) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale");
  EXPECT_REJECTED(
      "type_error: Graph::connect: field \"in\" of vertex type \"Scale\" in compute set \"set\" "
      "is Input<Vector<float>> and variable \"numbers\" [4] has type int. Make the types equal.",
      f.graph.connect(vertex["in"], f.variable("numbers", 4, INT)));
}

TEST(GraphErrors, ConnectingAVectorToAScalar) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Sum");
  EXPECT_REJECTED(
      "graph_connection_error: Graph::connect: field \"result\" of vertex type \"Sum\" in "
      "compute set \"set\" is Output<float> and takes one element; variable \"result\" [4] has "
      "4. Index or slice it to one element.",
      f.graph.connect(vertex["result"], f.variable("result", 4)));
}

TEST(GraphErrors, ConnectingAMatrixToAVector) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale");
  EXPECT_REJECTED(
      "graph_connection_error: Graph::connect: field \"in\" of vertex type \"Scale\" in compute "
      "set \"set\" is Input<Vector<float>> and takes a tensor of rank 1; a view [2,2] of "
      "variable \"m\" [4] has rank 2. Call flatten() on it.",
      f.graph.connect(vertex["in"], f.variable("m", 4).reshape({2, 2})));
}

TEST(GraphErrors, ConnectingAFieldTwice) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale", {{"in", f.variable("in", 4)}});
  EXPECT_REJECTED(
      "graph_connection_error: Graph::connect: field \"in\" of vertex type \"Scale\" in compute "
      "set \"set\" is already connected.",
      f.graph.connect(vertex["in"], f.variable("again", 4)));
}

TEST(GraphErrors, ConnectingAPlainField) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale");
  EXPECT_REJECTED(
      "graph_connection_error: Graph::connect: field \"factor\" of vertex type \"Scale\" in "
      "compute set \"set\" is a plain float, not an Input, Output or InOut. Give it a value "
      "with setInitialValue.",
      f.graph.connect(vertex["factor"], f.variable("factor", 1)[0]));
}

TEST(GraphErrors, WritingAConstant) {
  Fixture f;
  auto vertex = f.graph.addVertex(f.set, "Scale");
  auto constant = f.graph.addConstant<float>(FLOAT, {4}, 1.0f, "one");
  EXPECT_REJECTED(
      "graph_connection_error: Graph::connect: field \"out\" of vertex type \"Scale\" in "
      "compute set \"set\" is written by the vertex and cannot be connected to constant \"one\" "
      "[4], which is constant.",
      f.graph.connect(vertex["out"], constant));
}

TEST(GraphErrors, TwoVerticesWriteOneElement) {
  Fixture f;
  auto in = f.variable("in", 8), out = f.variable("out", 8);
  f.scale(in.slice(0, 5), out.slice(0, 5));
  f.scale(in.slice(4, 8), out.slice(4, 8));
  EXPECT_REJECTED(
      "graph_connection_error: Two vertices write element 4 of variable \"out\" [8] in one "
      "compute set: Vertex 0 (Scale in compute set \"set\"), field \"out\"; and Vertex 1 (Scale "
      "in compute set \"set\"), field \"out\". Their order is not defined: put them in "
      "different compute sets, or let them write different elements.",
      Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, OneVertexReadsWhatAnotherWrites) {
  Fixture f;
  auto a = f.variable("a", 8), b = f.variable("b", 8);
  f.scale(a, b);
  f.scale(b.slice(0, 1), f.variable("c", 1));
  EXPECT_REJECTED(
      "graph_connection_error: One vertex reads element 0 of variable \"b\" [8] while another "
      "writes it in one compute set: Vertex 1 (Scale in compute set \"set\"), field \"in\" "
      "reads; Vertex 0 (Scale in compute set \"set\"), field \"out\" writes. Put them in "
      "different compute sets, or let the reader use a copy.",
      Engine(f.graph, Execute(f.set)));
}

TEST(GraphErrors, ConstantWithTooFewValues) {
  Fixture f;
  EXPECT_REJECTED(
      "tensor_creation_error: Graph::addConstant: shape [4] has 4 elements but 3 values are "
      "given. Give one value per element, or a single value for all.",
      f.graph.addConstant(FLOAT, {4}, ArrayRef<float>({1, 2, 3})));
}

TEST(GraphErrors, InitialValuesOfAnotherSize) {
  Fixture f;
  auto in = f.variable("in", 4);
  EXPECT_REJECTED(
      "tensor_creation_error: Graph::setInitialValue: in[4] has 4 elements but 3 values are "
      "given.",
      f.graph.setInitialValue(in, ArrayRef<float>({1, 2, 3})));
}

TEST(GraphErrors, CopyBetweenDifferentSizes) {
  Fixture f;
  auto a = f.variable("a", 4), b = f.variable("b", 5);
  EXPECT_REJECTED(
      "control_program_error: Copy: the source a[4] has 4 elements and the destination b[5] has "
      "5.",
      Copy(a, b));
}

TEST(GraphErrors, CopyBetweenDifferentTypes) {
  Fixture f;
  auto a = f.variable("a", 4), b = f.variable("b", 4, INT);
  EXPECT_REJECTED(
      "control_program_error: Copy: the source a[4] has type float and the destination b[4] has "
      "type int. A Copy does not convert.",
      Copy(a, b));
}

TEST(GraphErrors, CopyToAConstant) {
  Fixture f;
  auto a = f.variable("a", 4), one = f.graph.addConstant<float>(FLOAT, {4}, 1.0f, "one");
  EXPECT_REJECTED(
      "control_program_error: Copy: the destination one[4] holds a constant, which cannot be "
      "written.",
      Copy(a, one));
}

TEST(GraphErrors, StreamOfAnotherSize) {
  Fixture f;
  auto a = f.variable("a", 4);
  auto stream = f.graph.addHostToDeviceFIFO("in", FLOAT, 5);
  EXPECT_REJECTED(
      "control_program_error: Copy: stream \"in\" moves 5 elements and the tensor a[4] has 4.",
      Copy(stream, a));
}

TEST(GraphErrors, SliceBeyondTheEnd) {
  Fixture f;
  auto a = f.variable("a", 4);
  EXPECT_REJECTED(
      "index_error: Tensor::slice: [2, 5) is not a range of dimension 0, which has 4 elements "
      "(shape [4] of variable \"a\" [4]).",
      a.slice(2, 5));
}

TEST(GraphErrors, ReshapeToAnotherNumberOfElements) {
  Fixture f;
  auto a = f.variable("a", 4);
  EXPECT_REJECTED(
      "index_error: Tensor::reshape: shape [4] of variable \"a\" [4] has 4 elements and cannot "
      "become [2,3], which has 6.",
      a.reshape({2, 3}));
}

TEST(GraphErrors, ConcatenatingShapesThatDoNotFit) {
  Fixture f;
  auto a = f.variable("a", 4).reshape({2, 2}), b = f.variable("b", 6).reshape({2, 3});
  EXPECT_REJECTED(
      "index_error: poplar::concat: tensor 1 has shape [2,3] of variable \"b\" [6] and tensor 0 "
      "has shape [2,2] of variable \"a\" [4]. They may differ in dimension 0 only.",
      concat(a, b));
}

TEST(GraphErrors, ConditionThatIsNotAScalar) {
  Fixture f;
  auto a = f.variable("a", 4, BOOL);
  EXPECT_REJECTED(
      "control_program_error: If: the predicate a[4] has 4 elements; it must have exactly one.",
      If(a, Sequence(), Sequence()));
}

TEST(GraphErrors, ReplicationThatDoesNotDivideTheDevice) {
  auto device = errors::smallDevice();
  EXPECT_REJECTED(
      "graph_replication_error: Graph: a replication factor of 2 does not divide the target's 1 "
      "IPU(s). Choose a divisor, or a device with a multiple of 2 IPUs.",
      Graph(device.getTarget(), replication_factor(2)));
}

TEST(GraphErrors, TwoStreamsOfOneName) {
  Fixture f;
  f.graph.addHostToDeviceFIFO("stream", FLOAT, 5);
  EXPECT_REJECTED(
      "poplar_error: Graph::addDeviceToHostFIFO: there is already a stream with the handle "
      "\"stream\". Handles must be unique.",
      f.graph.addDeviceToHostFIFO("stream", FLOAT, 5));
}

TEST(GraphErrors, ProgramOfAnotherGraph) {
  Fixture f, other;
  auto a = other.variable("a", 4), b = other.variable("b", 4);
  EXPECT_REJECTED("control_program_error: A program uses the tensor a[4] of another graph.",
                  Engine(f.graph, Copy(a, b)));
}
