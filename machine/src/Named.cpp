// SPDX-License-Identifier: MIT
#include "machine/Named.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>

namespace machine {

const std::vector<NamedMachine> &namedMachines() {
  static const std::vector<NamedMachine> machines = {
      {"c2", "ipu1", 2},           {"dss8440", "ipu1", 16},    {"c600", "ipu21", 1},
      {"m2000", "ipu2", 4},        {"pod4", "ipu2", 4},        {"pod16", "ipu2", 16},
      {"pod64", "ipu2", 64},       {"pod128", "ipu2", 128},    {"pod256", "ipu2", 256},
      {"bow-2000", "bow", 4},      {"bow-pod4", "bow", 4},     {"bow-pod16", "bow", 16},
      {"bow-pod64", "bow", 64},    {"bow-pod128", "bow", 128}, {"bow-pod256", "bow", 256},
      {"bow-pod1024", "bow", 1024}};
  return machines;
}

namespace {

std::string lowered(std::string text) {
  for (char &c : text)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return text;
}

NamedMachine named(const std::string &given) {
  std::vector<std::string> names;
  std::string list;
  for (const auto &machine : namedMachines()) {
    if (machine.name == lowered(given))
      return machine;
    names.push_back(machine.name);
    list += (list.empty() ? "" : ", ") + machine.name;
  }
  throw BadVariable(base::str("OPENIPU_MACHINE: there is no machine \"", base::brief(given), "\".",
                              base::didYouMean(lowered(given), names), " The machines are ", list,
                              "."));
}

void refuseOther(const NamedMachine &machine, const char *variable, const std::string &expected) {
  const auto value = environment(variable);
  if (!value.empty() && value != expected)
    throw BadVariable(base::str("OPENIPU_MACHINE names ", machine.name, ", which has ",
                                machine.ipus, machine.ipus == 1 ? " IPU" : " IPUs", " of the chip ",
                                machine.chip, ", but ", variable, " is \"", base::brief(value),
                                "\". Unset one of them."));
}

} // namespace

std::optional<NamedMachine> machineOfEnvironment() {
  const auto given = environment("OPENIPU_MACHINE");
  if (given.empty())
    return std::nullopt;
  auto machine = named(given);
  refuseOther(machine, "OPENIPU_NUM_IPUS", std::to_string(machine.ipus));
  refuseOther(machine, "OPENIPU_IPU", machine.chip);
  refuseOther(machine, "OPENIPU_CHIP", machine.chip);
  return machine;
}

} // namespace machine
