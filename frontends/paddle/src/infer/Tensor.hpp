// SPDX-License-Identifier: MIT
// The memory of a predictor's input or output.
#pragma once
#include "format/Types.hpp"
#include "paddle_inference_api.h"
#include <popart/iarray.hpp>

namespace paddle_infer {

struct Tensor::Memory : public popart::IArray {
  std::string tensorName;
  paddleipu::proto::VarType::Type paddleType = paddleipu::proto::VarType::FP32;
  std::vector<std::int64_t> dims;
  std::vector<char> bytes;
  bool input = false, filled = false;

  void resize(const std::vector<std::int64_t> &shape);
  // What a session sees: Paddle's types, except for results of 64 bits, which a device has not.
  void *data() override { return narrow.empty() ? bytes.data() : narrow.data(); }
  popart::DataType dataType() const override;
  std::size_t rank() const override { return dims.size(); }
  std::int64_t dim(std::size_t i) const override { return dims.at(i); }
  std::size_t nelms() const override;
  const popart::Shape shape() const override { return dims; }
  void widen(); // after a run

  std::vector<char> narrow; // of outputs with 64 bits
};

DataType dataTypeOf(paddleipu::proto::VarType::Type type);

} // namespace paddle_infer
