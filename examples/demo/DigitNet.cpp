// SPDX-License-Identifier: MIT
#include "DigitNet.hpp"
#include <cmath>
#include <poplin/Convolution.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

namespace demo {

using namespace poplar;
using namespace poplar::program;
using popnn::NonLinearityType;
using popops::Operation;

namespace {

constexpr std::size_t groups = 3, hiddenSize = 100, classes = 10, flatSize = 12 * 9 * 9;
constexpr float epsilon = 1e-5f;

poplin::ConvParams conv1(std::size_t batch) { return {FLOAT, batch, {28, 28}, {3, 3}, 1, 5, 1}; }
poplin::ConvParams conv2(std::size_t batch) { return {FLOAT, batch, {13, 13}, {5, 5}, 5, 12, 1}; }
popnn::pooling::PoolParams pooling(std::size_t batch) {
  return {
      popnn::PoolingType::MAX, {26, 26}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, 5, batch, FLOAT};
}

// The parameters in the order they are made.
enum { W1, B1, W2, B2, Gamma, Beta, W3, B3, W4, B4 };

} // namespace

DigitNet::DigitNet(Graph &graph, std::size_t batch, float rate) : graph_(graph), batch_(batch) {
  images = poplin::createInput(graph, conv1(batch), "images");
  labels = graph.addVariable(INT, {batch}, VariableMappingMethod::LINEAR, "labels");
  loss = graph.addVariable(FLOAT, {batch}, VariableMappingMethod::LINEAR, "loss");
  deltas_ = graph.addVariable(FLOAT, {batch, classes}, VariableMappingMethod::LINEAR, "deltas");
  correct = graph.addVariable(UNSIGNED_INT, {1}, VariableMappingMethod::LINEAR, "correct");
  buildForward();
  learn_.add(forward_);
  buildBackward();
  buildUpdate(rate);
}

// Drawn from a normal distribution when the network starts; spread 0: zeros.
DigitNet::Parameter &DigitNet::parameter(const Tensor &like, double spread,
                                         const std::string &name) {
  Parameter p;
  if (spread > 0) {
    Tensor seed = graph_.addConstant<unsigned>(UNSIGNED_INT, {2}, 17);
    graph_.setTileMapping(seed, 0);
    p.value = poprand::normal(graph_, &seed, unsigned(parameters_.size()), like, FLOAT, 0, spread,
                              start_, name);
  } else {
    p.value = like;
    popops::zero(graph_, like, start_, name);
  }
  parameters_.push_back(p);
  return parameters_.back();
}

void DigitNet::buildForward() {
  auto &prog = forward_;
  auto vector = [&](std::size_t n, const char *name) {
    return graph_.addVariable(FLOAT, {n}, VariableMappingMethod::LINEAR, name);
  };
  const OptionFlags fwd{{"pass", "TRAINING_FWD"}}, dense{{"fullyConnectedPass", "TRAINING_FWD"}};
  auto bias = [&](const Tensor &acts, std::size_t n, const char *name) {
    poplin::addBias(graph_, acts, parameter(vector(n, name), 0, name).value, prog, name);
  };
  auto convolve = [&](const Tensor &x, const poplin::ConvParams &params, const char *name) {
    Tensor like = poplin::createWeights(graph_, params, name, fwd);
    const double fanIn = double(like[0][0].numElements());
    auto weights = parameter(like, std::sqrt(2 / fanIn), name).value;
    Tensor y = poplin::convolution(graph_, x, weights, params, false, prog, name, fwd);
    bias(y, params.getNumOutputChans(), name);
    popnn::nonLinearityInPlace(graph_, NonLinearityType::RELU, y, prog, name);
    return y;
  };
  act1_ = convolve(images, conv1(batch_), "conv1");
  pool1_ = popnn::pooling::pool(graph_, pooling(batch_), act1_, prog, "pool");
  act2_ = convolve(pool1_, conv2(batch_), "conv2");

  auto statistics = popnn::gn::groupNormStatistics(graph_, act2_, epsilon, prog, groups, false,
                                                   false, FLOAT, "norm");
  deviation_ = statistics.second;
  auto gamma = parameter(vector(12, "gamma"), 0, "gamma").value;
  popops::addInPlace(graph_, gamma, 1.0f, start_, "gamma");
  auto beta = parameter(vector(12, "beta"), 0, "beta").value;
  auto normalised = popnn::gn::groupNormalise(graph_, act2_, gamma, beta, statistics.first,
                                              deviation_, prog, "norm");
  whitened_ = normalised.second;
  flat_ = normalised.first.reshape({batch_, flatSize});

  auto multiply = [&](const Tensor &x, std::size_t out, const char *name) {
    Tensor like =
        poplin::createMatMulInputRHS(graph_, FLOAT, x.shape(), {x.dim(1), out}, name, dense);
    auto weights = parameter(like, std::sqrt(2 / double(x.dim(1))), name).value;
    Tensor y = poplin::matMul(graph_, x, weights, prog, name, dense);
    auto biases = parameter(vector(out, name), 0, name).value;
    popops::addInPlace(graph_, y, biases, prog, name);
    return y;
  };
  hidden_ = multiply(flat_, hiddenSize, "dense1");
  popnn::nonLinearityInPlace(graph_, NonLinearityType::RELU, hidden_, prog, "dense1");
  Tensor scores = multiply(hidden_, classes, "dense2");
  popnn::nonLinearityInPlace(graph_, NonLinearityType::SOFTMAX_STABLE, scores, prog, "softmax");
  prog.add(popnn::calcLoss(graph_, scores, labels, loss, deltas_, correct,
                           popnn::CROSS_ENTROPY_LOSS, "loss"));
}

void DigitNet::buildBackward() {
  auto &prog = learn_;
  auto &p = parameters_;
  const OptionFlags bwd{{"fullyConnectedPass", "TRAINING_BWD"}},
      wu{{"fullyConnectedPass", "TRAINING_WU"}};
  auto sum = [&](const Tensor &gradient, const std::vector<std::size_t> &dims, const char *name) {
    return popops::reduce(graph_, gradient, dims, Operation::ADD, prog, name);
  };
  p[W4].gradient = poplin::matMul(graph_, hidden_.transpose(), deltas_, prog, "dense2/weights", wu);
  p[B4].gradient = sum(deltas_, {0}, "dense2/biases");
  Tensor d = poplin::matMul(graph_, deltas_, p[W4].value.transpose(), prog, "dense2/input", bwd);
  d = popnn::nonLinearityInputGradient(graph_, NonLinearityType::RELU, hidden_, d, prog, "dense1");
  p[W3].gradient = poplin::matMul(graph_, flat_.transpose(), d, prog, "dense1/weights", wu);
  p[B3].gradient = sum(d, {0}, "dense1/biases");
  d = poplin::matMul(graph_, d, p[W3].value.transpose(), prog, "dense1/input", bwd)
          .reshape(act2_.shape());

  auto deltas = popnn::gn::groupNormParamGradients(graph_, whitened_, d, prog, FLOAT, "norm");
  p[Gamma].gradient = deltas.first;
  p[Beta].gradient = deltas.second;
  d = popnn::gn::groupNormGradients(graph_, whitened_, d, deviation_, p[Gamma].value, prog, FLOAT,
                                    "norm");
  d = popnn::nonLinearityInputGradient(graph_, NonLinearityType::RELU, act2_, d, prog, "conv2");
  auto convGradients = [&](const Tensor &input, const poplin::ConvParams &params, int weights,
                           const char *name) {
    p[weights].gradient = poplin::calculateWeightDeltas(graph_, d, input, params, prog, name,
                                                        {{"pass", "TRAINING_WU"}});
    p[weights + 1].gradient = sum(d, {0, 2, 3}, name);
  };
  convGradients(pool1_, conv2(batch_), W2, "conv2");
  d = poplin::convolution(graph_, d, p[W2].value, poplin::getGradientParams(conv2(batch_)), true,
                          prog, "conv2/input", {{"pass", "TRAINING_BWD"}});
  d = popnn::pooling::poolInputGradient(graph_, pooling(batch_), act1_, pool1_, d, false, prog,
                                        "pool");
  d = popnn::nonLinearityInputGradient(graph_, NonLinearityType::RELU, act1_, d, prog, "conv1");
  convGradients(images, conv1(batch_), W1, "conv1");
}

void DigitNet::buildUpdate(float rate) {
  for (auto &parameter : parameters_)
    popops::scaledAddTo(graph_, parameter.value, parameter.gradient, -rate / float(batch_), learn_,
                        "update");
}

} // namespace demo
