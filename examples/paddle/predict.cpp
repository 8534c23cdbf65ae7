// SPDX-License-Identifier: MIT
// A deployment: predict MODEL.pdmodel MODEL.pdiparams runs a saved model on an IPU, on ones, and
// prints the shape and the sum of every result.       g++ predict.cpp -lpaddle_inference -lpopart
// -lpoplar
#include <iostream>
#include <numeric>
#include <paddle_inference_api.h>

int main(int argc, char **argv) {
  if (argc != 3) {
    std::cerr << "usage: predict MODEL.pdmodel MODEL.pdiparams\n";
    return 2;
  }
  try {
    paddle_infer::Config config(argv[1], argv[2]);
    config.EnableIpu(1, 1);
    config.DisableGlogInfo();
    auto predictor = paddle_infer::CreatePredictor(config);
    for (const auto &name : predictor->GetInputNames()) {
      auto input = predictor->GetInputHandle(name);
      const auto shape = input->shape();
      const int size = std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>());
      input->CopyFromCpu(std::vector<float>(std::size_t(size), 1.0f).data());
    }
    predictor->Run();
    for (const auto &name : predictor->GetOutputNames()) {
      auto output = predictor->GetOutputHandle(name);
      std::cout << name << ":";
      int size = 1;
      for (int d : output->shape()) {
        std::cout << " " << d;
        size *= d;
      }
      std::vector<float> values(static_cast<std::size_t>(size));
      output->CopyToCpu(values.data());
      std::cout << " sum " << std::accumulate(values.begin(), values.end(), 0.0) << "\n";
    }
  } catch (const std::exception &problem) {
    std::cerr << problem.what() << "\n";
    return 1;
  }
}
