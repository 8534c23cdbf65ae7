// SPDX-License-Identifier: MIT
// What a device says of itself: the attributes that gc-info, gc-inventory, gcipuinfo and
// poplar::Device::getAttributes show, all as text. Versions are this software's. Power comes from
// the energy model, and temperatures from power (docs/machine.md): all of it is simulated.
#pragma once
#include "machine/Lease.hpp"
#include "machine/Partition.hpp"
#include <map>

namespace machine {

std::string softwareVersion(); // 0.1.0

struct Sensors { // of one IPU
  double utilisation = 0, session = 0;
  double watts = 0, dieTemperature = 0;
};
Sensors sensorsOf(const arch::Chip &chip, const std::optional<UsageView> &usage);
double boardTemperature(double boardWatts);

// What the attached processes of a domain do, read once: by place in the domain.
struct Occupancy {
  std::optional<Holder> holder;
  std::optional<UsageView> usage;
};
std::vector<Occupancy> occupancyOf(const Domain &domain);

using Attributes = std::map<std::string, std::string>;

// Reads the chip and the occupancy once, for any number of devices.
class AttributeReader {
public:
  explicit AttributeReader(Domain domain);
  const Domain &domain() const { return domain_; }
  const arch::Chip &chip() const { return chip_; }
  const std::vector<Occupancy> &occupancy() const { return occupancy_; }
  double boardWatts(unsigned place) const; // of all IPUs of its board
  // Of a group: those of its first IPU, but for the id. What cannot be known is "N/A".
  Attributes of(const Group &group) const;

private:
  void addBoard(Attributes &out, const Ipu &ipu) const;
  void addPartition(Attributes &out, const Ipu &ipu) const;
  void addSensors(Attributes &out, unsigned place) const;
  Domain domain_;
  arch::Chip chip_;
  std::vector<Occupancy> occupancy_;
};

std::string decimals(double value, int digits); // 101.2

} // namespace machine
