// SPDX-License-Identifier: MIT
// Systems: counting machines and racks, and the usual surroundings of a chip.
#include "arch/System.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include <stdexcept>

namespace arch {

unsigned System::machines() const {
  return unsigned(base::ceilDiv(ipus, chip.links.ipusPerMachine));
}
unsigned System::domains() const { return unsigned(base::ceilDiv(ipus, chip.links.ipusPerDomain)); }
const HostPort &System::hostPort() const {
  return hostLink == HostLink::Gateway ? chip.host.gateway : chip.host.card;
}
double System::watts(double perIpuWatts) const {
  return ipus * perIpuWatts + machines() * chip.power.machineWatts;
}

System systemOf(Chip chip, unsigned ipus) {
  if (ipus == 0)
    throw std::invalid_argument(
        base::str("A system needs at least one IPU; 0 of \"", chip.name, "\" were asked for."));
  System system;
  system.links = chip.host.hasGateway && ipus >= chip.links.ipusPerDomain ? LinkLayout::Torus
                                                                          : LinkLayout::Ladder;
  system.hostLink = chip.host.hasGateway ? HostLink::Gateway : HostLink::PcieCard;
  system.chip = std::move(chip);
  system.ipus = ipus;
  return system;
}

System systemOf(Chip chip, unsigned ipus, unsigned tilesPerIpu) {
  return systemOf(withTiles(std::move(chip), tilesPerIpu), ipus);
}

std::string toString(LinkLayout layout) {
  switch (layout) {
  case LinkLayout::Line:
    return "line";
  case LinkLayout::Ladder:
    return "ladder";
  case LinkLayout::Torus:
    return "torus";
  }
  return "unknown";
}

std::string toString(HostLink link) { return link == HostLink::Gateway ? "gateway" : "PCIe card"; }

LinkLayout linkLayoutByName(std::string_view name) {
  if (name == "mesh")
    return LinkLayout::Ladder;
  for (auto layout : {LinkLayout::Line, LinkLayout::Ladder, LinkLayout::Torus})
    if (toString(layout) == name)
      return layout;
  const std::vector<std::string> known = {"line", "ladder", "mesh", "torus"};
  throw std::invalid_argument(base::str("Unknown link layout \"", name, "\".",
                                        base::didYouMean(name, known), " Use one of ",
                                        base::list(known, ", "), "."));
}

} // namespace arch
