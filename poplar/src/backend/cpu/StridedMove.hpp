// SPDX-License-Identifier: MIT
// Copies between strided pieces of memory. planMove turns loops over elements into the cheapest
// byte form once, at load: joined loops, whole runs, or a blocked transpose. MoveList is all the
// moves of one step: it runs them as if every source were read before any destination is written,
// and spreads large ones over threads. Positions are bytes from two base addresses that are given
// when the list runs, so one plan serves every replica.
#pragma once
#include "backend/Moves.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace poplar::backend::cpu {

enum class MoveKind : std::uint8_t {
  Run,       // `unit` bytes
  Rows,      // loops around runs of `unit` bytes
  Transpose, // the last two loops swap roles: source steps by `unit` along one, destination along
             // the other
  Blocks     // the same with runs: done in blocks, so that both sides are touched in pieces of many
             // lines
};

struct PlannedMove {
  std::int64_t from, to; // bytes from the bases
  std::uint64_t unit;    // bytes that lie together on both sides
  std::uint32_t firstLoop, numLoops;
  MoveKind kind;
  bool bypass; // so large that the destination should not pass through the caches
};

enum class SameMemory : bool { No, Yes }; // may source and destination be the same arena?

class MoveList {
public:
  MoveList() = default;
  MoveList(const std::vector<RawMove> &moves, SameMemory memory);

  bool empty() const { return moves_.empty(); }
  std::uint64_t bytes() const { return bytes_; }
  bool buffered() const { return buffered_; }

  void run(const std::byte *from, std::byte *to) const {
    if (simple_)
      return runSimple(from, to);
    runGeneral(from, to);
  }

private:
  void add(RawMove move);
  void runSimple(const std::byte *from, std::byte *to) const;
  void runGeneral(const std::byte *from, std::byte *to) const;
  void runEach(const std::byte *from, std::byte *to) const;
  void runBuffered(const std::byte *from, std::byte *to) const;

  std::vector<PlannedMove> moves_;
  std::vector<ByteLoop> loops_;
  std::uint64_t bytes_ = 0;
  bool simple_ = false;   // one run
  bool buffered_ = false; // a destination overlaps a source: go through a buffer
  // Buffered: the same moves into and out of a packed buffer.
  std::unique_ptr<MoveList> in_, out_;
};

MoveList bindMoves(const std::vector<executable::Move> &moves, const executable::Image &image,
                   SameMemory memory);

} // namespace poplar::backend::cpu
