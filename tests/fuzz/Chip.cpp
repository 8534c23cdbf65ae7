// SPDX-License-Identifier: MIT
// Descriptions of chips. What is accepted must be the same chip after it is described and parsed
// once more.
#include "arch/ChipText.hpp"
#include "Fuzz.hpp"
#include <sstream>
#include <stdexcept>

bool fuzz::accepts(std::string_view input) {
  std::istringstream text{std::string(input)};
  std::string described;
  try {
    described = arch::describe(arch::parseChip(text, "fuzz.chip"));
  } catch (const std::invalid_argument &) {
    return false;
  }
  std::istringstream again(described);
  if (arch::describe(arch::parseChip(again, "again.chip")) != described)
    throw std::logic_error("an accepted chip changes when it is described and parsed");
  return true;
}

std::vector<std::string> fuzz::validInputs() {
  return {"base = ipu2\nname = bigger\ntiles = 4000\nclock = 2.0 GHz\nmemory = 1 MiB  # each\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
