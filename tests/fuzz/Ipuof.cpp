// SPDX-License-Identifier: MIT
// Configurations of partitions, and the record of the machine. What is accepted must be the same
// after it is written and read once more.
#include "Fuzz.hpp"
#include "machine/Error.hpp"
#include "machine/State.hpp"
#include <stdexcept>

namespace {

template <class Parse, class Write>
bool survives(std::string_view input, const Parse &parse, const Write &write) {
  try {
    const auto first = parse(input, "fuzz.conf");
    if (parse(write(first), "again.conf") != first)
      throw std::logic_error("an accepted file changes when it is written and read");
    return true;
  } catch (const machine::Error &) {
    return false;
  }
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  return survives(input, machine::parseConfiguration, machine::configurationOf) ||
         survives(input, machine::parseState, machine::textOf);
}

std::vector<std::string> fuzz::validInputs() {
  machine::State state;
  state.boxes = machine::boxesFor(*machine::findBoxKind("M2000"), 8);
  state.clusters = {{"c1", {"ag01", "ag02"}, true, 1}};
  state.allocations = {{"alice", "c1", {"ag02"}}};
  machine::Partition fixed;
  fixed.name = "fixed";
  fixed.reconfigurable = false;
  fixed.gcds = 2;
  state.partitions = {{machine::Partition(), 0, 4}, {fixed, 4, 4}};
  return {machine::textOf(state), machine::configurationOf(state.domain(state.partitions[1], 1))};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
