// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/placing/accumulateinstages.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

// The gradient of a weight, of two parts that two stages of its IPU make.
struct Tied : Model {
  Value sum;
  explicit Tied(const char *kind) {
    const Value acc = graph.addVariable("Accum___w", HostTensor::filled({DataType::FLOAT, {4}}, 0),
                                        ir::Role::Accumulator);
    const Value x = randomInput({4});
    b.pass = ir::Pass::Backward;
    b.settings.virtualGraph = 0;
    b.settings.pipelineStage = 5;
    const Value late = b.op("Exp", {x});
    b.settings.pipelineStage = 3;
    const Value early = b.op("Tanh", {x});
    b.settings.pipelineStage = 5;
    sum = b.op("Sum", {late, early});
    b.op("Accumulate", {acc, sum}, {{"weights", std::int64_t(1)}, {"kind", std::string(kind)}});
  }
  // Stages of what is accumulated.
  std::vector<std::int64_t> stages(const std::set<Value> &kept = {}) {
    transforms::accumulateInStages(graph, kept);
    std::vector<std::int64_t> out;
    for (const auto &node : graph.nodes)
      if (node.def->type == "Accumulate")
        out.push_back(*node.settings.pipelineStage);
    return out;
  }
};

} // namespace

TEST(StageGradients, AreAccumulatedWhereTheyArise) {
  Tied m("Add");
  EXPECT_EQ(m.stages(), (std::vector<std::int64_t>{3, 5}));
  for (const auto &node : m.graph.nodes)
    EXPECT_NE(node.def->type, "Sum");
}

TEST(StageGradients, AreSummedWhereTheSumIsWanted) {
  Tied mean("Mean"), returned("Add");
  EXPECT_EQ(mean.stages(), (std::vector<std::int64_t>{5}));
  EXPECT_EQ(returned.stages({returned.sum}), (std::vector<std::int64_t>{5}));
}
