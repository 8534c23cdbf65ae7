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
  // Whether tiles further from the sync controller are released later.
  enum class RelativeSyncDelayType { AUTO, NO_DELAY };

  // A chip name ("ipu1", "ipu2", "ipu21", "bow") or the path of a chip description file.
  explicit IPUModel(const char *version = "ipu2");

  // A device that computes as an IPU does and takes the time that these figures give. Throws
  // invalid_machine_model if they cannot be.
  Device createDevice(OptionFlags opts = {}, bool accurateHalf = false,
                      unsigned deviceManagerId = std::numeric_limits<unsigned>::max()) const;

  std::string IPUVersion;         // changing it afterwards does not change the other figures
  unsigned numIPUs;               // IPUs of the device
  unsigned tilesPerIPU;           // tiles of each IPU
  unsigned tilesPerSuperTile;     // tiles that share one connection to the exchange
  unsigned numWorkerContexts;     // workers of a tile
  unsigned memoryBytesPerTile;    // memory of a tile
  unsigned exchangeBytesPerCycle; // what one tile sends or receives
  unsigned memcpyBytesPerCycle;   // within a tile
  unsigned minIPUSyncDelay;       // cycles from the last tile's arrival to the first tile's release
  RelativeSyncDelayType
      relativeSyncDelay;     // AUTO: tiles further from the sync controller are released later
  unsigned globalSyncCycles; // the least cycles of a sync of all IPUs
  std::vector<GlobalExchangeConstraint> globalExchangeConstraints; // bandwidth between IPUs
  double tileClockFrequency;                                       // Hz
  unsigned dataPathWidth;                                          // bits
  unsigned instructionBytes;                                       // bytes of one instruction
  bool supportsSuperTileSendReceive;      // whether both tiles of a pair can take one stream
  unsigned interleavedMemoryElementIndex; // the memory element that interleaved memory begins with
  bool compileIPUCode;                    // no effect: code is always compiled, for the host
  // Of the matrix unit, by type: elements of input loaded in a cycle, positions in flight, units of
  // a tile for a type of input and of sums, and bytes of weights loaded in a cycle.
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
