// SPDX-License-Identifier: MIT
// GC200, the second generation (Mk2), in IPU-M2000 machines. Source tags are those of
// docs/timing.md; A<n> is a numbered assumption there.
#include "Chips.hpp"

namespace arch::chips {

// CLI: 48 W with the clock at 1.33 GHz; 46.5 W for two with link traffic alone, taken as the clock
// of the tiles standing still (A10). The rest goes with the clock.
double idleAt(double clockHz) {
  const double stopped = 46.5 / 2;
  return stopped + (48 - stopped) * clockHz / 1.33e9;
}

Chip ipu2() {
  Chip c;
  c.name = "ipu2";
  c.displayName = "GC200 (Mk2)";
  c.archName = "ipu2";
  c.archVersion = 2;
  c.tiles = 1472;                               // TAMU
  c.tilesPerPair = 2;                           // API, PL
  c.workers = 6;                                // ASM
  c.bytesPerTile = 624 * 1024;                  // LOUW, STK, ELK
  c.clockHz = 1.33e9;                           // CLI
  c.dataPathBits = 64;                          // PL
  c.repeatCountMax = 4095;                      // ISA: 12-bit count
  c.strideBits = 10;                            // PL
  c.vmac = true;                                // PL
  c.fabric = {.columns = 16, .tilesPerRow = 4}; // STK: 16 columns x 23 rows x 4 tiles
  c.memory = {
      .baseAddress = 0x4C000,               // STK
      .plainBytes = 208 * 1024,             // STK
      .interleavedBytes = 416 * 1024,       // STK
      .plainElementBytes = 16 * 1024,       // STK
      .interleavedElementBytes = 32 * 1024, // STK
      .portBytesPerCycle = 24,              // ISA: two 64-bit loads and one store
      .atomicStoreBytes = 4,                // PL
  };
  c.launch = {
      .cycles = 12,        // PL 6 for run, and 6 to set entry and base; E18 confirms the sum
      .vertexBundles = 20, // PL: element-wise worker entry and exit
      .pairs = true,       // A5
  };
  c.sync = {
      .localCycles = 6,        // PL
      .boundaryCycles = 237,   // STK: observed less scheduled time (E5, E6)
      .minDelayCycles = 34,    // A1
      .maxDelayCycles = 126,   // STK quoting Target
      .globalCycles = 600,     // STK quoting Target
      .wireHopSeconds = 15e-9, // PLT
      .ipusPerWireHop = 4,     // PLT: hops = 1 + IPUs / 4
  };
  c.exchange = {
      .bytesPerCycle = 4,     // PL
      .pairBytesPerCycle = 8, // API, PL, STK
      .senderGapCycles = 10,  // A2: as GC2, the same vendor's compiler
      .spanCycles = 2.4,      // A2: as GC2
      .routeBaseCycles = 20,  // STK's routing function, as are the next three
      .routePerColumn = 6,
      .routePerRow = 2,
      .routeUnknownCycles = 64,
  };
  c.copy = {
      .straightCycles = 288, // STK: a copy call of one piece (E11)
      .startCycles = 587,    // PL
      .pieceCycles = 7.4,    // A3: B9 to B13 on GC2, the same core
      .bytesPerCycle = 8,    // PL: straight copy; as are the next two
      .gather4 = 3.1,
      .gather2 = 5.1,
  };
  c.amp = {
      .halfHalfUnits = 16,      // PL
      .halfFloatUnits = 8,      // PL: two floats can be stored per cycle, the chain is four deep
      .floatUnits = 16,         // PL
      .quarterUnits = 0,        // PL: cast to half
      .halfInputsPerCycle = 4,  // PL: 16 units x 4
      .floatInputsPerCycle = 1, // X: 32 FLOP on 16 units
      .quarterInputsPerCycle = 0,
      .weightBytesPerUnit = 32,                 // PL: 16 halves, 8 floats
      .pipelineDepth = 4,                       // PL
      .weightLoadBytesPerCycle = 8,             // PL
      .interleavedWeightLoadBytesPerCycle = 16, // PL
      .startCycles = 50,                        // PL, as are the next five
      .inputGroupCycles = 16,
      .outputGroupCycles = 19,
      .passCycles = 6,
      .halfFirst = 38,
      .floatFirst = 46,
      .quarterFirst = 44, // PL: 27 + 17, where there are such units
      .slic = true,       // PL
  };
  c.links = {
      .bytesPerSecond = 128.0 * 1024 * 1024 * 1024 / 8, // PLT: 128 Gibit/s
      .rungLinks = 2,                      // E15: the measured pair rate is that of two links
      .rungThroughLinks = 2,               // PLT
      .railLinks = 2,                      // PLT
      .hopSeconds = 100e-9,                // A4: B12 and B13 on GC2
      .packetBytes = 256,                  // STK: an outgoing packet
      .packetOverheadWords = 14,           // A4: B14 to B16 on GC2; E15 agrees
      .packetLeastWords = 18,              // STK
      .ipusPerMachine = 4,                 // TAMU
      .ipusPerDomain = 64,                 // DS
      .gatewayBytesPerSecond = 2 * 12.5e9, // DS: two 100 Gbit/s links
      .gatewayHopSeconds = 2e-6,           // A6
  };
  c.host = {
      .card = {.inBytesPerSecond = 26e9, .outBytesPerSecond = 26e9}, // A7: 0.8 of PCIe Gen4 x16
      .gateway = {.inBytesPerSecond = 20e9,                          // X from EX tutorial 6
                  .outBytesPerSecond = 5.5e9,                        // EX EfficientDet
                  .sharedBytesPerSecond = 2 * 12.5e9}, // DS: two 100 GbE ports per machine
      .hasGateway = true,
      .callbackSeconds = 60e-6,  // EX lightweight profiling (E17)
      .transferSeconds = 1.2e-6, // A8: E17
      .packetBytesIn = 1024,     // STK
      .packetBytesOut = 256,     // STK
      .tilePacketSecondsIn =
          32 * 256 / 3.3e9, // CLI: 26.4 Gbit/s to 32 tiles in 256-byte packets (E16)
      .tilePacketSecondsOut = 32 * 256 / 3.75e9, // CLI: 30.0 Gbit/s
      .remoteReadBytesPerSecond = 20e9,          // A9: the gateway's path, and half of it
      .remoteWriteBytesPerSecond = 10e9,
      .remoteBytesPerIpu = 32ull * 1000 * 1000 * 1000, // MLP
  };
  c.power = {
      .idleWatts = idleAt(1.33e9), // CLI (W1)
      .ampWatts = 76 * 0.6,        // CLI: 76 W in all (W1); split A10
      .vectorWatts = 76 * 0.6 / 8, // A10: 4 of the matrix unit's 32 float operations per cycle
      .memoryWatts = 76 * 0.3,
      .exchangeWatts = 76 * 0.1,
      .machineWatts = 250, // A11
  };
  c.code = {
      .instructionBytes = 4,      // ISA
      .sendBytes = 4,             // STK
      .wordsPerSend = 64,         // STK
      .waitBytes = 6,             // STK: 4 to 8
      .receiveBytes = 18,         // STK: 12 to 24
      .workerStackBytes = 512,    // A12
      .supervisorStackBytes = 96, // K5: 3168 with six workers
      .runtimeControlBytes = 624, // K5, on GC2: 700 less what the program takes
      .runtimeHostBytes = 243,    // K5, on GC2: 289 less what its streams take
  };
  return c;
}

} // namespace arch::chips
