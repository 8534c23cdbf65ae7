// SPDX-License-Identifier: MIT
// What pipelines and several IPUs must go together with: recomputation, optimiser values that
// change, clipping, running means, random numbers, automatic loss scaling.
#include "trial.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

Trial pipelined(int stages = 3, int ipus = 3) {
  Trial t;
  t.stages = stages;
  t.ipus = ipus;
  t.accumulation = t.depth() + 1;
  t.options.virtualGraphMode = VirtualGraphMode::Manual;
  t.options.enablePipelining = true;
  return t;
}

} // namespace

TEST(Pipelines, RecomputeToTheSameWeights) {
  for (const auto type : {RecomputationType::Standard, RecomputationType::NormOnly,
                          RecomputationType::Pipeline, RecomputationType::RecomputeAll})
    for (const int ipus : {3, 2})
      for (const auto body : {Body::Dense, Body::Residual}) {
        SCOPED_TRACE(std::to_string(int(type)) + " on " + std::to_string(ipus) + " IPUs");
        auto trial = pipelined(3, ipus);
        trial.body = body;
        trial.norm = trial.dropout = trial.labels = true;
        trial.options.autoRecomputation = type;
        trial.returned = {{"loss", AnchorReturnType("All")}};
        expectSameAsPlain(trial);
      }
}

TEST(Pipelines, RecomputeWhatIsMarked) {
  auto trial = pipelined();
  trial.layers = 4;
  for (const auto &layers : {std::set<int>{0}, {1, 2}, {3}, {0, 1, 2, 3}}) {
    trial.recomputed = layers;
    expectSameAsPlain(trial);
  }
}
