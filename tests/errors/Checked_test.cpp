// SPDX-License-Identifier: MIT
// What debug.checkedCodelets finds in codelets that run: accesses outside a field, elements that
// nobody wrote.
#include "Errors.hpp"
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

const char *const badCodelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class ReadsBeyond : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> out;
  void compute() { *out = in[in.size()]; }
};

class ThroughAPointer : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  int at, mode;
  void compute() {
    float *to = &out[0];
    const float *from = &in[0];
    for (unsigned i = 0; i < in.size(); ++i)
      to[i] = from[i] + 1;
    if (mode == 0)
      to[at] = 1;
    else if (mode == 1)
      to[0] = from[at];
    else
      to[0] = float(7 / at);
  }
};

class WritesBeyond : public Vertex {
public:
  Output<Vector<float>> out;
  unsigned at;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = 0;
    out[at] = 1;
  }
};
)";

struct Checked : Fixture {
  Checked() {
    std::stringstream source(badCodelets);
    graph.addCodelets(source);
  }
  // Maps the vertex and runs the compute set in checked mode.
  void run(VertexRef vertex) {
    graph.setTileMapping(vertex, 0);
    Engine engine(graph, Execute(set), {{"debug.checkedCodelets", "true"}});
    engine.load(device);
    engine.run();
  }
};

} // namespace

TEST(CheckedErrors, ReadBeyondAField) {
  Checked c;
  auto in = c.variable("in", 4);
  c.graph.setInitialValue(in, 1.0f);
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type ReadsBeyond (codelet.cpp) on tile 0: field "
      "\"in\"[4] is out of bounds, 1 element past the end; the size is 4 (codelet.cpp:9). "
      "Correct "
      "the index in compute(), or connect a larger tensor. (in compute set \"set\")",
      c.run(
          c.graph.addVertex(c.set, "ReadsBeyond", {{"in", in}, {"out", c.variable("out", 1)[0]}})));
}

TEST(CheckedErrors, WriteBeyondAField) {
  Checked c;
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type WritesBeyond (codelet.cpp) on tile 0: field "
      "\"out\"[7] is out of bounds, 4 elements past the end; the size is 4 (codelet.cpp:38). "
      "Correct the index in compute(), or connect a larger tensor. (in compute set \"set\")",
      c.run(c.graph.addVertex(c.set, "WritesBeyond", {{"out", c.variable("out", 4)}, {"at", 7u}})));
}

TEST(CheckedErrors, ElementsThatNobodyWrote) {
  Checked c;
  auto in = c.variable("in", 4);
  c.graph.setInitialValue(in.slice(0, 3), 1.0f);
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type Sum (codelet.cpp) on tile 0: field \"in\"[3] is "
      "read but was never written (codelet.cpp:23). Write the tensor before this compute set runs. "
      "(in "
      "compute set \"set\")",
      c.run(c.graph.addVertex(c.set, "Sum", {{"in", in}, {"result", c.variable("out", 1)[0]}})));
}

// Fields lie side by side in memory, and a pointer is still not allowed from one into the next.
TEST(CheckedErrors, PointersThatLeaveTheirField) {
  const auto vertex = [](Checked &c, int at, int mode) {
    auto in = c.variable("in", 4), out = c.variable("out", 4);
    c.graph.setInitialValue(in, 1.0f);
    return c.graph.addVertex(c.set, "ThroughAPointer",
                             {{"in", in}, {"out", out}, {"at", at}, {"mode", mode}});
  };
  const auto expected = [](const std::string &what) {
    return "application_runtime_error: Vertex 0 of type ThroughAPointer (codelet.cpp) on tile 0: " +
           what + " (in compute set \"set\")";
  };
  const std::string rest = ". Correct the index in compute(), or connect a larger tensor.";
  for (int at : {4, 5, -1, -2, 400}) {
    const auto distance = at < 0 ? -at : at - 3;
    const auto where = std::to_string(distance) + (distance == 1 ? " element " : " elements ") +
                       (at < 0 ? "before the beginning" : "past the end");
    Checked writes, reads;
    EXPECT_REJECTED(expected("field \"out\"[" + std::to_string(at) + "] is out of bounds, " +
                             where + "; the size is 4 (codelet.cpp:23)" + rest),
                    writes.run(vertex(writes, at, 0)));
    if (at < 100) // farther away another field may be nearer
      EXPECT_REJECTED(expected("field \"in\"[" + std::to_string(at) + "] is out of bounds, " +
                               where + "; the size is 4 (codelet.cpp:25)" + rest),
                      reads.run(vertex(reads, at, 1)));
  }
  Checked good, divides;
  EXPECT_NO_THROW(good.run(vertex(good, 3, 0)));
  EXPECT_REJECTED(expected("integer division by zero, or of the smallest number by -1 "
                           "(codelet.cpp:27). Correct compute()."),
                  divides.run(vertex(divides, 0, 2)));
}

// One tensor in two fields stays one tensor.
TEST(CheckedErrors, NotInFieldsThatShareATensor) {
  Checked c;
  auto x = c.variable("x", 4);
  c.graph.setInitialValue(x, 1.0f);
  c.graph.createHostRead("x", x);
  auto v =
      c.graph.addVertex(c.set, "ThroughAPointer", {{"in", x}, {"out", x}, {"at", 3}, {"mode", 0}});
  c.graph.setTileMapping(v, 0);
  Engine engine(c.graph, Execute(c.set), {{"debug.runtimeVerify", "true"}});
  engine.load(c.device);
  engine.run();
  std::vector<float> got(4);
  engine.readTensor("x", got.data(), got.data() + 4);
  EXPECT_EQ(got, (std::vector<float>{2, 2, 2, 1}));
}

// Nor do vertices that share what they change: each sees what the other does.
TEST(CheckedErrors, NotInVerticesThatShareATensor) {
  Checked c;
  std::stringstream source(R"(
#include <poplar/Vertex.hpp>
class Part : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<float>> x;
  unsigned begin;
  void compute() { x[begin] += 1; x[begin + 1] += 1; }
};
)");
  c.graph.addCodelets(source);
  auto x = c.variable("x", 4);
  c.graph.setInitialValue(x, 1.0f);
  c.graph.createHostRead("x", x);
  for (unsigned begin : {0u, 2u})
    c.graph.setTileMapping(c.graph.addVertex(c.set, "Part", {{"x", x}, {"begin", begin}}), 0);
  Engine engine(c.graph, Execute(c.set),
                {{"debug.checkedCodelets", "true"}, {"debug.allowOverlappingInOut", "true"}});
  engine.load(c.device);
  engine.run();
  std::vector<float> got(4);
  engine.readTensor("x", got.data(), got.data() + 4);
  EXPECT_EQ(got, (std::vector<float>{2, 2, 2, 2}));
}
