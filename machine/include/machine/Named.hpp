// SPDX-License-Identifier: MIT
// Machines by the names that they are sold under: a chip and a number of IPUs. OPENIPU_MACHINE
// names one.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace machine {

struct NamedMachine {
  std::string name; // bow-2000
  std::string chip; // bow
  unsigned ipus = 0;
  bool operator==(const NamedMachine &) const = default;
};
const std::vector<NamedMachine> &namedMachines();

// Capital letters are as good as small ones. BadVariable, with near matches, for a name that no
// machine has, and where OPENIPU_NUM_IPUS, OPENIPU_IPU or OPENIPU_CHIP say something else.
std::optional<NamedMachine> machineOfEnvironment();

} // namespace machine
