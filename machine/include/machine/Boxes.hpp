// SPDX-License-Identifier: MIT
// What IPUs stand in: IPU-Machines with a gateway, and PCIe cards. A box of a kind has the chip,
// the number of IPUs, the places and the serial numbers that such a box has.
#pragma once
#include "arch/Chip.hpp"
#include <string>
#include <vector>

namespace machine {

struct BoxKind {
  std::string name; // M2000
  std::string chip; // a name, or the path of a description
  unsigned ipus = 0;
  bool fabric = true; // reached through a gateway; else by PCIe
  bool operator==(const BoxKind &) const = default;
};
const std::vector<BoxKind> &boxKinds(); // M2000, BOW-2000, C2, C600
const BoxKind *findBoxKind(const std::string &name);
// The usual home of a chip; one of its own for a chip of the user.
BoxKind boxKindOf(const arch::Chip &chip, const std::string &nameOrPath);

struct Box {
  std::string agent; // its name for the controller: ag01
  BoxKind kind;
  std::string host;
  unsigned number = 0;   // of all boxes, from 0; the serial number counts it
  unsigned firstIpu = 0; // number of its first IPU in the registry
  unsigned ipus = 0;     // as many as the kind has, or fewer
  bool operator==(const Box &) const = default;
};

// One IPU, as a partition's configuration describes it.
struct Ipu {
  unsigned number = 0; // in the registry: who attaches takes the lease of that number
  unsigned index = 0;  // IPU#: its place on the board or in the IPU-Machine
  std::string host, serial, board, pciId; // host is empty on PCIe, pciId in an IPU-Machine
  unsigned serverPort = 0, rdmaPort = 0;
  bool operator==(const Ipu &) const = default;
};

Ipu ipuOf(const Box &box, unsigned place); // place: from 0
unsigned perBoard(const Ipu &ipu);         // IPUs that share its serial number: 2, or 1 on C600

// Enough boxes for so many IPUs, numbered from `firstBox`; the last may not be full.
std::vector<Box> boxesFor(const BoxKind &kind, unsigned ipus);

// By name, or from a description file if the text is a path. std::invalid_argument with near
// matches; base::FileError if the file is none.
arch::Chip chipOf(const std::string &nameOrPath);

} // namespace machine
