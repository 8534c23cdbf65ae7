// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/memory/recompute.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {
// Three layers, differentiated; the gradient of the first weight.
struct Layers : Model {
  Value x, gradient;
  Layers() {
    x = randomInput({4, 4});
    Value h = x;
    for (int i = 0; i < 3; ++i)
      h = b.op("Tanh", {b.matmul(h, constant({4, 4}, random(16)))});
    const Value loss = b.op("ReduceSum", {h}, {{"keepdims", std::int64_t(0)}});
    gradient = autodiff::differentiate(graph, {loss, b.scalar(1, loss), {x}}).at(x);
  }
  std::size_t repeated() const {
    std::size_t n = 0;
    for (const auto &node : graph.nodes)
      for (Value v : node.outputs)
        n += graph[v].name.find("__re") != std::string::npos;
    return n;
  }
};
} // namespace

TEST(Recompute, ChangesNoNumbers) {
  Layers plain;
  const auto want = plain.run(plain.gradient);
  for (auto type : {RecomputationType::Standard, RecomputationType::RecomputeAll}) {
    Layers m;
    transforms::chooseRecomputation(m.graph, type);
    transforms::recompute(m.graph);
    EXPECT_GT(m.repeated(), 0u);
    EXPECT_EQ(m.run(m.gradient), want);
  }
}

TEST(Recompute, KeepsWhatIsMarkedAsCheckpoint) {
  Layers m;
  for (auto &node : m.graph.nodes)
    if (node.def->type == "Tanh")
      node.settings.recompute = ir::Recompute::Checkpoint;
  transforms::chooseRecomputation(m.graph, RecomputationType::RecomputeAll);
  transforms::recompute(m.graph);
  EXPECT_EQ(m.repeated(), 0u); // gradients of tanh and of products by constants need nothing else
}

TEST(Recompute, StagesKeepTheirCheckpoints) {
  for (std::int64_t stages : {1, 2}) {
    Layers m;
    int layer = 0;
    for (auto &node : m.graph.nodes) {
      node.settings.pipelineStage = node.pass == ir::Pass::Forward ? 0 : 2 * (stages - 1);
      if (node.def->type == "Tanh" && layer++ == 1)
        node.settings.recompute = ir::Recompute::Checkpoint;
      if (node.def->type == "ReduceSum")
        node.settings.pipelineStage = stages - 1;
    }
    transforms::chooseRecomputation(m.graph, RecomputationType::Pipeline);
    const auto marked = [&](const std::string &type) {
      std::string marks;
      for (const auto &node : m.graph.nodes)
        if (node.pass == ir::Pass::Forward && node.def->type == type)
          marks += node.settings.recompute == ir::Recompute::Checkpoint  ? 'c'
                   : node.settings.recompute == ir::Recompute::Recompute ? 'r'
                                                                         : '-';
      return marks;
    };
    // What leaves the first of two stages is kept; the last stage keeps all behind the mark.
    EXPECT_EQ(marked("Tanh"), stages == 2 ? "rcc" : "rc-");
    EXPECT_EQ(marked("MatMul"), stages == 2 ? "rrr" : "rr-");
  }
}

TEST(Recompute, RefusesMarksBesideTheOption) {
  Layers m;
  m.graph.nodes[1].settings.recompute = ir::Recompute::Recompute;
  EXPECT_THROW(transforms::chooseRecomputation(m.graph, RecomputationType::Standard), error);
}
