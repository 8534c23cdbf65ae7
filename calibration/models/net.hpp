// SPDX-License-Identifier: MIT
// A model under construction: half-precision layers on the Builder, with weights that are all zero
// (what they are does not change what they cost).
#pragma once
#include <popart/builder.hpp>

namespace calibration::models {

using popart::Shape;
using popart::TensorId;

class Net {
public:
  explicit Net(const std::string &type = "FLOAT16") : type_(type) {}

  // Nodes from here on: IPU and, in a pipeline, stage.
  void place(std::int64_t ipu, std::int64_t stage);

  TensorId input(const std::string &type, const Shape &shape, const std::string &name);
  TensorId weight(const Shape &shape, const std::string &name);
  TensorId integers(const std::vector<std::int64_t> &values);  // a constant
  TensorId bytes(const Shape &shape, const std::string &name); // of images, made numbers

  // Images, channels first.
  TensorId conv(const TensorId &x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1,
                std::int64_t groups = 1, bool biased = false);
  TensorId batchNorm(const TensorId &x, bool training);
  TensorId maxPool(const TensorId &x, std::int64_t kernel, std::int64_t stride, std::int64_t pad);

  // Rows of features.
  TensorId dense(const TensorId &x, std::int64_t out, const std::string &name);
  TensorId layerNorm(const TensorId &x, const std::string &name);
  TensorId dropout(const TensorId &x, float ratio);

  Shape shape(const TensorId &id) { return builder->getTensorShape(id); }

  std::unique_ptr<popart::Builder> builder = popart::Builder::create();
  popart::AiOnnxOpset11 onnx = builder->aiOnnxOpset11();
  popart::AiGraphcoreOpset1 graphcore = builder->aiGraphcoreOpset1();

private:
  std::string next(const char *what) { return what + std::to_string(count_++); }
  std::string type_;
  unsigned count_ = 0;
  std::vector<char> zeros_;
};

} // namespace calibration::models
