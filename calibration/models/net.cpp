// SPDX-License-Identifier: MIT
#include "net.hpp"
#include <popart/voiddata.hpp>

namespace calibration::models {

void Net::place(std::int64_t ipu, std::int64_t stage) {
  builder->setAttribute(popart::sVirtualGraphAttribute, ipu);
  builder->setAttribute(popart::sPipelineStageAttribute, stage);
}

TensorId Net::input(const std::string &type, const Shape &shape, const std::string &name) {
  return builder->addInputTensor(type, shape, name);
}

TensorId Net::weight(const Shape &shape, const std::string &name) {
  const popart::TensorInfo info(type_, shape);
  zeros_.resize(std::max<std::size_t>(zeros_.size(), std::size_t(info.nbytes())));
  return builder->addInitializedInputTensor(popart::ConstVoidData(zeros_.data(), info), name);
}

TensorId Net::integers(const std::vector<std::int64_t> &values) {
  const popart::TensorInfo info("INT64", Shape{std::int64_t(values.size())});
  return onnx.constant(popart::ConstVoidData(values.data(), info));
}

TensorId Net::bytes(const Shape &shape, const std::string &name) {
  return graphcore.scale({onnx.cast({input("UINT8", shape, name)}, type_)}, 1.0f / 64);
}

TensorId Net::conv(const TensorId &x, std::int64_t out, std::int64_t kernel, std::int64_t stride,
                   std::int64_t groups, bool biased) {
  const auto name = next("conv");
  const auto w = weight({out, shape(x)[1] / groups, kernel, kernel}, name + ".weight");
  const std::int64_t pad = kernel / 2;
  std::vector<TensorId> args{x, w};
  if (biased)
    args.push_back(weight({out}, name + ".bias"));
  return onnx.conv(args, {1, 1}, groups, {}, {pad, pad, pad, pad}, {stride, stride}, name);
}

TensorId Net::batchNorm(const TensorId &x, bool training) {
  const auto name = next("norm");
  const Shape channels{shape(x)[1]};
  const std::vector<TensorId> args{
      x, weight(channels, name + ".scale"), weight(channels, name + ".bias"),
      weight(channels, name + ".mean"), weight(channels, name + ".var")};
  return onnx.batchnormalization(args, training ? 5 : 1, 1e-5f, 0.9f, name)[0];
}

TensorId Net::maxPool(const TensorId &x, std::int64_t kernel, std::int64_t stride,
                      std::int64_t pad) {
  return onnx.maxpool({x}, 1, {kernel, kernel}, 0, {}, {pad, pad, pad, pad}, 0,
                      {stride, stride})[0];
}

TensorId Net::dense(const TensorId &x, std::int64_t out, const std::string &name) {
  const auto w = weight({shape(x).back(), out}, name + ".weight");
  return onnx.add({onnx.matmul({x, w}, name), weight({out}, name + ".bias")}, name + "/bias");
}

TensorId Net::layerNorm(const TensorId &x, const std::string &name) {
  const Shape channels{shape(x).back()};
  return graphcore.groupnormalization(
      {x, weight(channels, name + ".scale"), weight(channels, name + ".bias")}, 1, 1e-5f, name)[0];
}

TensorId Net::dropout(const TensorId &x, float ratio) {
  return ratio > 0 ? onnx.dropout({x}, 1, ratio)[0] : x;
}

} // namespace calibration::models
