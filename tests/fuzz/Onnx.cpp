// SPDX-License-Identifier: MIT
// ONNX models, through the checker and the importer with all that operators infer and fold. What is
// accepted must be the same model when it is imported once more.
#include "Fuzz.hpp"
#include "onnx/import.hpp"
#include <onnx/defs/parser.h>
#include <popart/error.hpp>
#include <stdexcept>

namespace {

using namespace popart;

std::string imported(const onnxmodel::Model &model, bool training) {
  onnxmodel::ImportOptions options;
  options.training = training;
  return ir::text(onnxmodel::importModel(model, options));
}

onnx::ModelProto parsed(const char *text) {
  onnx::ModelProto model;
  onnx::OnnxParser parser(text);
  if (const auto status = parser.Parse(model); !status.IsOK())
    throw std::logic_error(status.ErrorMessage());
  return model;
}

void addInitializer(onnx::ModelProto &model, const std::string &name,
                    const ir::HostTensor &values) {
  auto *tensor = model.mutable_graph()->add_initializer();
  tensor->set_name(name);
  onnxmodel::write(*tensor, values);
}

} // namespace

// What is made of a model whose raw data stands outside the messages from so many bytes on, or what
// is wrong with it.
static std::string outcome(std::string_view input, std::size_t large) {
  try {
    return imported(onnxmodel::parseModel({input, nullptr}, "/nonexistent", large), false);
  } catch (const internal_error &) {
    throw;
  } catch (const popart::error &e) {
    return e.what();
  }
}

bool fuzz::accepts(std::string_view input) {
  if (outcome(input, onnxmodel::largeTensor) != outcome(input, 1))
    throw std::logic_error("a model is imported differently without its raw data");
  try {
    const auto model = onnxmodel::parseModel(input, "/nonexistent");
    if (imported(model, false) != imported(model, false))
      throw std::logic_error("a model is imported differently the second time");
    imported(model, true);
    return true;
  } catch (const internal_error &) {
    throw;
  } catch (const popart::error &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  auto layers = parsed(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[2,3] x) => (float[6] y) { h = MatMul(x, w)  r = Relu(h)  a = Add(r, b)
                                       t = Transpose <perm = [1, 0]> (a)  y = Reshape(t, s) })");
  addInitializer(layers, "w", ir::HostTensor::of<float>({3, 3}, std::vector<float>(9, 0.5f)));
  addInitializer(layers, "b", ir::HostTensor::of<float>({3}, {1, 2, 3}));
  addInitializer(layers, "s", ir::HostTensor::of<std::int64_t>({1}, {-1}));
  auto loop = parsed(R"(<ir_version: 7, opset_import: ["" : 11, "ai.graphcore" : 1]>
    g (bool c, float[2] x) => (float[2] y, float[3,2] s, float[2] z) {
      y, s = Loop (n, c, x) <body = l (int64 i, bool p, float[2] v) =>
          (bool q, float[2] w, float[2] u) { q = Identity(p)  w = Add(v, x)  u = Mul(w, w) }>
      z = If (c) <then_branch = a () => (float[2] t) { t = Relu(x) },
                  else_branch = b () => (float[2] e) { e = Add(x, x) }> })");
  addInitializer(loop, "n", ir::HostTensor::of<std::int64_t>({}, {3}));
  return {layers.SerializeAsString(), loop.SerializeAsString()};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
