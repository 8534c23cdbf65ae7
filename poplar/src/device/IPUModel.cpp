// SPDX-License-Identifier: MIT
// A machine described field by field. The fields start from a chip and are put back into a chip
// when a device is made.
#include "poplar/IPUModel.hpp"
#include "base/Text.hpp"
#include "device/DeviceData.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <tuple>

namespace poplar {
namespace {

void require(bool condition, const char *field, const std::string &rule) {
  if (!condition)
    throw invalid_machine_model(base::str("IPUModel::", field, " ", rule, "."));
}

void check(const IPUModel &m) {
  require(m.numIPUs > 0, "numIPUs", "must be at least 1");
  require(m.tilesPerIPU > 0, "tilesPerIPU", "must be at least 1");
  require(m.tilesPerSuperTile > 0, "tilesPerSuperTile", "must be at least 1");
  require(m.numWorkerContexts > 0, "numWorkerContexts", "must be at least 1");
  require(m.memoryBytesPerTile > 0, "memoryBytesPerTile", "must be above zero");
  require(m.exchangeBytesPerCycle > 0, "exchangeBytesPerCycle", "must be above zero");
  require(m.memcpyBytesPerCycle > 0, "memcpyBytesPerCycle", "must be above zero");
  require(m.tileClockFrequency > 0, "tileClockFrequency", "must be above zero (Hz)");
  require(m.dataPathWidth >= 8 && m.dataPathWidth % 8 == 0, "dataPathWidth",
          "must be a multiple of 8 (bits)");
  for (const auto &constraint : m.globalExchangeConstraints)
    for (const auto &flow : constraint.flows)
      require(flow.src < m.numIPUs && flow.dst < m.numIPUs, "globalExchangeConstraints",
              base::str("names a flow from IPU ", flow.src, " to IPU ", flow.dst,
                        ", but there are ", m.numIPUs));
}

// The interleaved region starts where the model says, and ends with the tile's memory.
void setMemory(arch::Chip &chip, const IPUModel &m) {
  auto &memory = chip.memory;
  chip.bytesPerTile = m.memoryBytesPerTile;
  memory.plainBytes = std::min<std::uint64_t>(
      m.memoryBytesPerTile, m.interleavedMemoryElementIndex * memory.plainElementBytes);
  memory.interleavedBytes = m.memoryBytesPerTile - memory.plainBytes;
}

void setSync(arch::Chip &chip, const IPUModel &m) {
  const unsigned spread = chip.sync.maxDelayCycles - chip.sync.minDelayCycles;
  chip.sync.minDelayCycles = m.minIPUSyncDelay;
  chip.sync.maxDelayCycles =
      m.minIPUSyncDelay +
      (m.relativeSyncDelay == IPUModel::RelativeSyncDelayType::AUTO ? spread : 0);
  chip.sync.globalCycles = m.globalSyncCycles;
}

void setMatrixUnit(arch::Amp &amp, const IPUModel &m) {
  amp.quarterInputsPerCycle = m.fp8ConvUnitInputLoadElemsPerCycle;
  amp.halfInputsPerCycle = m.fp16ConvUnitInputLoadElemsPerCycle;
  amp.floatInputsPerCycle = m.fp32ConvUnitInputLoadElemsPerCycle;
  amp.quarterUnits = m.fp8InFp16OutConvUnitsPerTile;
  amp.halfHalfUnits = m.fp16InFp16OutConvUnitsPerTile;
  amp.halfFloatUnits = m.fp16InFp32OutConvUnitsPerTile;
  amp.floatUnits = m.fp32InFp32OutConvUnitsPerTile;
  amp.interleavedWeightLoadBytesPerCycle = m.convUnitCoeffLoadBytesPerCycle;
  amp.pipelineDepth = m.fp16ConvUnitMaxPipelineDepth;
}

arch::Chip chipOf(const IPUModel &m) {
  auto chip = arch::withTiles(device::findChip(m.IPUVersion), m.tilesPerIPU);
  chip.tilesPerPair = m.tilesPerSuperTile;
  chip.workers = m.numWorkerContexts;
  chip.clockHz = m.tileClockFrequency;
  chip.dataPathBits = m.dataPathWidth;
  chip.code.instructionBytes = m.instructionBytes;
  chip.copy.bytesPerCycle = m.memcpyBytesPerCycle;
  chip.exchange.bytesPerCycle = m.exchangeBytesPerCycle;
  chip.exchange.pairBytesPerCycle =
      m.exchangeBytesPerCycle * (m.supportsSuperTileSendReceive ? m.tilesPerSuperTile : 1);
  setMemory(chip, m);
  setSync(chip, m);
  setMatrixUnit(chip.amp, m);
  return chip;
}

auto fields(const IPUModel &m) {
  return std::tie(
      m.IPUVersion, m.numIPUs, m.tilesPerIPU, m.tilesPerSuperTile, m.numWorkerContexts,
      m.memoryBytesPerTile, m.exchangeBytesPerCycle, m.memcpyBytesPerCycle, m.minIPUSyncDelay,
      m.relativeSyncDelay, m.globalSyncCycles, m.globalExchangeConstraints, m.tileClockFrequency,
      m.dataPathWidth, m.instructionBytes, m.supportsSuperTileSendReceive,
      m.interleavedMemoryElementIndex, m.compileIPUCode, m.fp8ConvUnitInputLoadElemsPerCycle,
      m.fp16ConvUnitInputLoadElemsPerCycle, m.fp32ConvUnitInputLoadElemsPerCycle,
      m.fp8ConvUnitMaxPipelineDepth, m.fp16ConvUnitMaxPipelineDepth, m.fp32ConvUnitMaxPipelineDepth,
      m.fp8InFp16OutConvUnitsPerTile, m.fp16InFp16OutConvUnitsPerTile,
      m.fp16InFp32OutConvUnitsPerTile, m.fp32InFp32OutConvUnitsPerTile,
      m.convUnitCoeffLoadBytesPerCycle);
}

} // namespace

IPUModel::IPUModel(const char *version) : IPUVersion(version ? version : ""), numIPUs(1) {
  const auto chip = device::findChip(IPUVersion);
  tilesPerIPU = chip.tiles;
  tilesPerSuperTile = chip.tilesPerPair;
  numWorkerContexts = chip.workers;
  memoryBytesPerTile = static_cast<unsigned>(chip.bytesPerTile);
  exchangeBytesPerCycle = chip.exchange.bytesPerCycle;
  memcpyBytesPerCycle = chip.copy.bytesPerCycle;
  minIPUSyncDelay = chip.sync.minDelayCycles;
  relativeSyncDelay = RelativeSyncDelayType::AUTO;
  globalSyncCycles = chip.sync.globalCycles;
  tileClockFrequency = chip.clockHz;
  dataPathWidth = chip.dataPathBits;
  instructionBytes = chip.code.instructionBytes;
  supportsSuperTileSendReceive = chip.exchange.pairBytesPerCycle > chip.exchange.bytesPerCycle;
  interleavedMemoryElementIndex = chip.interleavedElement();
  compileIPUCode = true;
  fp8ConvUnitInputLoadElemsPerCycle = chip.amp.quarterInputsPerCycle;
  fp16ConvUnitInputLoadElemsPerCycle = chip.amp.halfInputsPerCycle;
  fp32ConvUnitInputLoadElemsPerCycle = chip.amp.floatInputsPerCycle;
  fp8ConvUnitMaxPipelineDepth = fp16ConvUnitMaxPipelineDepth = fp32ConvUnitMaxPipelineDepth =
      chip.amp.pipelineDepth;
  fp8InFp16OutConvUnitsPerTile = chip.amp.quarterUnits;
  fp16InFp16OutConvUnitsPerTile = chip.amp.halfHalfUnits;
  fp16InFp32OutConvUnitsPerTile = chip.amp.halfFloatUnits;
  fp32InFp32OutConvUnitsPerTile = chip.amp.floatUnits;
  convUnitCoeffLoadBytesPerCycle = chip.amp.interleavedWeightLoadBytesPerCycle;
}

Device IPUModel::createDevice(OptionFlags opts, bool accurateHalf, unsigned deviceManagerId) const {
  check(*this);
  device::TargetData target;
  target.type = TargetType::IPU_MODEL;
  target.system = arch::systemOf(chipOf(*this), numIPUs);
  target.systemName = IPUVersion;
  target.accurateHalf = accurateHalf;
  target.compileIpuCode = compileIPUCode;
  target.constraints = globalExchangeConstraints;
  target.depths = device::PipelineDepths{fp8ConvUnitMaxPipelineDepth, fp16ConvUnitMaxPipelineDepth,
                                         fp32ConvUnitMaxPipelineDepth};
  device::applyOptions(target, opts);
  return device::DeviceAccess::make(
      {deviceManagerId, device::TargetAccess::make(std::move(target)), nullptr});
}

bool operator==(const IPUModel &a, const IPUModel &b) { return fields(a) == fields(b); }

} // namespace poplar
