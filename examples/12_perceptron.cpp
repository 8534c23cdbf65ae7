// SPDX-License-Identifier: MIT
// A perceptron with one hidden layer whose backward pass is written by hand, and checked: the
// gradient that the IPU finds must be the slope of the loss that one sees when a weight is moved.
#include "Digits.hpp"
#include "Example.hpp"
#include <poplar/Engine.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;
using popnn::NonLinearityType;

const std::size_t batch = 64, hidden = 48;
const float rate = 0.3f;

struct Layer {
  Tensor weights, biases;
};

// y = x W + b; W and x are laid out for the three products of training.
static Tensor forward(Graph &graph, const Layer &layer, const Tensor &x, Sequence &prog,
                      const std::string &name) {
  Tensor y =
      poplin::matMul(graph, x, layer.weights, prog, name, {{"fullyConnectedPass", "TRAINING_FWD"}});
  popops::addInPlace(graph, y, layer.biases, prog, name + "/bias");
  return y;
}

// Gradients of the weights and biases, from the gradient of y.
static Layer gradients(Graph &graph, const Tensor &x, const Tensor &dy, Sequence &prog,
                       const std::string &name) {
  return {poplin::matMul(graph, x.transpose(), dy, prog, name + "/weights",
                         {{"fullyConnectedPass", "TRAINING_WU"}}),
          popops::reduce(graph, dy, {0}, popops::Operation::ADD, prog, name + "/biases")};
}

static Layer makeLayer(Graph &graph, std::size_t in, std::size_t out, unsigned seed,
                       Sequence &start, const std::string &name) {
  Tensor like =
      poplin::createMatMulInputRHS(graph, FLOAT, {batch, in}, {in, out}, name + "/weights",
                                   {{"fullyConnectedPass", "TRAINING_FWD"}});
  Tensor key = graph.addConstant<unsigned>(UNSIGNED_INT, {2}, seed);
  poputil::mapTensorLinearly(graph, key);
  const double spread = std::sqrt(2.0 / double(in));
  Layer layer;
  layer.weights = poprand::normal(graph, &key, 0, like, FLOAT, 0, spread, start, name);
  layer.biases = graph.addVariable(FLOAT, {out}, name + "/biases");
  poputil::mapTensorLinearly(graph, layer.biases);
  graph.setInitialValue(layer.biases, ArrayRef<float>(std::vector<float>(out, 0)));
  return layer;
}

int main() {
  const Digits digits = drawDigits(batch, 5);
  Device device = attachIpu();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);

  Tensor x = graph.addVariable(FLOAT, {batch, Digits::pixels}, "x");
  Tensor labels = graph.addVariable(INT, {batch}, "labels");
  Tensor loss = graph.addVariable(FLOAT, {batch}, "loss");
  Tensor dScores = graph.addVariable(FLOAT, {batch, Digits::classes}, "dScores");
  for (const Tensor &t : {x, labels, loss, dScores})
    poputil::mapTensorLinearly(graph, t);

  Sequence start, learn, measure;
  const Layer first = makeLayer(graph, Digits::pixels, hidden, 1, start, "first");
  const Layer second = makeLayer(graph, hidden, Digits::classes, 2, start, "second");

  // Forward: the loss.
  Tensor h = forward(graph, first, x, measure, "first");
  popnn::nonLinearityInPlace(graph, NonLinearityType::TANH, h, measure, "tanh");
  Tensor p = forward(graph, second, h, measure, "second");
  popnn::nonLinearityInPlace(graph, NonLinearityType::SOFTMAX_STABLE, p, measure, "softmax");
  measure.add(popnn::calcLoss(graph, p, labels, loss, dScores, popnn::CROSS_ENTROPY_LOSS, "loss"));
  Tensor total = popops::reduce(graph, loss, {0}, popops::Operation::ADD, measure, "total");

  // Backward: softmax and cross entropy are in dScores already.
  learn.add(measure);
  const Layer dSecond = gradients(graph, h, dScores, learn, "dSecond");
  Tensor dh = poplin::matMul(graph, dScores, second.weights.transpose(), learn, "dh",
                             {{"fullyConnectedPass", "TRAINING_BWD"}});
  dh = popnn::nonLinearityInputGradient(graph, NonLinearityType::TANH, h, dh, learn, "tanh");
  const Layer dFirst = gradients(graph, x, dh, learn, "dFirst");

  Sequence step;
  const float scale = -rate / batch;
  popops::scaledAddTo(graph, first.weights, dFirst.weights, scale, step, "step");
  popops::scaledAddTo(graph, first.biases, dFirst.biases, scale, step, "step");
  popops::scaledAddTo(graph, second.weights, dSecond.weights, scale, step, "step");
  popops::scaledAddTo(graph, second.biases, dSecond.biases, scale, step, "step");

  graph.createHostWrite("x", x);
  graph.createHostWrite("labels", labels);
  graph.createHostRead("total", total);
  graph.createHostRead("gradient", dFirst.biases);
  graph.createHostRead("biases", first.biases);
  graph.createHostWrite("biases", first.biases);

  Engine engine(graph, {start, measure, learn, Sequence{learn, step}});
  engine.load(device);
  engine.writeTensor("x", digits.images.data(), digits.images.data() + digits.images.size());
  engine.writeTensor("labels", digits.labels.data(), digits.labels.data() + digits.labels.size());
  engine.run(0);
  auto lossNow = [&](unsigned program) {
    engine.run(program);
    float value = 0;
    engine.readTensor("total", &value, &value + 1);
    return value;
  };

  // The slope seen from both sides of one bias, beside the gradient that backpropagation gives.
  lossNow(2);
  std::vector<float> gradient(hidden), biases(hidden), moved;
  engine.readTensor("gradient", gradient.data(), gradient.data() + hidden);
  engine.readTensor("biases", biases.data(), biases.data() + hidden);
  const std::size_t which = std::max_element(gradient.begin(), gradient.end()) - gradient.begin();
  const float little = 0.02f;
  float seen[2];
  for (int side = 0; side < 2; ++side) {
    moved = biases;
    moved[which] += side ? little : -little;
    engine.writeTensor("biases", moved.data(), moved.data() + hidden);
    seen[side] = lossNow(1);
  }
  engine.writeTensor("biases", biases.data(), biases.data() + hidden);
  const float slope = (seen[1] - seen[0]) / (2 * little);
  std::cout << "gradient of a bias: " << gradient[which] << " by backpropagation, " << slope
            << " by moving it\n";

  const float before = lossNow(3);
  float after = before;
  for (int i = 0; i < 60; ++i)
    after = lossNow(3);
  std::cout << "loss of a digit: " << before / batch << " before, " << after / batch
            << " after 60 steps\n";
  return verdict(isNear({slope}, {gradient[which]}, 0.02f) && after < before / 4,
                 "the backward pass agrees with the slope, and learning works");
}
