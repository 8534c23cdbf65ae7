// SPDX-License-Identifier: MIT
// What a graph is compiled for: the machine's size and the figures that planners ask for. A cheap
// value.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/IpuLinkConfiguration.hpp>
#include <poplar/IpuLinkTopology.hpp>
#include <poplar/openipu/BroughtAlong.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <string>
#include <vector>

namespace poplar {

namespace openipu {
struct Access;
struct TargetData;
struct TargetAccess;
} // namespace openipu

// The machine that a graph is made for: kind, number of tiles, memory, and what operations cost
// there.
class Target {
public:
  Target();                                // no target: every query throws
  explicit Target(std::istream &in);       // as written by serialize; throws parse_error
  void serialize(std::ostream &out) const; // Writes the target for the constructor that reads it.

  // The host's processor as a target, without a model of time.
  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  // systemType: "ipu1", "ipu2", "ipu21", "bow", a system such as "IPU-POD16", or the path of a chip
  // description file. Options: syncConfiguration, gatewayMode, ipuLinkConfiguration,
  // ipuLinkTopology, ipuLinkDomainSize; POPLAR_TARGET_OPTIONS overrides them.
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags &opts = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags &opts = {});
  static Target createIPUTarget(StringRef system, const OptionFlags &opts = {});
  // The same machine with fewer IPUs or tiles.
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;            // IPU, IPU_MODEL or CPU
  StringRef getTargetArchString() const;       // throws poplar_error for a CPU target
  std::string getTargetSystemString() const;   // the system it was made from, or ""
  const OptionFlags &getTargetOptions() const; // what it was made with

  unsigned getNumTiles() const;               // of all IPUs
  unsigned getTilesPerIPU() const;            // tiles of one IPU
  unsigned getNumIPUs() const;                // IPUs of one replica's graph
  unsigned getNumWorkerContexts() const;      // 6: threads of a tile that run vertices
  unsigned getBytesPerTile() const;           // memory of one tile
  std::uint64_t getMemoryBytes() const;       // bytes of all tiles together
  double getTileClockFrequency() const;       // Hz
  unsigned getExchangeBytesPerCycle() const;  // what a tile receives in a cycle of exchange
  unsigned getMemcpyBytesPerCycle() const;    // what a tile copies within its memory in a cycle
  unsigned getDataPathWidth() const;          // bits
  unsigned getRptCountMax() const;            // the most passes of a hardware loop
  unsigned getAtomicStoreGranularity() const; // bytes
  unsigned getNumStrideBits() const;          // bits of an address step in strided loads and stores
  unsigned getTilesPerSharedExchangeBus() const; // tiles that share one connection to the exchange
  bool supportsExchangeBusSharing() const;       // whether both tiles of a pair can take one stream
  // First byte of each memory element, which serves one access in a cycle.
  std::vector<unsigned> getMemoryElementOffsets() const;
  // The element that interleaved memory begins with.
  unsigned getInterleavedMemoryElementIndex() const;

  std::size_t getTypeSize(const Type &type) const; // bytes on the device
  unsigned getVectorWidth(const Type &type) const; // elements per operation
  unsigned getFloatVectorWidth() const;            // floats per operation
  unsigned getHalfVectorWidth() const;             // halves per operation
  unsigned getQuarterVectorWidth() const;          // 8-bit floats per operation

  // Cycles from the last tile's arrival to the first tile's release.
  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;  // cycles to the last tile's release
  unsigned getGlobalSyncCycles() const; // the least cycles of a sync of all IPUs
  // Bandwidth that pairs of IPUs share, one entry per bundle of links.
  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;

  // Matrix units of a tile for a type of input and of sums. This and the next ones throw type_error
  // for types that the unit does not take.
  unsigned getNumConvUnits(const Type &input, const Type &partials) const;
  // Elements of weights that one unit holds.
  unsigned getWeightsPerConvUnit(const Type &input) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &partials) const; // positions in flight at once
  // Elements of input in a cycle.
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &input) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const; // bytes of weights in a cycle
  // getNumConvUnits for 8-bit floats summed in half.
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const; // getNumConvUnits for half summed in half
  unsigned getFp16InFp32OutConvUnitsPerTile() const; // getNumConvUnits for half summed in float
  unsigned getFp32InFp32OutConvUnitsPerTile() const; // getNumConvUnits for float
  unsigned getFp8ConvUnitMaxPipelineDepth() const;   // getConvUnitMaxPipelineDepth for 8-bit floats
  unsigned getFp16ConvUnitMaxPipelineDepth() const;  // getConvUnitMaxPipelineDepth for half
  unsigned getFp32ConvUnitMaxPipelineDepth() const;  // getConvUnitMaxPipelineDepth for float
  // getConvUnitInputLoadElemsPerCycle for 8-bit floats.
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  // getConvUnitInputLoadElemsPerCycle for half.
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  // getConvUnitInputLoadElemsPerCycle for float.
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;

  bool getGatewayMode() const; // whether the host is reached through a machine's gateway, not PCIe
  unsigned getInstanceSize() const;                     // IPUs that one host process drives
  IpuLinkConfiguration getIpuLinkConfiguration() const; // how IPU-Links are wired
  IpuLinkTopology getIpuLinkTopology() const; // whether the ladder of links is closed at its ends
  // IPUs that IPU-Links reach; beyond them gateway links are used.
  unsigned getIpuLinkDomainSize() const;

  // The largest and the lowest finite value of a type; throws poplar_error if T does not hold it
  // exactly.
  template <class T> T getTypeLimitsMaxAs(const Type &type) const { return limitAs<T>(type, true); }
  template <class T> T getTypeLimitsLowestAs(const Type &type) const {
    return limitAs<T>(type, false);
  }

  std::size_t hash() const;
  friend bool operator==(const Target &a, const Target &b);
  friend bool operator!=(const Target &a, const Target &b) { return !(a == b); }
  friend bool operator<(const Target &a, const Target &b);

private:
  friend struct openipu::Access;
  friend struct openipu::TargetAccess;
  explicit Target(std::shared_ptr<const openipu::TargetData> data);
  template <class T> T limitAs(const Type &type, bool max) const {
    T value;
    limit(type, max, equivalent_device_type<T>().value, &value);
    return value;
  }
  void limit(const Type &type, bool max, const Type &as, void *out) const;
  const openipu::TargetData &data() const;
  std::shared_ptr<const openipu::TargetData> data_;
};

bool operator==(const Target &a, const Target &b);
bool operator<(const Target &a, const Target &b);

// Arrays of half, as the device stores them. Deprecated: use convertToDeviceType and
// convertFromDeviceType.
void copyFloatToDeviceHalf(const Target &target, const float *src, void *dst,
                           std::size_t numElements);
void copyDeviceHalfToFloat(const Target &target, const void *src, float *dst,
                           std::size_t numElements);
void copyDoubleToDeviceHalf(const Target &target, const double *src, void *dst,
                            std::size_t numElements);
void copyDeviceHalfToDouble(const Target &target, const void *src, double *dst,
                            std::size_t numElements);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
  size_t operator()(const poplar::Target &target) const { return target.hash(); }
};
} // namespace std
