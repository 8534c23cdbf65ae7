// SPDX-License-Identifier: MIT
// GC2, the first generation (Mk1), two on a C2 PCIe card. Most published cycle counts are from this
// chip. Source tags are those of docs/timing.md; A<n> is a numbered assumption there.
#include "Chips.hpp"

namespace arch::chips {

Chip ipu1() {
  Chip c;
  c.name = "ipu1";
  c.displayName = "GC2 (Mk1)";
  c.archName = "ipu1";
  c.archVersion = 1;
  c.tiles = 1216;                               // TAMU, LOUW
  c.tilesPerPair = 2;                           // API, PL
  c.workers = 6;                                // ASM
  c.bytesPerTile = 256 * 1024;                  // LOUW
  c.clockHz = 1.6e9;                            // LOUW
  c.dataPathBits = 64;                          // PL
  c.repeatCountMax = 4095;                      // ISA
  c.strideBits = 10;                            // PL
  c.vmac = false;                               // C4
  c.fabric = {.columns = 16, .tilesPerRow = 4}; // A13: as Mk2, with 19 rows
  c.memory = {
      .baseAddress = 0x40000,               // A13
      .plainBytes = 128 * 1024,             // A13: half and half
      .interleavedBytes = 128 * 1024,       // A13
      .plainElementBytes = 16 * 1024,       // A13: as Mk2
      .interleavedElementBytes = 32 * 1024, // A13: as Mk2
      .portBytesPerCycle = 24,              // TAMU: 45 TB/s
      .atomicStoreBytes = 4,                // PL
  };
  c.launch = {
      .cycles = 12,        // PL, as Mk2
      .vertexBundles = 20, // PL
      .pairs = false,      // A5: S1
  };
  c.sync = {
      .localCycles = 6,        // PL
      .boundaryCycles = 120,   // LBM (B9)
      .minDelayCycles = 64,    // LBM: 64 to 117 on average over tiles
      .maxDelayCycles = 117,   // LBM
      .globalCycles = 0,       // no public figure; the wire formula alone
      .wireHopSeconds = 15e-9, // PLT
      .ipusPerWireHop = 4,     // PLT
  };
  c.exchange = {
      .bytesPerCycle = 4,     // PL
      .pairBytesPerCycle = 8, // API, PL
      .senderGapCycles = 10,  // A2: B9, B11, B12 and B13
      .spanCycles = 2.4,      // A2: the same four
      .routeBaseCycles = 20,  // A13: as Mk2, as are the next three
      .routePerColumn = 6,
      .routePerRow = 2,
      .routeUnknownCycles = 64,
  };
  c.copy = {
      .straightCycles = 288, // STK, on Mk2 (E11)
      .startCycles = 587,    // PL; B9 to B13
      .pieceCycles = 7.4,    // A3: B9 to B13
      .bytesPerCycle = 8,    // PL: straight copy; as are the next two
      .gather4 = 3.1,
      .gather2 = 5.1,
  };
  c.amp = {
      .halfHalfUnits = 8,  // PL: 64 FLOP
      .halfFloatUnits = 8, // PL: 64 FLOP
      .floatUnits = 8,     // PL: 16 FLOP
      .quarterUnits = 0,
      .halfInputsPerCycle = 4,  // PL: 8 units x 4
      .floatInputsPerCycle = 1, // X: 16 FLOP on 8 units
      .quarterInputsPerCycle = 0,
      .weightBytesPerUnit = 32,                 // PL
      .pipelineDepth = 4,                       // PL
      .weightLoadBytesPerCycle = 8,             // PL
      .interleavedWeightLoadBytesPerCycle = 16, // PL
      .startCycles = 50,                        // PL, as Mk2; as are the next five
      .inputGroupCycles = 16,
      .outputGroupCycles = 19,
      .passCycles = 6,
      .halfFirst = 38,
      .floatFirst = 46,
      .quarterFirst = 44, // as C600, were there such units
      .slic = false,      // C4: the planner of that time took neither SLIC nor VMAC
  };
  c.links = {
      .bytesPerSecond = 128.0 * 1024 * 1024 * 1024 / 8, // PLT: 128 Gibit/s
      .rungLinks = 1,                                   // A4: B14 and B15 on two; PLT has 4
      .rungThroughLinks = 2,                            // PLT, JIA
      .railLinks = 1,                                   // A4: B12 and B13; PLT has 2
      .hopSeconds = 100e-9,                             // A4: B12 and B13
      .packetBytes = 256,                               // STK, on Mk2: an outgoing packet
      .packetOverheadWords = 14,       // A4: of the least, all but one pixel of floats (B14 to B16)
      .packetLeastWords = 18,          // STK, on Mk2
      .ipusPerMachine = 16,            // LOUW: eight cards in a server
      .ipusPerDomain = 16,             // LOUW: one ladder
      .gatewayBytesPerSecond = 12.5e9, // A6: no gateway; servers join over 100 GbE
      .gatewayHopSeconds = 2e-6,       // A6
  };
  c.host = {
      .card = {.inBytesPerSecond = 26e9, .outBytesPerSecond = 26e9}, // A7
      .gateway = {.inBytesPerSecond = 20e9,
                  .outBytesPerSecond = 5.5e9,
                  .sharedBytesPerSecond = 2 * 12.5e9}, // as Mk2, should one build it
      .hasGateway = false,
      .callbackSeconds = 60e-6,                // EX, on Mk2: the host decides
      .transferSeconds = 1.2e-6,               // A8: E17, on Mk2
      .packetBytesIn = 1024,                   // STK, on Mk2
      .packetBytesOut = 256,                   // STK, on Mk2
      .tilePacketSecondsIn = 32 * 256 / 3.3e9, // CLI, on Mk2 (E16)
      .tilePacketSecondsOut = 32 * 256 / 3.75e9,
      .remoteReadBytesPerSecond = 20e9,  // A9
      .remoteWriteBytesPerSecond = 10e9, // A9
      .remoteBytesPerIpu = 0,            // no streaming memory beside a card
  };
  c.power = {
      .idleWatts = 60,             // A10
      .ampWatts = 90 * 0.6,        // LOUW: 150 W busy, 90 of them dynamic; split A10
      .vectorWatts = 90 * 0.6 / 4, // A10: 4 of the matrix unit's 16 float operations per cycle
      .memoryWatts = 90 * 0.3,
      .exchangeWatts = 90 * 0.1,
      .machineWatts = 250, // A11
  };
  c.code = {
      .instructionBytes = 4, // ISA
      .sendBytes = 4,        // STK, on Mk2; as are the next three
      .wordsPerSend = 64,
      .waitBytes = 6,
      .receiveBytes = 18,
      .workerStackBytes = 512,    // A12
      .supervisorStackBytes = 96, // K5: 3168 with six workers
      .runtimeControlBytes = 624, // K5: 700 less what the program itself takes
      .runtimeHostBytes = 243,    // K5: 289 less what its streams take
  };
  return c;
}

} // namespace arch::chips
