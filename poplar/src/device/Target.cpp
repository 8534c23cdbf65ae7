// SPDX-License-Identifier: MIT
// Targets: how they are made, and what they answer.
#include "poplar/Target.hpp"
#include "arch/Links.hpp"
#include "base/CheckedSize.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "device/SystemNames.hpp"
#include "device/TargetData.hpp"
#include "openipu/Chip.hpp"
#include "openipu/TargetDifferences.hpp"
#include "poplar/exceptions.hpp"
#include "types/TypeAccess.hpp"
#include <algorithm>
#include <istream>
#include <map>
#include <ostream>

namespace poplar {

using base::str;
using device::TargetData;

namespace {

const base::Logger &logger() {
  static const base::Logger instance("POPLAR", "PO", "TARGET");
  return instance;
}

// Chip and largest number of IPUs that a systemType stands for; 0: no limit.
struct Described {
  arch::Chip chip;
  unsigned maxIpus;
};
Described describeSystem(const std::string &systemType) {
  if (const auto *system = device::findSystem(systemType))
    return {device::findChip(system->chip), system->ipus};
  return {device::findChip(systemType), 0};
}

Target makeIpuTarget(unsigned numIPUs, const unsigned *tilesPerIPU, const std::string &systemType,
                     const OptionFlags &opts) {
  auto [chip, maxIpus] = describeSystem(systemType);
  if (numIPUs == 0 || (maxIpus && numIPUs > maxIpus))
    throw invalid_machine_model(
        str("A target of ", numIPUs, " IPUs in system \"", systemType, "\" was asked for; ",
            maxIpus ? str("it has 1 to ", maxIpus) : "at least one is needed", "."));
  if (tilesPerIPU && (*tilesPerIPU == 0 || *tilesPerIPU > chip.tiles))
    throw invalid_machine_model(str("A target with ", *tilesPerIPU,
                                    " tiles per IPU was asked for; \"", chip.name, "\" has 1 to ",
                                    chip.tiles, "."));
  TargetData data;
  data.system = arch::systemOf(chip, numIPUs, tilesPerIPU ? *tilesPerIPU : chip.tiles);
  data.systemName = systemType;
  device::applyOptions(data, opts);
  logger().debug("target of ", numIPUs, " IPUs, ", data.system.chip.tiles, " tiles each, system ",
                 systemType);
  return device::TargetAccess::make(std::move(data));
}

} // namespace

void device::requireSize(const arch::System &system) {
  constexpr std::uint64_t most = 1 << 24;
  const auto tiles = base::checkedProduct(system.ipus, system.chip.tiles, most);
  if (!tiles || *tiles == 0)
    throw invalid_machine_model(str("A target of ", system.ipus, " IPUs with ", system.chip.tiles,
                                    " tiles each was asked for; it needs 1 to ",
                                    base::thousands(most), " tiles in all."));
}

Target openipu::targetOfAll(const Target &device, unsigned here, unsigned all) {
  auto data = device::dataOf(device);
  auto &system = data.system;
  const auto usual = [&] { return arch::systemOf(system.chip, system.ipus).links; };
  const bool chosen = system.links != usual();
  system.ipus = system.ipus / here * all;
  if (!chosen)
    system.links = usual();
  return device::TargetAccess::make(std::move(data));
}

Target::Target() = default;
Target::Target(std::shared_ptr<const TargetData> data) : data_(std::move(data)) {}

Target::Target(std::istream &in) {
  std::string line;
  if (!std::getline(in, line))
    throw parse_error("A serialised target was expected, but the stream is at its end.");
  auto data = device::parseTarget(line);
  device::requireSize(data.system);
  data_ = std::make_shared<const TargetData>(std::move(data));
}

void Target::serialize(std::ostream &out) const { out << device::describe(data()) << '\n'; }

const TargetData &Target::data() const {
  if (!data_)
    throw poplar_error(
        "The target is empty: it was default-constructed. Take it from a device, or create one.");
  return *data_;
}

Target Target::createCPUTarget(bool accurateHalf, unsigned numIPUs) {
  if (numIPUs == 0)
    throw invalid_machine_model("A CPU target of 0 IPUs was asked for; at least one is needed.");
  auto chip = arch::withTiles(arch::chipByName("ipu2"), 1);
  chip.name = chip.displayName = "cpu";
  chip.workers = 1;
  TargetData data;
  data.type = TargetType::CPU;
  data.system = arch::systemOf(std::move(chip), numIPUs);
  data.systemName = "cpu";
  data.accurateHalf = accurateHalf;
  return device::TargetAccess::make(std::move(data));
}

Target Target::createIPUTarget(unsigned numIPUs, StringRef systemType, const OptionFlags &opts) {
  return makeIpuTarget(numIPUs, nullptr, systemType, opts);
}
Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                               const OptionFlags &opts) {
  return makeIpuTarget(numIPUs, &tilesPerIPU, systemType, opts);
}
Target Target::createIPUTarget(StringRef system, const OptionFlags &opts) {
  const auto *named = device::findSystem(system);
  return makeIpuTarget(named ? named->ipus : 1, nullptr, system, opts);
}

Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const {
  if (numIPUs == 0 || tilesPerIPU == 0)
    throw poplar_error(str("A virtual target needs at least one IPU and one tile; ", numIPUs,
                           " IPUs with ", tilesPerIPU, " tiles each were asked for."));
  auto copy = data();
  copy.system.ipus = numIPUs;
  copy.system.chip.tiles = tilesPerIPU;
  std::erase_if(copy.constraints, [&](const GlobalExchangeConstraint &c) {
    return std::ranges::any_of(c.flows,
                               [&](const auto &f) { return f.src >= numIPUs || f.dst >= numIPUs; });
  });
  return device::TargetAccess::make(std::move(copy));
}

// ---- what it is ----

const arch::Chip &openipu::chipOf(const Target &target) { return device::systemOf(target).chip; }

TargetType Target::getTargetType() const { return data().type; }
StringRef Target::getTargetArchString() const {
  if (data().type == TargetType::CPU)
    throw poplar_error("A CPU target has no IPU architecture.");
  return data().system.chip.archName;
}
std::string Target::getTargetSystemString() const { return data().systemName; }
const OptionFlags &Target::getTargetOptions() const { return data().options; }

unsigned Target::getNumTiles() const { return data().system.tiles(); }
unsigned Target::getTilesPerIPU() const { return data().system.tilesPerIpu(); }
unsigned Target::getNumIPUs() const { return data().system.ipus; }
unsigned Target::getNumWorkerContexts() const { return data().system.chip.workers; }
unsigned Target::getBytesPerTile() const {
  return static_cast<unsigned>(data().system.chip.bytesPerTile);
}
std::uint64_t Target::getMemoryBytes() const {
  return getNumTiles() * data().system.chip.bytesPerTile;
}
double Target::getTileClockFrequency() const { return data().system.chip.clockHz; }
unsigned Target::getExchangeBytesPerCycle() const {
  return data().system.chip.exchange.bytesPerCycle;
}
unsigned Target::getMemcpyBytesPerCycle() const { return data().system.chip.copy.bytesPerCycle; }
unsigned Target::getDataPathWidth() const { return data().system.chip.dataPathBits; }
unsigned Target::getRptCountMax() const { return data().system.chip.repeatCountMax; }
unsigned Target::getAtomicStoreGranularity() const {
  return data().system.chip.memory.atomicStoreBytes;
}
unsigned Target::getNumStrideBits() const { return data().system.chip.strideBits; }
unsigned Target::getTilesPerSharedExchangeBus() const { return data().system.chip.tilesPerPair; }
bool Target::supportsExchangeBusSharing() const {
  const auto &bus = data().system.chip.exchange;
  return data().system.chip.tilesPerPair > 1 && bus.pairBytesPerCycle > bus.bytesPerCycle;
}
std::vector<unsigned> Target::getMemoryElementOffsets() const {
  const auto offsets = data().system.chip.elementOffsets();
  return {offsets.begin(), offsets.end()};
}
unsigned Target::getInterleavedMemoryElementIndex() const {
  return data().system.chip.interleavedElement();
}

std::size_t Target::getTypeSize(const Type &type) const { return sizeOf(types::idOf(type)); }
unsigned Target::getVectorWidth(const Type &type) const {
  return std::max(1u, static_cast<unsigned>(getDataPathWidth() / (8 * getTypeSize(type))));
}
unsigned Target::getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
unsigned Target::getHalfVectorWidth() const { return getVectorWidth(HALF); }
unsigned Target::getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }

unsigned Target::getMinIPUSyncDelay() const { return data().system.chip.sync.minDelayCycles; }
unsigned Target::getMaxIPUSyncDelay() const { return data().system.chip.sync.maxDelayCycles; }
unsigned Target::getGlobalSyncCycles() const { return data().system.chip.sync.globalCycles; }

std::vector<GlobalExchangeConstraint> Target::getGlobalExchangeConstraints() const {
  if (!data().constraints.empty())
    return data().constraints;
  const auto &system = data().system;
  std::map<arch::LinkResource, std::vector<GlobalExchangeFlow>> flows;
  for (unsigned src = 0; src != system.ipus; ++src)
    for (unsigned dst = 0; dst != system.ipus; ++dst)
      for (const auto &resource : arch::routeBetween(system, src, dst))
        flows[resource].emplace_back(src, dst);
  std::vector<GlobalExchangeConstraint> result;
  for (auto &[resource, users] : flows)
    result.emplace_back(8 * arch::bytesPerSecond(system, resource), std::move(users));
  return result;
}

bool Target::getGatewayMode() const { return data().system.hostLink == arch::HostLink::Gateway; }
unsigned Target::getInstanceSize() const { return getNumIPUs(); }
IpuLinkConfiguration Target::getIpuLinkConfiguration() const { return data().linkConfiguration; }
IpuLinkTopology Target::getIpuLinkTopology() const {
  switch (data().system.links) {
  case arch::LinkLayout::Line:
    return IpuLinkTopology::Line;
  case arch::LinkLayout::Torus:
    return IpuLinkTopology::Torus;
  case arch::LinkLayout::Ladder:
    break;
  }
  return IpuLinkTopology::Mesh;
}
unsigned Target::getIpuLinkDomainSize() const { return data().system.chip.links.ipusPerDomain; }

// ---- identity ----

std::size_t Target::hash() const {
  const auto text = device::describe(data());
  return base::hashBytes(text.data(), text.size());
}

static std::string identity(const Target &target, const std::shared_ptr<const TargetData> &data) {
  return data ? device::describe(device::dataOf(target)) : std::string();
}
bool operator==(const Target &a, const Target &b) {
  return a.data_ == b.data_ || identity(a, a.data_) == identity(b, b.data_);
}
bool operator<(const Target &a, const Target &b) {
  return identity(a, a.data_) < identity(b, b.data_);
}

} // namespace poplar
