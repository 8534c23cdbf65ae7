// SPDX-License-Identifier: MIT
// The models that are measured, written with the Builder. models_peer.py has the same with the same
// names of weights, from which their first values follow.
#pragma once
#include <popart/builder.hpp>
#include <string>
#include <vector>

namespace bench {

struct ModelInput {
  popart::TensorId id;
  popart::Shape shape;      // of a micro-batch
  std::int64_t classes = 0; // integers below this; 0: numbers in [0, 1)
};
struct ModelGraph {
  std::string proto;
  std::vector<ModelInput> inputs; // x and labels
  popart::TensorId loss;
};

ModelGraph cnn(std::int64_t batch);
ModelGraph cifar(std::int64_t batch, float dropout);
ModelGraph resnet50(std::int64_t batch); // for training

struct EncoderShape {
  std::int64_t batch, layers, width, heads, words, sequence = 128;
  float dropout = 0.1f;
  std::int64_t ipus = 1; // more than one: a pipeline, layers in equal shares
};
ModelGraph encoder(const EncoderShape &shape);

} // namespace bench
