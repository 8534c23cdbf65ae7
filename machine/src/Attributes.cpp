// SPDX-License-Identifier: MIT
#include "machine/Attributes.hpp"
#include "base/Text.hpp"
#include <cmath>
#include <cstdio>

namespace machine {
namespace {

// A simple thermal model, ours (docs/machine.md): air of 22 degrees, 0.05 K/W from the board to it
// and 0.15 K/W from a die to its board. No public figure says more.
constexpr double airTemperature = 22, boardKelvinPerWatt = 0.05, dieKelvinPerWatt = 0.15;

void addHolder(Attributes &out, const Holder &holder) {
  out["process start time"] = holder.startTime;
  out["user executable"] = holder.executable;
  out["user name"] = holder.user;
  out["user process id"] = std::to_string(holder.processId);
}

std::string clockOf(const arch::Chip &chip) {
  return base::str(std::lround(chip.clockHz / 1e6), "MHz");
}

// Attributes that real devices have and simulated ones know nothing of.
constexpr const char *unknown[] = {"config domain",
                                   "hexoatt active size (bytes)",
                                   "hexoatt total size (bytes)",
                                   "hexopt active size (bytes)",
                                   "hexopt total size (bytes)",
                                   "link speed",
                                   "link width",
                                   "number of replicas",
                                   "parity error count threshold",
                                   "parity error threshold interval",
                                   "parity initialised"};

} // namespace

std::string softwareVersion() { return OPENIPU_VERSION; }

std::string decimals(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

double boardTemperature(double boardWatts) {
  return airTemperature + boardKelvinPerWatt * boardWatts;
}

// While it runs, an IPU draws what the energy model says; between runs, what an idle one does.
Sensors sensorsOf(const arch::Chip &chip, const std::optional<UsageView> &usage) {
  Sensors sensors;
  sensors.watts = chip.power.idleWatts;
  if (usage) {
    sensors.utilisation = usage->recent;
    sensors.session = usage->session;
    if (usage->watts > 0)
      sensors.watts += usage->recent * (usage->watts - chip.power.idleWatts);
  }
  sensors.dieTemperature = dieKelvinPerWatt * sensors.watts;
  return sensors;
}

std::vector<Occupancy> occupancyOf(const Domain &domain) {
  std::vector<Occupancy> all(domain.ipus.size());
  std::map<unsigned, std::optional<UsageView>> known; // by the first IPU of a lease
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].holder = holderOf(domain.ipus[i].number);
    if (!all[i].holder)
      continue;
    const auto [entry, isNew] = known.try_emplace(all[i].holder->firstIpu);
    if (isNew)
      entry->second = usageOf(*all[i].holder);
    all[i].usage = entry->second;
  }
  return all;
}

AttributeReader::AttributeReader(Domain domain)
    : domain_(std::move(domain)), chip_(chipOf(domain_.partition.chip)),
      occupancy_(occupancyOf(domain_)) {}

double AttributeReader::boardWatts(unsigned place) const {
  double sum = 0;
  for (std::size_t i = 0; i < domain_.ipus.size(); ++i)
    if (domain_.ipus[i].serial == domain_.ipus[place].serial)
      sum += sensorsOf(chip_, occupancy_[i].usage).watts;
  return sum;
}

void AttributeReader::addBoard(Attributes &out, const Ipu &ipu) const {
  out["board ipu index"] = std::to_string(ipu.index);
  out["board serial number"] = ipu.serial;
  out["board type"] = out["board variant"] = ipu.board;
  out["clock"] = clockOf(chip_);
  out["ipu architecture"] = chip_.archName;
  out["remote buffers supported"] = chip_.host.remoteBytesPerIpu > 0 ? "1" : "0";
  out["graph streaming"] = out["remote buffers supported"];
  out["driver version"] = out["firmware version"] = out["icu bootloader version"] =
      softwareVersion();
  int version[3] = {};
  std::sscanf(OPENIPU_VERSION, "%d.%d.%d", &version[0], &version[1], &version[2]);
  out["firmware major version"] = std::to_string(version[0]);
  out["firmware minor version"] = std::to_string(version[1]);
  out["firmware patch version"] = std::to_string(version[2]);
  out["ipu error state"] = errorStateOf(ipu.number).value_or("no errors");
  for (const char *count : {"host link correctable error count", "link correctable error count",
                            "link correctable error count (session)", "numa node"})
    out[count] = "0";
}

void AttributeReader::addPartition(Attributes &out, const Ipu &ipu) const {
  const auto &partition = domain_.partition;
  out["target"] = domain_.isFabric() ? "Fabric" : "PCIe";
  out["reconfigurable partition"] = partition.reconfigurable ? "1" : "0";
  if (!domain_.isFabric()) {
    out["pci id"] = ipu.pciId;
    out["pcie physical slot"] = out["sysfs file id"] = std::to_string(ipu.number);
    return;
  }
  out["gateway software version"] = out["ipuof server version"] = softwareVersion();
  out["ipuof host"] = ipu.host;
  out["ipuof partition id"] = partition.name;
  out["ipuof routing id"] = "0";
  out["ipuof routing type"] = partition.routing;
  out["partition sync type"] = partition.syncType;
}

void AttributeReader::addSensors(Attributes &out, unsigned place) const {
  const auto &[holder, usage] = occupancy_[place];
  if (holder)
    addHolder(out, *holder);
  const auto sensors = sensorsOf(chip_, usage);
  out["ipu utilisation"] = decimals(100 * sensors.utilisation, 2) + "%";
  out["ipu utilisation (session)"] = decimals(100 * sensors.session, 2) + "%";
  for (const char *key :
       {"average board temp", "average die temp", "ipu power", "total board power"})
    out[key] = "N/A";
  if (!usage || !usage->monitored)
    return;
  const double board = boardWatts(place), air = boardTemperature(board);
  out["average board temp"] = decimals(air, 1) + " C";
  out["average die temp"] = decimals(air + sensors.dieTemperature, 1) + " C";
  out["ipu power"] = decimals(sensors.watts, 1) + " W";
  out["total board power"] = decimals(board, 1) + " W";
}

Attributes AttributeReader::of(const Group &group) const {
  Attributes out;
  for (const char *key : unknown)
    out[key] = "N/A";
  out["id"] = std::to_string(group.id);
  addBoard(out, domain_.ipus[group.first]);
  addPartition(out, domain_.ipus[group.first]);
  addSensors(out, group.first);
  return out;
}

} // namespace machine
