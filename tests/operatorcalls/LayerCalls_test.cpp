// SPDX-License-Identifier: MIT
// Random calls of layers with many operands: solvers, norms, losses, recurrent layers, random
// numbers.
#include "../calls/Calls.hpp"
#include <poplin/Cholesky.hpp>
#include <poplin/Norms.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popnn/BatchNorm.hpp>
#include <popnn/CTCLoss.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Gru.hpp>
#include <popnn/LayerNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/exceptions.hpp>

using namespace poplar;
using calls::Calls;

namespace {

double real(Calls &c) {
  static constexpr double some[] = {0, 1, -1, 0.5, 1e-3, 2, 1e300, -1e300, INFINITY, NAN};
  return some[c.below(std::size(some))];
}
const Tensor *seed(Calls &c) { return c.oneIn(3) ? nullptr : &c.tensor(); }
std::vector<std::size_t> layer(Calls &c) {
  return c.oneIn(4) ? c.sizes(4) : std::vector<std::size_t>{1 + c.below(4), 1 + c.below(4)};
}
std::size_t likely(Calls &c) { return c.oneIn(6) ? c.size() : 1 + c.below(4); }
popnn::NonLinearityType activation(Calls &c) { return popnn::NonLinearityType(c.below(8)); }

// Few steps: many that fit would rightly take long.
popnn::lstm::LstmParams lstm(Calls &c) {
  if (c.oneIn(4))
    return {c.usualType(), likely(c), 1 + c.below(4), c.tensor(), layer(c)};
  return {c.usualType(), likely(c), 1 + c.below(4), layer(c), activation(c), activation(c)};
}
popnn::gru::GruParams gru(Calls &c) {
  popnn::gru::GruParams out(c.usualType(), likely(c), 1 + c.below(4), layer(c), activation(c));
  out.resetAfter = c.oneIn(2);
  return out;
}

const std::vector<calls::Choice> denseCalls = {
    {"variable", [](Calls &c) { c.keep(c.variable()); }},
    {"square",
     [](Calls &c) {
       const auto n = 1 + c.below(4);
       c.keep(c.graph.addVariable(FLOAT, {n, n}, VariableMappingMethod::LINEAR));
     }},
    {"cholesky",
     [](Calls &c) { c.keep(poplin::cholesky(c.graph, c.tensor(), c.oneIn(2), c.step)); }},
    {"createCholeskyInput",
     [](Calls &c) {
       c.keep(poplin::createCholeskyInput(c.graph, c.type(), c.sizes(4), c.oneIn(2), "a"));
     }},
    {"triangularSolve",
     [](Calls &c) {
       c.keep(poplin::triangularSolve(c.graph, c.tensor(), c.tensor(), c.oneIn(2), c.oneIn(2),
                                      c.oneIn(2), c.step));
     }},
    {"createTriangularSolveInputLHS",
     [](Calls &c) {
       c.keep(poplin::createTriangularSolveInputLHS(c.graph, c.type(), c.type(), c.sizes(4),
                                                    c.sizes(4), c.oneIn(2), "a"));
     }},
    {"createNormParams", [](Calls &c) { c.keep(poplin::createNormGamma(c.graph, c.tensor())); }},
    {"normStatistics",
     [](Calls &c) {
       const auto both = poplin::normStatistics(c.graph, c.tensor(), float(real(c)), c.step,
                                                c.oneIn(2), c.oneIn(2), c.type());
       c.keep(both.first);
       c.keep(both.second);
     }},
    {"normWhiten",
     [](Calls &c) {
       c.keep(poplin::normWhiten(c.graph, c.tensor(), c.tensor(), c.tensor(), c.step));
     }},
    {"normStatisticsGradients",
     [](Calls &c) {
       c.keep(poplin::normStatisticsGradients(c.graph, c.tensor(), c.tensor(), c.tensor(), c.step,
                                              c.type()));
     }},
    {"batchNormalise",
     [](Calls &c) {
       c.keep(popnn::bn::batchNormalise(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                        c.tensor(), c.step)
                  .first);
     }},
    {"batchNormGradients",
     [](Calls &c) {
       c.keep(popnn::bn::batchNormGradients(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                            c.step, c.type()));
     }},
    {"layerNormStatistics",
     [](Calls &c) {
       c.keep(popnn::ln::layerNormStatistics(c.graph, c.tensor(), float(real(c)), c.step,
                                             c.oneIn(2), c.oneIn(2), c.type())
                  .first);
     }},
    {"layerNormGradients",
     [](Calls &c) {
       c.keep(popnn::ln::layerNormGradients(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                            c.step, c.type()));
     }},
    {"groupNormalise",
     [](Calls &c) {
       c.keep(popnn::gn::groupNormalise(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                        c.tensor(), c.step)
                  .first);
     }},
    {"calcLoss with scales",
     [](Calls &c) {
       c.step.add(popnn::calcLoss(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                  c.tensor(), c.tensor(), popnn::LossType(c.below(3))));
     }},
    {"calcAccuracy",
     [](Calls &c) {
       c.step.add(popnn::calcAccuracy(c.graph, c.tensor(), c.tensor(), c.tensor()));
     }},
    {"argMax", [](Calls &c) { c.keep(popnn::argMax(c.graph, c.tensor(), c.step)); }},
    {"minAndArgMin",
     [](Calls &c) { c.keep(popnn::minAndArgMin(c.graph, c.tensor(), c.step).second); }},
    {"topK",
     [](Calls &c) {
       Tensor indices;
       c.keep(popnn::topK(c.graph, c.tensor(), indices, c.number(), c.oneIn(2), c.step));
     }},
};

const std::vector<calls::Choice> timeCalls = {
    {"variable", [](Calls &c) { c.keep(c.variable()); }},
    {"whole layer",
     [](Calls &c) {
       const auto params = lstm(c);
       auto in = popnn::lstm::createInput(c.graph, params, "in");
       auto state = popnn::lstm::createInitialState(c.graph, params, "state");
       auto weights = popnn::lstm::createWeights(c.graph, params, "weights");
       for (const auto &t : {in, state.output, weights.inputWeights, weights.outputWeights})
         c.works(t);
       Tensor kept;
       c.keep(popnn::lstm::lstmFwd(c.graph, params, state, in, weights,
                                   c.oneIn(2) ? &kept : nullptr, c.step)
                  .first);
     }},
    {"lstmFwd",
     [](Calls &c) {
       popnn::lstm::LstmState state{c.tensor(), c.tensor()};
       popnn::lstm::LstmWeights weights{c.tensor(), c.tensor(), c.tensor()};
       c.keep(popnn::lstm::lstmFwd(c.graph, lstm(c), state, c.tensor(), weights, nullptr, c.step)
                  .first);
     }},
    {"whole gru",
     [](Calls &c) {
       const auto params = gru(c);
       auto in = popnn::gru::createInput(c.graph, params, "in");
       auto state = popnn::gru::createInitialState(c.graph, params, "state", {}, nullptr);
       auto weights = popnn::gru::createWeights(c.graph, params, "weights");
       for (const auto &t : {in, state, weights.inputWeights, weights.outputWeights})
         c.works(t);
       c.keep(popnn::gru::gruFwd(c.graph, params, state, in, weights, nullptr, c.step));
     }},
    {"gruFwd",
     [](Calls &c) {
       popnn::gru::GruWeights weights{c.tensor(), c.tensor(), c.tensor()};
       c.keep(
           popnn::gru::gruFwd(c.graph, gru(c), c.tensor(), c.tensor(), weights, nullptr, c.step));
     }},
    {"ctc",
     [](Calls &c) {
       const auto batch = likely(c), time = likely(c), label = likely(c), classes = likely(c);
       const auto plan = popnn::ctc::plan(c.graph, c.usualType(), c.usualType(), unsigned(batch),
                                          unsigned(time), unsigned(label), unsigned(classes));
       auto data = popnn::ctc::createDataInput(c.graph, FLOAT, batch, time, classes, plan);
       auto labels = popnn::ctc::createLabelsInput(c.graph, UNSIGNED_INT, batch, label, plan);
       c.works(data);
       c.works(labels);
       c.keep(popnn::ctc::calcCTCLossLogits(c.graph, FLOAT, c.oneIn(4) ? c.tensor() : data,
                                            c.oneIn(4) ? c.tensor() : labels, c.tensor(),
                                            c.tensor(), c.step, c.number(), plan));
     }},
    {"dropout",
     [](Calls &c) {
       c.keep(poprand::dropout(c.graph, seed(c), c.number(), c.tensor(), c.tensor(), real(c),
                               real(c), c.step));
     }},
    {"shapedDropout",
     [](Calls &c) {
       c.keep(poprand::shapedDropout(c.graph, seed(c), c.number(), c.tensor(), c.tensor(), real(c),
                                     real(c), c.step));
     }},
    {"logUniform",
     [](Calls &c) {
       c.keep(poprand::logUniform(c.graph, seed(c), c.number(), c.tensor(), c.type(), real(c),
                                  real(c), c.step, real(c)));
     }},
    {"bernoulli",
     [](Calls &c) {
       c.keep(
           poprand::bernoulli(c.graph, seed(c), c.number(), c.tensor(), c.type(), real(c), c.step));
     }},
    {"normal",
     [](Calls &c) {
       c.keep(poprand::normal(c.graph, seed(c), c.number(), c.tensor(), c.type(), real(c), real(c),
                              c.step));
     }},
    {"truncatedNormal",
     [](Calls &c) {
       c.keep(poprand::truncatedNormal(c.graph, seed(c), c.number(), c.tensor(), c.type(), real(c),
                                       real(c), real(c), c.step));
     }},
    {"setSeed", [](Calls &c) { poprand::setSeed(c.graph, c.tensor(), c.number(), c.step); }},
};

bool isRefusal(const std::exception &error) {
  return dynamic_cast<const poplar_error *>(&error) ||
         dynamic_cast<const poputil::poplibs_error *>(&error);
}

} // namespace

TEST(RandomLayerCalls, SolversNormsAndLosses) { calls::run(denseCalls, 20, isRefusal); }

TEST(RandomLayerCalls, RecurrentLayersAndRandomNumbers) { calls::run(timeCalls, 20, isRefusal); }

TEST(LayerOperands, NormsNeedTheirStatistics) {
  Calls c(1, isRefusal);
  auto x = c.graph.addVariable(FLOAT, {2, 3}, VariableMappingMethod::LINEAR);
  auto mean = c.graph.addVariable(FLOAT, {3}, VariableMappingMethod::LINEAR);
  EXPECT_THROW(poplin::normWhiten(c.graph, x, mean, Tensor(), c.step), poputil::poplibs_error);
  EXPECT_THROW(poplin::normWhiten(c.graph, x, Tensor(), mean, c.step), poputil::poplibs_error);
  try {
    poplin::normStatisticsGradients(c.graph, x, x, Tensor(), c.step);
    FAIL();
  } catch (const poputil::poplibs_error &e) {
    EXPECT_STREQ(e.what(), "poplin::normStatisticsGradients: the mean or the inverse standard "
                           "deviation is an empty tensor; give the statistics of the activations.");
  }
}

TEST(LayerOperands, RecurrentLayersOfNothingEnd) {
  Calls c(1, isRefusal);
  const std::size_t steps = std::size_t(1) << 31;
  const popnn::gru::GruParams gru(FLOAT, 0, steps, {2, 3});
  popnn::gru::gruFwd(c.graph, gru, popnn::gru::createInitialState(c.graph, gru, "", {}, nullptr),
                     popnn::gru::createInput(c.graph, gru, ""),
                     popnn::gru::createWeights(c.graph, gru, ""), nullptr, c.program);
  const popnn::lstm::LstmParams lstm(FLOAT, 2, steps, {0, 0});
  popnn::lstm::lstmFwd(c.graph, lstm, popnn::lstm::createInitialState(c.graph, lstm, ""),
                       popnn::lstm::createInput(c.graph, lstm, ""),
                       popnn::lstm::createWeights(c.graph, lstm, ""), nullptr, c.program);
  const popnn::gru::GruParams many(FLOAT, std::size_t(1) << 40, 2,
                                   {0, 0}); // no room for a list of them
  popnn::gru::gruFwd(c.graph, many, popnn::gru::createInitialState(c.graph, many, "", {}, nullptr),
                     popnn::gru::createInput(c.graph, many, ""),
                     popnn::gru::createWeights(c.graph, many, ""), nullptr, c.program);
  c.compileAndRun();
  EXPECT_EQ(c.taken, 1u);
}
