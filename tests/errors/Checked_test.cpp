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
      "application_runtime_error: Vertex 0 of type ReadsBeyond: field \"in\"[4] is out of "
      "bounds; the size is 4. Correct the index in compute(), or connect a larger tensor. (in "
      "compute set \"set\")",
      c.run(
          c.graph.addVertex(c.set, "ReadsBeyond", {{"in", in}, {"out", c.variable("out", 1)[0]}})));
}

TEST(CheckedErrors, WriteBeyondAField) {
  Checked c;
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type WritesBeyond: field \"out\"[7] is out of "
      "bounds; the size is 4. Correct the index in compute(), or connect a larger tensor. (in "
      "compute set \"set\")",
      c.run(c.graph.addVertex(c.set, "WritesBeyond", {{"out", c.variable("out", 4)}, {"at", 7u}})));
}

TEST(CheckedErrors, ElementsThatNobodyWrote) {
  Checked c;
  auto in = c.variable("in", 4);
  c.graph.setInitialValue(in.slice(0, 3), 1.0f);
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type Sum: field \"in\"[3] is read but was never "
      "written. Write the tensor before this compute set runs. (in compute set \"set\")",
      c.run(c.graph.addVertex(c.set, "Sum", {{"in", in}, {"result", c.variable("out", 1)[0]}})));
}
