// SPDX-License-Identifier: MIT
// The published models, layer by layer, in the configuration of a row.
#pragma once
#include "net.hpp"
#include <popart/adam.hpp>

namespace calibration::models {

struct Made {
  std::unique_ptr<Net> net;
  TensorId result;                              // loss, or the output
  std::shared_ptr<popart::Optimizer> optimizer; // training only
};

// What transformers are trained with: half momenta, float squares.
std::shared_ptr<popart::Optimizer> lamb(popart::AdamMode mode);

// ResNet-50 v1.5 (stride in the 3x3) on 224x224 images that arrive as bytes.
Made resnet50(std::int64_t batch, bool training);
// ResNeXt-101, 32 groups of 4 channels, on two IPUs.
Made resnext101(std::int64_t batch);

struct BertShape {
  std::int64_t layers, hidden, heads, sequence, batch; // of a micro-batch
  std::int64_t predictions = 0;                        // masked words per sequence
  std::int64_t perRow = 1;                             // sequences packed into one row
  std::vector<std::int64_t> layersPerIpu;
  bool questions = false; // fine-tuning on SQuAD instead of pre-training
};
Made bert(const BertShape &shape);
enum class VitTask { PreTraining, FineTuning };
Made vit(std::int64_t batch, VitTask task);
Made yolo(std::int64_t batch, std::int64_t pixels, const std::string &type);

} // namespace calibration::models
