// SPDX-License-Identifier: MIT
// An IPU as plain data. Every number of a known chip stands, with its source, in
// src/chips/<Chip>.cpp and in docs/timing.md. A chip of your own is a copy with changed fields, or
// a text file: see ChipText.hpp. Bytes are bytes, times that scale with the tile clock are cycles,
// times that do not are seconds.
#pragma once
#include "arch/Cycles.hpp"
#include "base/Arithmetic.hpp"
#include <string>
#include <string_view>
#include <vector>

namespace arch {

// Where tiles sit: columns of rows of a few tiles, columns joined by a spine. Ids run down a column
// (A16).
struct Fabric {
  unsigned columns = 0;
  unsigned tilesPerRow = 0; // of one column
  bool operator==(const Fabric &) const = default;
};

struct TileMemory {
  std::uint64_t baseAddress = 0;       // of tile memory in the tile's address space
  std::uint64_t plainBytes = 0;        // region 0: code and plain data
  std::uint64_t interleavedBytes = 0;  // region 1: wide and paired loads
  std::uint64_t plainElementBytes = 0; // a memory element serves one access per cycle
  std::uint64_t interleavedElementBytes = 0;
  unsigned portBytesPerCycle = 0; // two loads and one store, all elements different
  unsigned atomicStoreBytes = 0;  // smaller stores are read-modify-write
  bool operator==(const TileMemory &) const = default;
};

struct Launch {
  unsigned cycles = 0;        // supervisor: set entry and base, then run or runall
  unsigned vertexBundles = 0; // a worker enters and leaves a compiled vertex
  bool pairs = false;         // compiled C++ fills both slots of a bundle (A5)
  bool operator==(const Launch &) const = default;
};

struct SyncDelay {
  unsigned localCycles = 0;    // supervisor waits for its workers
  unsigned boundaryCycles = 0; // whole boundary of one exchange on one IPU: sync, entry, exit
  unsigned minDelayCycles = 0; // release of the first / last tile after the last arrival
  unsigned maxDelayCycles = 0;
  unsigned globalCycles = 0; // least cost of a sync of all IPUs; 0: only the wire formula counts
  double wireHopSeconds = 0; // one hop of the sync wire between machines, one way
  unsigned ipusPerWireHop = 0;
  bool operator==(const SyncDelay &) const = default;
};

struct ExchangeBus {
  unsigned bytesPerCycle = 0;     // one tile sends, and receives, this much
  unsigned pairBytesPerCycle = 0; // both tiles of a pair take one stream, or the partner is idle
  unsigned senderGapCycles = 0;   // at a receiver, when another tile begins to send to it
  double spanCycles = 0;          // each further span of one sender
  unsigned routeBaseCycles = 0;   // plus so much per column and row crossed
  unsigned routePerColumn = 0;
  unsigned routePerRow = 0;
  unsigned routeUnknownCycles = 0; // mean over all pairs, for unknown placement
  bool operator==(const ExchangeBus &) const = default;
};

// Copies inside a tile before and after an exchange.
struct TileCopy {
  unsigned straightCycles = 0; // one contiguous piece by itself: six workers enter, share it, leave
  unsigned startCycles = 0;    // a list of pieces, however many
  double pieceCycles = 0;      // each of them
  unsigned bytesPerCycle = 0;  // within a piece
  double gather4 = 0, gather2 = 0; // pieces below 8 bytes, by atoms of so many: cycles per byte
  bool operator==(const TileCopy &) const = default;
};

// The matrix unit (AMP), and the cycles its kernel spends around it.
struct Amp {
  unsigned halfHalfUnits = 0;  // half in, half partials
  unsigned halfFloatUnits = 0; // half in, float partials
  unsigned floatUnits = 0;
  unsigned quarterUnits = 0; // 0: quarters are cast to half first
  unsigned halfInputsPerCycle = 0, floatInputsPerCycle = 0, quarterInputsPerCycle = 0;
  unsigned weightBytesPerUnit = 0;
  unsigned pipelineDepth = 0;
  unsigned weightLoadBytesPerCycle = 0;            // plain memory
  unsigned interleavedWeightLoadBytesPerCycle = 0; // 128-bit loads
  // Supervisor: start, a group of inputs, a group of outputs, a pass of the units over one.
  unsigned startCycles = 0, inputGroupCycles = 0, outputGroupCycles = 0, passCycles = 0;
  unsigned halfFirst = 0, floatFirst = 0, quarterFirst = 0; // bundles of the first three positions
  bool slic = false; // also convolves rows with a window of four
  bool operator==(const Amp &) const = default;
};

struct Links {
  double bytesPerSecond = 0;     // one link, one direction
  unsigned rungLinks = 0;        // between the two IPUs of a rung, traffic that ends there
  unsigned rungThroughLinks = 0; // traffic that goes on along the rail
  unsigned railLinks = 0;        // along a rail, each direction
  double hopSeconds = 0;
  unsigned packetBytes = 0;         // the most that one packet carries
  unsigned packetOverheadWords = 0; // words of the link that a packet takes beside what it carries
  unsigned packetLeastWords = 0;    // and at least so many in all
  unsigned ipusPerMachine = 0;
  unsigned ipusPerDomain = 0;       // one rack; beyond it traffic takes the gateway links
  double gatewayBytesPerSecond = 0; // per machine, each direction
  double gatewayHopSeconds = 0;
  bool operator==(const Links &) const = default;
};

// One way to the host.
struct HostPort {
  double inBytesPerSecond = 0; // host to IPU, per IPU
  double outBytesPerSecond = 0;
  double sharedBytesPerSecond = 0; // of all IPUs of one machine together; 0: not shared
  bool operator==(const HostPort &) const = default;
};

struct Host {
  HostPort card, gateway;     // PCIe card; machine with a gateway
  bool hasGateway = false;    // the chip's usual home
  double callbackSeconds = 0; // a synchronous stream waits this long for the host
  double transferSeconds = 0; // first data after a request
  unsigned packetBytesIn = 0, packetBytesOut = 0;
  double tilePacketSecondsIn = 0, tilePacketSecondsOut = 0;           // between packets of one tile
  double remoteReadBytesPerSecond = 0, remoteWriteBytesPerSecond = 0; // streaming memory, per IPU
  std::uint64_t remoteBytesPerIpu = 0;
  bool operator==(const Host &) const = default;
};

// Dynamic power is for the whole chip, that unit busy in every cycle, at this chip's clock and
// voltage.
struct Power {
  double idleWatts = 0; // the clock running, no unit busy
  double ampWatts = 0, vectorWatts = 0, memoryWatts = 0, exchangeWatts = 0;
  double machineWatts = 0; // gateway, DRAM, fans: per machine, beside its IPUs
  bool operator==(const Power &) const = default;
};

// Bytes that code and bookkeeping take on a tile.
struct CodeSize {
  unsigned instructionBytes = 0;
  unsigned sendBytes = 0;        // one send instruction
  unsigned wordsPerSend = 0;     // what one send instruction moves
  unsigned waitBytes = 0;        // per message sent, to meet its slot
  unsigned receiveBytes = 0;     // per message received
  unsigned workerStackBytes = 0; // each worker
  unsigned supervisorStackBytes = 0;
  unsigned runtimeControlBytes = 0; // of the runtime itself, beside a program's own
  unsigned runtimeHostBytes = 0;    // the same for exchanging with the host
  bool operator==(const CodeSize &) const = default;
};

struct Chip {
  std::string name;         // "ipu2": what chipByName knows
  std::string displayName;  // "GC200 (Mk2)"
  std::string archName;     // instruction set: ipu1, ipu2, ipu21
  unsigned archVersion = 0; // the same as a number
  unsigned tiles = 0;
  unsigned tilesPerPair = 0; // tiles that share an exchange bus
  unsigned workers = 0;
  std::uint64_t bytesPerTile = 0;
  double clockHz = 0;
  unsigned dataPathBits = 0;
  unsigned repeatCountMax = 0; // hardware loop
  unsigned strideBits = 0;     // of paced loads and stores
  bool vmac = false;           // multiplies vectors of halves into accumulators, lane by lane
  Fabric fabric;
  TileMemory memory;
  Launch launch;
  SyncDelay sync;
  ExchangeBus exchange;
  TileCopy copy;
  Amp amp;
  Links links;
  Host host;
  Power power;
  CodeSize code;

  // Derived; any tile count works.
  unsigned rows() const;                  // of a column, enough for all tiles
  unsigned columnOf(unsigned tile) const; // tile within one IPU
  unsigned rowOf(unsigned tile) const;
  unsigned partnerOf(unsigned tile) const; // the tile itself when it has no partner
  unsigned
  elementOf(std::uint64_t offset) const; // memory element of a byte offset into tile memory
  std::vector<std::uint64_t>
  elementOffsets() const;              // where each element begins, from the base address
  unsigned interleavedElement() const; // index of the first interleaved one
  // What formulas of vertices are written with: the slowest worker's share of so many things, the
  // tile's cycles while each worker has so many bundles, and what one load or store moves.
  std::uint64_t workerShare(std::uint64_t things) const { return base::ceilDiv(things, workers); }
  Cycles onWorkers(std::uint64_t bundles) const { return workers * bundles; }
  unsigned pathBytes() const { return dataPathBits < 8 ? 1 : dataPathBits / 8; }
  unsigned vectorWidth(std::size_t elementBytes) const {
    return pathBytes() < elementBytes ? 1 : unsigned(pathBytes() / elementBytes);
  }
  Cycles cycles(double seconds) const { return secondsToCycles(seconds, clockHz); }
  double seconds(Cycles c) const { return cyclesToSeconds(c, clockHz); }
  // Floating-point operations per second of the whole chip.
  double peakHalf() const;
  double peakHalfFloat() const;
  double peakFloat() const;
  bool operator==(const Chip &) const = default;
};

// "ipu1", "ipu2", "bow", "ipu21". Anything else throws std::invalid_argument with near matches.
const Chip &chipByName(std::string_view name);
std::vector<std::string> chipNames();

// A hash of all fields: plans made for a chip are looked up by it.
std::uint64_t fingerprint(const Chip &chip);

// The same chip with another number of tiles. Throws std::invalid_argument for 0.
Chip withTiles(Chip chip, unsigned tiles);

} // namespace arch
