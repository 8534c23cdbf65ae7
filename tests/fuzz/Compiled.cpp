// SPDX-License-Identifier: MIT
// Files of compiled models, as the cache and exports write them. The checksum would stop nearly
// every mutation, so inputs that do not begin like a file are taken for the part behind the header.
// What is accepted must survive being written and read once more.
#include "Fuzz.hpp"
#include "session/format.hpp"
#include <popart/error.hpp>
#include <sstream>
#include <stdexcept>

using namespace popart;
using namespace popart::session;

namespace {

ToStore viewOf(const Stored &stored) {
  return {stored.hash, stored.interface ? &*stored.interface : nullptr, &stored.variables, nullptr,
          stored.start ? &*stored.start : nullptr};
}

void checkRoundTrip(const Stored &stored) {
  const auto bytes = encodeMetadata(viewOf(stored));
  Stored again;
  decodeMetadata(bytes, again);
  if (encodeMetadata(viewOf(again)) != bytes)
    throw std::logic_error("what was accepted changes when it is written and read");
}

lowering::WeightSpec floats(const TensorId &id, const Shape &shape) {
  lowering::WeightSpec spec;
  spec.id = id;
  spec.info = TensorInfo(DataType::FLOAT, shape);
  return spec;
}

// A convolution with the norm behind it, which the host folds.
void addNorm(lowering::Interface &io) {
  io.weights.push_back(floats("kernel", {4, 3, 1}));
  for (const char *id : {"scale", "shift", "mean", "variance"})
    io.weights.push_back(floats(id, {4}));
  io.made = {floats("made", {4, 3, 1}), floats("bias", {4})};
  io.norms = {{"made", "bias", "kernel", "", "scale", "shift", "mean", "variance", 1e-5, 2, 3}};
}

Stored sample() {
  Stored out;
  out.hash = "0123456789abcdef0123456789abcdef";
  lowering::Interface io;
  io.replicas = 2;
  lowering::InputSpec input;
  input.id = "x";
  input.info = TensorInfo(DataType::FLOAT, {2, 3});
  input.toDevice = "h2d_x";
  io.inputs = {input};
  lowering::AnchorSpec anchor;
  anchor.id = "y";
  anchor.info = TensorInfo(DataType::FLOAT16, {4});
  anchor.outer = {2};
  io.anchors = {anchor};
  lowering::WeightSpec weight;
  weight.id = "w";
  weight.info = TensorInfo(DataType::INT32, {});
  weight.groups = 2;
  weight.groupOf = {0, 1};
  weight.slot = "Accl1";
  weight.weight = "kernel";
  io.weights = {weight};
  addNorm(io);
  io.held = {input};
  auto &rate = io.hyperParameters.emplace_back();
  static_cast<lowering::HostTensorSpec &>(rate) = input;
  rate.slot = "learningRate";
  rate.weight = "w";
  io.cycleCounters = {""};
  out.interface = io;
  out.variables["w"] = HostBytes::copyOf(std::string_view("\1\2\3\4"));
  out.start = Start{{{"x", input.info}},
                    {{"w", HostBytes::copyOf("abcd")}},
                    {{"x", HostBytes::copyOf(std::string(24, 'x'))}}};
  return out;
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  try {
    Stored stored;
    if (!input.empty() && input[0] == '\x89') {
      std::istringstream in{std::string(input)};
      stored = readStored(in);
    } else {
      decodeMetadata(input, stored);
    }
    checkRoundTrip(stored);
    return true;
  } catch (const popart::error &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  const auto stored = sample();
  std::ostringstream file;
  writeStored(file, viewOf(stored));
  return {encodeMetadata(viewOf(stored)), file.str(),
          encodeMetadata({"", nullptr, nullptr, nullptr})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
