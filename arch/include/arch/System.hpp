// SPDX-License-Identifier: MIT
// One or more IPUs of one kind, how they are linked and how the host reaches them.
#pragma once
#include "arch/Chip.hpp"

namespace arch {

// Line: ids in a row. Ladder: ids 2i and 2i+1 form a rung, even ids one rail and odd ids the other
// (an IPU-Link mesh). Torus: a ladder whose rails are closed to rings.
enum class LinkLayout { Line, Ladder, Torus };
enum class HostLink { PcieCard, Gateway };

struct System {
  Chip chip; // chip.tiles is the number of tiles in use on each IPU
  unsigned ipus = 1;
  LinkLayout links = LinkLayout::Ladder;
  HostLink hostLink = HostLink::Gateway;

  unsigned tilesPerIpu() const { return chip.tiles; }
  unsigned tiles() const { return ipus * chip.tiles; }
  unsigned ipuOf(unsigned tile) const { return tile / chip.tiles; }
  unsigned tileOnIpu(unsigned tile) const { return tile % chip.tiles; }
  unsigned machines() const;
  unsigned domains() const; // racks
  const HostPort &hostPort() const;
  double watts(double perIpuWatts) const; // with what the machines themselves draw
};

// The usual surroundings of a chip: a torus for a full rack, otherwise a ladder; gateway or card as
// the chip lives.
System systemOf(Chip chip, unsigned ipus = 1);
// Fewer tiles per IPU than the chip has.
System systemOf(Chip chip, unsigned ipus, unsigned tilesPerIpu);

std::string toString(LinkLayout layout);
std::string toString(HostLink link);
LinkLayout linkLayoutByName(
    std::string_view name); // line, ladder (or mesh), torus; throws std::invalid_argument

} // namespace arch
