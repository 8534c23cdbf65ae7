// SPDX-License-Identifier: MIT
// Logistic regression on digits with the operator libraries: scores = images x weights + biases,
// softmax, cross entropy, and a step down the gradient, all in one program on the IPU. The host
// only hands over batches.
//   11_logistic_regression [FOLDER with MNIST's IDX files]
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
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace poplar::program;

const std::size_t batch = 100;
const unsigned epochs = 3;
const float rate = 0.5f;

// Correct answers among all digits, in batches through the given program.
static unsigned runEpoch(Engine &engine, unsigned program, std::size_t batches) {
  unsigned correct = 0, sum = 0;
  engine.connectStream("correct", &correct);
  for (std::size_t i = 0; i < batches; ++i) {
    engine.run(program);
    sum += correct;
  }
  return sum;
}

int main(int argc, char **argv) {
  const Digits train = argc > 1 ? readDigits(argv[1], "train") : drawDigits(6000, 1);
  const Digits test = argc > 1 ? readDigits(argv[1], "t10k") : drawDigits(1000, 2);
  std::cout << train.size() << " digits " << (argc > 1 ? "of MNIST" : "drawn by this program")
            << ", " << test.size() << " held out\n";

  Device device = attachIpu();
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  popnn::addCodelets(graph);

  Tensor images = graph.addVariable(FLOAT, {batch, Digits::pixels}, "images");
  Tensor labels = graph.addVariable(INT, {batch}, "labels");
  Tensor weights = graph.addVariable(FLOAT, {Digits::pixels, Digits::classes}, "weights");
  Tensor biases = graph.addVariable(FLOAT, {Digits::classes}, "biases");
  Tensor loss = graph.addVariable(FLOAT, {batch}, "loss");
  Tensor deltas = graph.addVariable(FLOAT, {batch, Digits::classes}, "deltas");
  Tensor correct = graph.addVariable(UNSIGNED_INT, {1}, "correct");
  for (const Tensor &t : {images, labels, weights, biases, loss, deltas, correct})
    poputil::mapTensorLinearly(graph, t);

  DataStream imagesIn = graph.addHostToDeviceFIFO("images", FLOAT, batch * Digits::pixels);
  DataStream labelsIn = graph.addHostToDeviceFIFO("labels", INT, batch);
  DataStream correctOut = graph.addDeviceToHostFIFO("correct", UNSIGNED_INT, 1);

  Sequence start;
  popops::zero(graph, weights, start, "start");
  popops::zero(graph, biases, start, "start");

  Sequence predict{Copy(imagesIn, images), Copy(labelsIn, labels)};
  Tensor scores = poplin::matMul(graph, images, weights, predict, "scores");
  popops::addInPlace(graph, scores, biases, predict, "scores");
  popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::SOFTMAX_STABLE, scores, predict,
                             "softmax");
  popops::zero(graph, correct, predict, "loss"); // calcLoss adds to it
  predict.add(popnn::calcLoss(graph, scores, labels, loss, deltas, correct,
                              popnn::CROSS_ENTROPY_LOSS, "loss"));
  predict.add(Copy(correct, correctOut));

  Sequence learn{predict};
  Tensor gradient = poplin::matMul(graph, images.transpose(), deltas, learn, "gradient");
  popops::scaledAddTo(graph, weights, gradient, -rate / batch, learn, "step");
  Tensor biasGradient =
      popops::reduce(graph, deltas, {0}, popops::Operation::ADD, learn, "gradient");
  popops::scaledAddTo(graph, biases, biasGradient, -rate / batch, learn, "step");

  Engine engine(graph, {start, learn, predict});
  engine.load(device);
  engine.run(0);
  for (unsigned epoch = 0; epoch < epochs; ++epoch) {
    engine.connectStream("images", const_cast<float *>(train.images.data()),
                         const_cast<float *>(train.images.data() + train.images.size()));
    engine.connectStream("labels", const_cast<int *>(train.labels.data()),
                         const_cast<int *>(train.labels.data() + train.labels.size()));
    const unsigned right = runEpoch(engine, 1, train.size() / batch);
    std::cout << "epoch " << epoch + 1 << ": " << 100.0 * right / (train.size() / batch * batch)
              << " % right while learning\n";
  }
  engine.connectStream("images", const_cast<float *>(test.images.data()),
                       const_cast<float *>(test.images.data() + test.images.size()));
  engine.connectStream("labels", const_cast<int *>(test.labels.data()),
                       const_cast<int *>(test.labels.data() + test.labels.size()));
  const double right = double(runEpoch(engine, 2, test.size() / batch)) / test.size();
  std::cout << "held out: " << 100 * right << " % right\n";
  return verdict(right > 0.8 && right <= 1, "a linear classifier learns most digits");
}
