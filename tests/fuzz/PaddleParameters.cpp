// SPDX-License-Identifier: MIT
// .pdiparams files of two tensors: what is read is written again as the same bytes.
#include "format/Files.hpp"
#include "Fuzz.hpp"
#include <stdexcept>

using namespace paddleipu;

namespace {
const std::vector<std::string> names{"a", "b"};
}

bool fuzz::accepts(std::string_view input) {
  try {
    const auto tensors = readParameters(input, names, "fuzz.pdiparams");
    const auto again = writeParameters(tensors);
    if (writeParameters(readParameters(again, names, "again.pdiparams")) != again)
      throw std::logic_error("accepted parameters change when they are written and read");
    return true;
  } catch (const FileError &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  static const float numbers[] = {1, 2, 3, 4, 5, 6};
  const std::string_view data(reinterpret_cast<const char *>(numbers), sizeof numbers);
  return {writeParameters({{"a", proto::VarType::FP32, {2, 3}, data},
                           {"b", proto::VarType::INT64, {1}, data.substr(0, 8)}})};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
