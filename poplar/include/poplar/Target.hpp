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

class Target {
public:
  Target();                          // no target: every query throws
  explicit Target(std::istream &in); // as written by serialize; throws parse_error
  void serialize(std::ostream &out) const;

  static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
  // systemType: "ipu1", "ipu2", "ipu21", "bow", a system such as "IPU-POD16", or the path of a chip
  // description file. Options: syncConfiguration, gatewayMode, ipuLinkConfiguration,
  // ipuLinkTopology, ipuLinkDomainSize; POPLAR_TARGET_OPTIONS overrides them.
  static Target createIPUTarget(unsigned numIPUs, StringRef systemType,
                                const OptionFlags &opts = {});
  static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef systemType,
                                const OptionFlags &opts = {});
  static Target createIPUTarget(StringRef system, const OptionFlags &opts = {});
  Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

  TargetType getTargetType() const;
  StringRef getTargetArchString() const; // throws poplar_error for a CPU target
  std::string getTargetSystemString() const;
  const OptionFlags &getTargetOptions() const;

  unsigned getNumTiles() const;
  unsigned getTilesPerIPU() const;
  unsigned getNumIPUs() const;
  unsigned getNumWorkerContexts() const;
  unsigned getBytesPerTile() const;
  std::uint64_t getMemoryBytes() const;
  double getTileClockFrequency() const; // Hz
  unsigned getExchangeBytesPerCycle() const;
  unsigned getMemcpyBytesPerCycle() const;
  unsigned getDataPathWidth() const; // bits
  unsigned getRptCountMax() const;
  unsigned getAtomicStoreGranularity() const; // bytes
  unsigned getNumStrideBits() const;
  unsigned getTilesPerSharedExchangeBus() const;
  bool supportsExchangeBusSharing() const;
  std::vector<unsigned> getMemoryElementOffsets() const;
  unsigned getInterleavedMemoryElementIndex() const;

  std::size_t getTypeSize(const Type &type) const; // bytes on the device
  unsigned getVectorWidth(const Type &type) const; // elements per operation
  unsigned getFloatVectorWidth() const;
  unsigned getHalfVectorWidth() const;
  unsigned getQuarterVectorWidth() const;

  unsigned getMinIPUSyncDelay() const;
  unsigned getMaxIPUSyncDelay() const;
  unsigned getGlobalSyncCycles() const;
  // Bandwidth that pairs of IPUs share, one entry per bundle of links.
  std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;

  unsigned getNumConvUnits(const Type &input, const Type &partials) const;
  unsigned getWeightsPerConvUnit(const Type &input) const;
  unsigned getConvUnitMaxPipelineDepth(const Type &partials) const;
  unsigned getConvUnitInputLoadElemsPerCycle(const Type &input) const;
  unsigned getConvUnitCoeffLoadBytesPerCycle() const;
  unsigned getFp8InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp16OutConvUnitsPerTile() const;
  unsigned getFp16InFp32OutConvUnitsPerTile() const;
  unsigned getFp32InFp32OutConvUnitsPerTile() const;
  unsigned getFp8ConvUnitMaxPipelineDepth() const;
  unsigned getFp16ConvUnitMaxPipelineDepth() const;
  unsigned getFp32ConvUnitMaxPipelineDepth() const;
  unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
  unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;

  bool getGatewayMode() const;
  unsigned getInstanceSize() const; // IPUs that one host process drives
  IpuLinkConfiguration getIpuLinkConfiguration() const;
  IpuLinkTopology getIpuLinkTopology() const;
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
