// SPDX-License-Identifier: MIT
#include "Errors.hpp"
#include <sstream>

using namespace poplar;

namespace errors {

static const char *const codelets = R"(
#include <poplar/Vertex.hpp>
using namespace poplar;

class Scale : public Vertex {
public:
  Input<Vector<float>> in;
  Output<Vector<float>> out;
  float factor;
  void compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = in[i] * factor;
  }
};

class Sum : public Vertex {
public:
  Input<Vector<float>> in;
  Output<float> result;
  void compute() {
    float sum = 0;
    for (unsigned i = 0; i < in.size(); ++i)
      sum += in[i];
    *result = sum;
  }
};

class Rows : public Vertex {
public:
  Vector<InOut<Vector<float>>> rows;
  void compute() {
    for (unsigned i = 0; i < rows.size(); ++i)
      for (unsigned j = 0; j < rows[i].size(); ++j)
        rows[i][j] *= 2;
  }
};

class Bump : public Vertex {
public:
  InOut<int> x;
  void compute() { *x += 1; }
};
)";

void addCodelets(Graph &graph) {
  std::stringstream source(codelets);
  graph.addCodelets(source);
}

Device smallDevice() {
  IPUModel model;
  model.tilesPerIPU = 4;
  return model.createDevice();
}

Fixture::Fixture() : device(smallDevice()), graph(device.getTarget()) {
  addCodelets(graph);
  set = graph.addComputeSet("set");
}

Tensor Fixture::variable(const char *name, std::size_t elements, Type type) {
  auto tensor = graph.addVariable(type, {elements}, name);
  graph.setTileMapping(tensor, 0);
  return tensor;
}

VertexRef Fixture::scale(Tensor in, Tensor out) {
  auto vertex = graph.addVertex(set, "Scale", {{"in", in}, {"out", out}});
  graph.setInitialValue(vertex["factor"], 2.0f);
  graph.setTileMapping(vertex, 0);
  return vertex;
}

std::string rejection(const std::function<void()> &statement) {
  try {
    statement();
  } catch (const poplar_error &error) {
    return error.type + ": " + error.what();
  } catch (const std::exception &error) {
    return std::string("another exception: ") + error.what();
  }
  return "nothing is thrown";
}

void expectStillUsable() {
  Fixture f;
  auto in = f.variable("in", 3), out = f.variable("out", 3);
  f.graph.setInitialValue(in, ArrayRef<float>({1, 2, 3}));
  f.scale(in, out);
  f.graph.createHostRead("result", out);
  f.program.add(program::Execute(f.set));
  Engine engine(f.graph, f.program);
  engine.load(f.device);
  engine.run();
  float result[3] = {};
  engine.readTensor("result", result, result + 3);
  EXPECT_EQ(result[0], 2);
  EXPECT_EQ(result[1], 4);
  EXPECT_EQ(result[2], 6);
}

} // namespace errors
