// SPDX-License-Identifier: MIT
// A machine that the program describes itself: start from a chip, change figures, create a device.
#pragma once
#include <limits>
#include <poplar/Device.hpp>
#include <poplar/GlobalExchangeConstraints.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>
#include <string>
#include <vector>

namespace poplar {

struct IPUModel {
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  // A chip name ("ipu1", "ipu2", "ipu21", "bow") or the path of a chip description file.
  explicit IPUModel(const char *version = "ipu2");

  Device createDevice(OptionFlags opts = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  std::string IPUVersion; // changing it afterwards does not change the other figures
  unsigned numIPUs;
  unsigned tilesPerIPU;
  unsigned tilesPerSuperTile;
  unsigned numWorkerContexts;
  unsigned memoryBytesPerTile;
  unsigned exchangeBytesPerCycle;
  unsigned memcpyBytesPerCycle;
  unsigned minIPUSyncDelay;
  RelativeSyncDelayType
      relativeSyncDelay; // AUTO: tiles further from the sync controller are released later
  unsigned globalSyncCycles;
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints;
  double tileClockFrequency; // Hz
  unsigned dataPathWidth;    // bits
  unsigned instructionBytes;
  bool supportsSuperTileSendReceive;
  unsigned interleavedMemoryElementIndex;
  bool compileIPUCode;
  unsigned fp8ConvUnitInputLoadElemsPerCycle;
  unsigned fp16ConvUnitInputLoadElemsPerCycle;
  unsigned fp32ConvUnitInputLoadElemsPerCycle;
  unsigned fp8ConvUnitMaxPipelineDepth;
  unsigned fp16ConvUnitMaxPipelineDepth;
  unsigned fp32ConvUnitMaxPipelineDepth;
  unsigned fp8InFp16OutConvUnitsPerTile;
  unsigned fp16InFp16OutConvUnitsPerTile;
  unsigned fp16InFp32OutConvUnitsPerTile;
  unsigned fp32InFp32OutConvUnitsPerTile;
  unsigned convUnitCoeffLoadBytesPerCycle;
};

bool operator==(const IPUModel &a, const IPUModel &b);
inline bool operator!=(const IPUModel &a, const IPUModel &b) { return !(a == b); }

} // namespace poplar
