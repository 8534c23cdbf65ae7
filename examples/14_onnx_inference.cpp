// SPDX-License-Identifier: MIT
// An ONNX file is loaded and run. The file is written first, with the Builder; any other will do.
#include "Example.hpp"
#include "Model.hpp"
#include <cstdio>
#include <fstream>
#include <popart/error.hpp>

using namespace popart;

// y = relu(x w) + x w, which makes the answer easy to know.
static TensorId write(const std::string &file) {
  auto builder = Builder::create();
  auto onnx = builder->aiOnnxOpset11();
  const TensorId x = builder->addInputTensor("FLOAT", {2, 3}, "x");
  const std::vector<float> w = {1, -1, 2, 0, 3, -2};
  const TensorId weights = builder->addInitializedInputTensor(
      ConstVoidData(w.data(), TensorInfo(DataType::FLOAT, {3, 2})), "w");
  const TensorId h = onnx.matmul({x, weights});
  const TensorId y = onnx.add({onnx.relu({h}), h});
  builder->addOutputTensor(y);
  builder->saveModelProto(file);
  return y;
}

static std::vector<float> run(const std::string &file, const TensorId &y) {
  auto session = InferenceSession::createFromOnnxModel(
      file, DataFlow(1, {{y, AnchorReturnType("All")}}), modelDevice());
  session->prepareDevice();
  std::vector<float> in = {1, 0, 0, 0, 1, 1}, out(4);
  NDArrayWrapper<float> inArray(in.data(), {2, 3}), outArray(out.data(), {2, 2});
  StepIO io({{"x", inArray}}, {{y, outArray}});
  session->run(io);
  return out;
}

// What is no model is refused with a reason.
static std::string reasonAgainst(const std::string &file) {
  std::ofstream(file) << "this is no model";
  try {
    run(file, "y");
  } catch (const popart::error &e) {
    return e.what();
  }
  return "";
}

int main() {
  const std::string file = "14_onnx_inference.onnx";
  const auto y = run(file, write(file));
  const bool right = isNear(y, {2, -1, 10, -2}, 1e-6f);
  const std::string reason = reasonAgainst(file);
  std::cout << "Something else in that file: " << reason << "\n";
  std::remove(file.c_str());
  return verdict(right && !reason.empty(), "the file's model gives what it says");
}
