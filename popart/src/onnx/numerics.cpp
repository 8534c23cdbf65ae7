// SPDX-License-Identifier: MIT
#include <popart/numerics.hpp>

#include "base/Text.hpp"
#include "onnx/import.hpp"
#include <cmath>
#include <popart/error.hpp>

namespace popart::numerics {

namespace {
std::map<TensorId, ir::HostTensor> weightsOf(const std::string &modelOrFile) {
  std::error_code ignored;
  const bool isFile =
      modelOrFile.size() < 4096 && std::filesystem::is_regular_file(modelOrFile, ignored);
  const auto model =
      isFile ? onnxmodel::loadModel(modelOrFile) : onnxmodel::parseModel(modelOrFile);
  onnxmodel::TensorReader reader(model);
  std::map<TensorId, ir::HostTensor> out;
  for (const auto &initializer : model.proto->graph().initializer())
    out[initializer.name()] = reader.read(initializer);
  return out;
}
} // namespace

NumericsReport::NumericsReport(std::string A0, std::string A1, std::string B0, std::string B1) {
  const auto a0 = weightsOf(A0), a1 = weightsOf(A1), b0 = weightsOf(B0), b1 = weightsOf(B1);
  for (const auto &[id, first] : a0) {
    for (const auto *other : {&a1, &b0, &b1})
      if (!other->count(id) || other->at(id).info() != first.info())
        throw error(base::str("The models do not all have the initializer \"", id, "\" as ",
                              first.info(), "."));
    const auto was = first.doubles(), is = a1.at(id).doubles();
    const auto otherWas = b0.at(id).doubles(), otherIs = b1.at(id).doubles();
    auto &sums = sums_[id];
    for (std::size_t i = 0; i < was.size(); ++i) {
      const double a = is[i] - was[i], b = otherIs[i] - otherWas[i];
      sums.a += a * a;
      sums.b += b * b;
      sums.difference += (a - b) * (a - b);
    }
  }
}

float NumericsReport::Sums::relative() const {
  return difference == 0 ? 0.0f : static_cast<float>(difference / std::sqrt(a * b));
}
std::string NumericsReport::report(TensorId id) const {
  const auto it = sums_.find(id);
  if (it == sums_.end())
    throw error("The models have no initializer \"{}\".", id);
  const auto &s = it->second;
  return base::str(id, ": |dA| ", std::sqrt(s.a), ", |dB| ", std::sqrt(s.b), ", |dA - dB| ",
                   std::sqrt(s.difference), ", relative ", s.relative());
}
std::string NumericsReport::fullReport() const {
  std::string out;
  for (const auto &[id, sums] : sums_)
    out += report(id) + "\n";
  return out;
}
std::map<TensorId, float> NumericsReport::getRelativeErrors() const {
  std::map<TensorId, float> out;
  for (const auto &[id, sums] : sums_)
    out[id] = sums.relative();
  return out;
}

} // namespace popart::numerics
