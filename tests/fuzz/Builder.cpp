// SPDX-License-Identifier: MIT
// Calls of operators with whatever inputs and attributes: the bytes choose them
// (popart/testing/randommodels.hpp). The Builder and the importer take them or say what is wrong.
#include "Fuzz.hpp"
#include "onnx/import.hpp"
#include "randommodels.hpp"
#include <popart/builder.hpp>
#include <popart/error.hpp>

using namespace popart;

bool fuzz::accepts(std::string_view input) {
  const popart::testing::RandomModel model{popart::testing::Choices(input)};
  const auto bytes = model.proto().SerializeAsString();
  try {
    Builder::createFromOnnxModel(bytes);
    onnxmodel::importModel(onnxmodel::parseModel(bytes));
    return true;
  } catch (const internal_error &) {
    throw;
  } catch (const popart::error &) {
    return false;
  }
}

// The first few that are accepted.
std::vector<std::string> fuzz::validInputs() {
  std::vector<std::string> out;
  for (unsigned seed = 1; out.size() < 16; ++seed)
    if (auto bytes = popart::testing::Choices::randomBytes(seed); accepts(bytes))
      out.push_back(std::move(bytes));
  return out;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
