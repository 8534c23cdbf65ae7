// SPDX-License-Identifier: MIT
// A small convolutional network that tells digits apart, with its backward pass, out of the
// operator libraries: convolution, ReLU, max pooling, convolution, ReLU, group norm, two dense
// layers, softmax.
#pragma once
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <utility>
#include <vector>

namespace demo {

class DigitNet {
public:
  DigitNet(poplar::Graph &graph, std::size_t batch, float rate);

  // Inputs of a batch and what comes of it; the first three are written by the host.
  poplar::Tensor images, labels; // [batch][1][28][28], [batch]
  poplar::Tensor loss, correct;  // of the last batch: [batch], [1]

  poplar::program::Program start() const { return start_; } // draws the weights
  poplar::program::Program predict() const { return forward_; }
  poplar::program::Program learn() const { return learn_; } // forward, backward, update

private:
  struct Parameter {
    poplar::Tensor value, gradient;
  };
  Parameter &parameter(const poplar::Tensor &value, double spread, const std::string &name);
  void buildForward();
  void buildBackward();
  void buildUpdate(float rate);

  poplar::Graph &graph_;
  std::size_t batch_;
  poplar::program::Sequence start_, forward_, learn_;
  std::vector<Parameter> parameters_;
  poplar::Tensor act1_, pool1_, act2_, whitened_, deviation_, flat_, hidden_, deltas_;
};

} // namespace demo
