// SPDX-License-Identifier: MIT
// The IPU-Links of a device: neighbours, the channels between them, and what a test of them saw.
#pragma once
#include "arch/System.hpp"
#include "Tool.hpp"

namespace gclinks {

struct Channel {
  std::string from, to; // NLC_E_0A: side, number of the link pair, letter of the lane
  bool passed = false;
};

// Two IPUs with links between them. Places are those in the device.
struct Pair {
  unsigned from = 0, to = 0;
  std::vector<Channel> channels;
};

// Every pair of neighbours once, in the order of their ids.
std::vector<Pair> pairsOf(const arch::System &system);

struct Report {
  unsigned device = 0, ipus = 0;
  std::vector<std::string> names; // of the IPUs: PCIe ids, or ids of devices where there are none
  std::vector<Pair> pairs;
  unsigned lanes = 0;
  std::string error; // that ended the test; empty if none did

  unsigned fails() const; // channels that did not pass
  bool good() const { return error.empty() && fails() == 0; }
};

std::string textOf(const Report &report);
// As the vendor's tool prints it: keys "ipu to ipu" and "channel" come again and again in one
// object, which most parsers do not like. `arrays`: each of them once, with an array.
std::string jsonOf(const Report &report, bool arrays);

} // namespace gclinks
