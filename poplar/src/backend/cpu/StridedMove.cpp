// SPDX-License-Identifier: MIT
// A move is loops around one element, in the order that the graph wrote them; run so, most copies
// would be bound by addresses and not by memory. Planning happens once, at load: loops of one
// iteration go, the others are ordered and joined until the bytes that lie together on both sides
// are as long as they can be; what is left is a run, rows of runs, or a transpose. What makes it
// hard is that a list of moves must act as if all sources were read first (a copy within a variable
// may overlap itself), that destinations larger than the caches should pass them by, and that
// threads may only share out what nobody else writes.
//
//   [32][64] floats to their transpose: loops of 32 and 64 whose sources are 256 and 4 bytes apart
//   and destinations 4 and 128; nothing can be joined, so it is a Transpose, done in blocks
#include "backend/cpu/StridedMove.hpp"
#include "backend/cpu/Transpose.hpp"
#include "base/Arithmetic.hpp"
#include "base/Error.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cstring>
#include <numeric>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace poplar::backend::cpu {
namespace {

constexpr std::uint64_t parallelBytes =
    1 << 20; // below this, waking threads costs more than it brings
constexpr std::uint64_t chunkBytes = 256 << 10;
constexpr std::uint64_t bypassBytes =
    16 << 20; // larger than what the caches keep until it is used again
constexpr std::uint64_t lineBytes = 64;
constexpr std::uint64_t blockBytes = 2048;

// ---- planning ----

// Walks the destination upwards, largest stride first: the order of a copy is free because no
// element is written twice.
void orderLoops(RawMove &move) {
  for (auto &loop : move.loops)
    if (loop.to < 0) {
      move.from += std::int64_t(loop.extent - 1) * loop.from;
      move.to += std::int64_t(loop.extent - 1) * loop.to;
      loop.from = -loop.from;
      loop.to = -loop.to;
    }
  std::erase_if(move.loops, [](const ByteLoop &loop) { return loop.extent == 1; });
  std::stable_sort(move.loops.begin(), move.loops.end(),
                   [](auto &a, auto &b) { return a.to > b.to; });
}

void joinLoops(RawMove &move) {
  std::vector<ByteLoop> joined; // innermost first
  for (auto it = move.loops.rbegin(); it != move.loops.rend(); ++it) {
    if (joined.empty() && it->from == std::int64_t(move.unit) &&
        it->to == std::int64_t(move.unit)) {
      move.unit *= it->extent;
      continue;
    }
    if (!joined.empty()) {
      auto &inner = joined.back();
      if (it->from == inner.from * std::int64_t(inner.extent) &&
          it->to == inner.to * std::int64_t(inner.extent)) {
        inner.extent *= it->extent;
        continue;
      }
    }
    joined.push_back(*it);
  }
  std::reverse(joined.begin(), joined.end());
  move.loops = std::move(joined);
}

// Brings a loop along which the source is dense next to the innermost loop, along which the
// destination is.
bool makeTranspose(RawMove &move) {
  if (move.loops.size() < 2)
    return false;
  auto &inner = move.loops.back();
  auto unit = std::int64_t(move.unit);
  if (inner.to != unit || inner.from == 0)
    return false;
  auto dense = std::find_if(move.loops.begin(), move.loops.end() - 1,
                            [&](auto &loop) { return loop.from == unit; });
  if (dense == move.loops.end() - 1 || dense->extent < 4 || inner.extent < 4)
    return false;
  std::rotate(dense, dense + 1, move.loops.end() - 1);
  return true;
}

// A few elements side by side, many times within the same lines (colours of pixels): the many are
// the inner loop.
void makeLong(RawMove &move) {
  const auto n = move.loops.size();
  if (n > 1 && move.loops[n - 1].extent < 4 && move.loops[n - 2].extent >= 16 &&
      move.loops[n - 2].to <= std::int64_t(lineBytes))
    std::swap(move.loops[n - 1], move.loops[n - 2]);
}

std::uint64_t countOf(const std::vector<ByteLoop> &loops) {
  return std::accumulate(loops.begin(), loops.end(), std::uint64_t(1),
                         [](auto n, auto &l) { return n * l.extent; });
}

// ---- overlap ----

struct Extent {
  std::int64_t begin, end;
};

Extent extentOf(std::int64_t start, std::uint64_t unit, const std::vector<ByteLoop> &loops,
                std::int64_t ByteLoop::*stride) {
  Extent extent{start, start + std::int64_t(unit)};
  for (const auto &loop : loops) {
    auto reach = std::int64_t(loop.extent - 1) * (loop.*stride);
    (reach < 0 ? extent.begin : extent.end) += reach;
  }
  return extent;
}

// Columns of one matrix interleave without touching: compare positions modulo the common step of
// all strides.
bool interleaveOnly(const RawMove &move) {
  std::int64_t step = 0;
  for (const auto &loop : move.loops)
    step = std::gcd(step, std::gcd(loop.from, loop.to));
  auto unit = std::int64_t(move.unit);
  if (step < 2 * unit)
    return false;
  auto distance = ((move.to - move.from) % step + step) % step;
  return distance >= unit && distance + unit <= step;
}

bool overlapsItself(const RawMove &move) {
  auto from = extentOf(move.from, move.unit, move.loops, &ByteLoop::from);
  auto to = extentOf(move.to, move.unit, move.loops, &ByteLoop::to);
  return from.begin < to.end && to.begin < from.end && !interleaveOnly(move);
}

// Does any destination meet the source of another move? By sorted extents, so it may say yes too
// often, never no.
bool overlapOthers(const std::vector<RawMove> &moves) {
  std::vector<Extent> sources;
  for (const auto &move : moves)
    sources.push_back(extentOf(move.from, move.unit, move.loops, &ByteLoop::from));
  auto all = sources;
  std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.begin < b.begin; });
  std::vector<std::int64_t> reach; // the furthest end up to here
  for (const auto &extent : all)
    reach.push_back(std::max(extent.end, reach.empty() ? extent.end : reach.back()));
  for (std::size_t i = 0; i < moves.size(); ++i) {
    auto to = extentOf(moves[i].to, moves[i].unit, moves[i].loops, &ByteLoop::to);
    auto after = std::lower_bound(all.begin(), all.end(), to.end,
                                  [](auto &e, auto at) { return e.begin < at; });
    bool ownOnly = sources[i].begin < to.end && sources[i].end > to.begin && moves.size() == 1;
    if (after != all.begin() && reach[after - all.begin() - 1] > to.begin && !ownOnly)
      return true;
  }
  return false;
}

// ---- running ----

// Writes whole lines past the caches, which saves reading them first. n is a multiple of a line,
// `to` is aligned to one.
void copyLines(const std::byte *from, std::byte *to, std::uint64_t n) {
#if defined(__SSE2__)
  for (std::uint64_t i = 0; i < n; i += lineBytes)
    for (std::uint64_t j = 0; j < lineBytes; j += 16)
      _mm_stream_si128(reinterpret_cast<__m128i *>(to + i + j),
                       _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i + j)));
#else
  std::memcpy(to, from, n);
#endif
}

void finishLines() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

bool wholeLines(const std::byte *to, std::uint64_t bytes) {
  return bytes % lineBytes == 0 && reinterpret_cast<std::uintptr_t>(to) % lineBytes == 0;
}

void copyLarge(const std::byte *from, std::byte *to, std::uint64_t n) {
  const auto head = std::min<std::uint64_t>(
      n, (lineBytes - reinterpret_cast<std::uintptr_t>(to) % lineBytes) % lineBytes);
  const auto body = (n - head) / lineBytes * lineBytes;
  std::memcpy(to, from, head);
  copyLines(from + head, to + head, body);
  std::memcpy(to + head + body, from + head + body, n - head - body);
  finishLines();
}

template <std::uint64_t unit>
void rows(const std::byte *from, std::int64_t fromStep, std::byte *to, std::int64_t toStep,
          std::uint64_t n) {
  for (std::uint64_t i = 0; i < n; ++i, from += fromStep, to += toStep)
    std::memcpy(to, from, unit);
}

void anyRows(std::uint64_t unit, const std::byte *from, std::int64_t fromStep, std::byte *to,
             std::int64_t toStep, std::uint64_t n) {
  switch (unit) {
  case 1:
    return rows<1>(from, fromStep, to, toStep, n);
  case 2:
    return rows<2>(from, fromStep, to, toStep, n);
  case 4:
    return rows<4>(from, fromStep, to, toStep, n);
  case 8:
    return rows<8>(from, fromStep, to, toStep, n);
  case 12:
    return rows<12>(from, fromStep, to, toStep, n);
  case 16:
    return rows<16>(from, fromStep, to, toStep, n);
  case 32:
    return rows<32>(from, fromStep, to, toStep, n);
  case 64:
    return rows<64>(from, fromStep, to, toStep, n);
  case 128:
    return rows<128>(from, fromStep, to, toStep, n);
  }
  for (std::uint64_t i = 0; i < n; ++i, from += fromStep, to += toStep)
    std::memcpy(to, from, unit);
}

// A transpose whose elements are runs, in blocks of a few kilobytes on either side.
void blockedRows(const PlannedMove &move, const std::byte *from, std::byte *to,
                 const ByteLoop &columns, const ByteLoop &rows) {
  const auto unit = move.unit;
  const auto side = std::max<std::uint64_t>(1, blockBytes / unit);
  constexpr std::int64_t ahead = 4; // rows whose lines are asked for before they are needed
  const bool bypass =
      move.bypass && wholeLines(to, unit) && columns.to % std::int64_t(lineBytes) == 0;
  for (std::uint64_t r = 0; r < rows.extent; r += side)
    for (std::uint64_t c = 0; c < columns.extent; c += side) {
      const auto high = std::min(side, rows.extent - r), wide = std::min(side, columns.extent - c);
      for (std::uint64_t i = r; i < r + high; ++i) {
        auto *source = from + std::int64_t(i) * rows.from + std::int64_t(c) * columns.from;
        auto *target = to + std::int64_t(i) * rows.to + std::int64_t(c) * columns.to;
        if (!bypass)
          anyRows(unit, source, columns.from, target, columns.to, wide);
        else
          for (std::uint64_t j = 0; j < wide; ++j) {
            for (std::uint64_t k = 0; k < unit; k += lineBytes)
              __builtin_prefetch(source + ahead * rows.from + std::int64_t(j) * columns.from +
                                 std::int64_t(k));
            copyLines(source + std::int64_t(j) * columns.from,
                      target + std::int64_t(j) * columns.to, unit);
          }
      }
    }
  finishLines();
}

// Recursion over the outer loops; `inner` loops at the end form the kernel.
void walk(const PlannedMove &move, const ByteLoop *loops, std::uint32_t numLoops,
          const std::byte *from, std::byte *to) {
  if (move.kind == MoveKind::Rows && numLoops == 1)
    return anyRows(move.unit, from, loops->from, to, loops->to, loops->extent);
  if (move.kind == MoveKind::Transpose && numLoops == 2)
    return transpose(move.unit, from, loops[1].from, to, loops[0].to, loops[1].extent,
                     loops[0].extent);
  if (move.kind == MoveKind::Blocks && numLoops == 2)
    return blockedRows(move, from, to, loops[0], loops[1]);
  for (std::uint64_t i = 0; i < loops->extent; ++i)
    walk(move, loops + 1, numLoops - 1, from + std::int64_t(i) * loops->from,
         to + std::int64_t(i) * loops->to);
}

// Splits along the longest loop, in multiples that keep transposed blocks whole.
void walkInParallel(const PlannedMove &move, const ByteLoop *loops, std::uint64_t bytes,
                    const std::byte *from, std::byte *to) {
  std::vector<ByteLoop> part(loops, loops + move.numLoops);
  auto longest = std::max_element(part.begin(), part.end(),
                                  [](auto &a, auto &b) { return a.extent < b.extent; });
  if (part.front().extent >= 8 * base::numThreads())
    longest = part.begin();
  const auto at = longest - part.begin();
  const std::uint64_t granule = move.kind == MoveKind::Transpose ? lineBytes / move.unit
                                : move.kind == MoveKind::Blocks
                                    ? std::max<std::uint64_t>(1, blockBytes / move.unit)
                                    : 1;
  const auto pieces = base::ceilDiv(longest->extent, granule);
  const auto grain = std::max<std::uint64_t>(1, chunkBytes * pieces / bytes);
  base::parallelFor(pieces, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    auto mine = part;
    auto first = begin * granule;
    mine[at].extent = std::min<std::uint64_t>(end * granule, part[at].extent) - first;
    walk(move, mine.data(), move.numLoops, from + std::int64_t(first) * part[at].from,
         to + std::int64_t(first) * part[at].to);
  });
}

void copyRunInParallel(const std::byte *from, std::byte *to, std::uint64_t bytes, bool bypass) {
  base::parallelFor(
      base::ceilDiv(bytes, chunkBytes), 1, [&](std::size_t begin, std::size_t end, unsigned) {
        auto first = begin * chunkBytes, last = std::min<std::uint64_t>(end * chunkBytes, bytes);
        if (bypass)
          copyLarge(from + first, to + first, last - first);
        else
          std::memcpy(to + first, from + first, last - first);
      });
}

void runLarge(const PlannedMove &move, const ByteLoop *loops, std::uint64_t bytes,
              const std::byte *from, std::byte *to) {
  if (move.kind == MoveKind::Run)
    copyRunInParallel(from, to, bytes, move.bypass);
  else
    walkInParallel(move, loops, bytes, from, to);
}

std::uint64_t bytesOf(const PlannedMove &move, const ByteLoop *loops) {
  auto bytes = move.unit;
  for (std::uint32_t i = 0; i < move.numLoops; ++i)
    bytes *= loops[i].extent;
  return bytes;
}

void runPlanned(const PlannedMove &move, const ByteLoop *loops, const std::byte *from,
                std::byte *to) {
  if (move.kind == MoveKind::Run)
    std::memcpy(to, from, move.unit);
  else
    walk(move, loops, move.numLoops, from, to);
}

} // namespace

MoveList::MoveList(const std::vector<RawMove> &raw, SameMemory memory) {
  std::vector<RawMove> moves;
  for (auto move : raw) {
    if (countOf(move.loops) * move.unit == 0)
      continue;
    orderLoops(move);
    joinLoops(move);
    moves.push_back(std::move(move));
  }
  for (const auto &move : moves)
    bytes_ += countOf(move.loops) * move.unit;
  auto overlap = [&] {
    return std::any_of(moves.begin(), moves.end(), overlapsItself) || overlapOthers(moves);
  };
  buffered_ = memory == SameMemory::Yes && overlap();
  if (buffered_) {
    auto packed = throughBuffer(moves);
    in_ = std::make_unique<MoveList>(packed.in, SameMemory::No);
    out_ = std::make_unique<MoveList>(packed.out, SameMemory::No);
  }
  for (auto &move : moves)
    add(std::move(move));
  simple_ = moves_.size() == 1 && moves_[0].kind == MoveKind::Run && bytes_ < parallelBytes;
}

void MoveList::add(RawMove move) {
  PlannedMove planned{move.from,
                      move.to,
                      move.unit,
                      std::uint32_t(loops_.size()),
                      0,
                      MoveKind::Run,
                      bytes_ >= bypassBytes};
  if (!move.loops.empty())
    planned.kind = !makeTranspose(move)      ? MoveKind::Rows
                   : canTranspose(move.unit) ? MoveKind::Transpose
                                             : MoveKind::Blocks;
  if (planned.kind == MoveKind::Rows)
    makeLong(move);
  planned.numLoops = move.loops.size();
  loops_.insert(loops_.end(), move.loops.begin(), move.loops.end());
  moves_.push_back(planned);
}

void MoveList::runSimple(const std::byte *from, std::byte *to) const {
  const auto &move = moves_[0];
  switch (move.unit) {
  case 4:
    std::memcpy(to + move.to, from + move.from, 4);
    return;
  case 8:
    std::memcpy(to + move.to, from + move.from, 8);
    return;
  default:
    std::memmove(to + move.to, from + move.from, move.unit);
  }
}

void MoveList::runGeneral(const std::byte *from, std::byte *to) const {
  if (buffered_)
    runBuffered(from, to);
  else
    runEach(from, to);
}

void MoveList::runEach(const std::byte *from, std::byte *to) const {
  auto one = [&](const PlannedMove &move) {
    runPlanned(move, loops_.data() + move.firstLoop, from + move.from, to + move.to);
  };
  if (bytes_ < parallelBytes || base::numThreads() == 1) {
    for (const auto &move : moves_)
      one(move);
    return;
  }
  // Few large moves are split inside; many small ones are shared out.
  if (moves_.size() >= 8 * base::numThreads()) {
    auto grain = std::max<std::uint64_t>(1, chunkBytes * moves_.size() / bytes_);
    base::parallelFor(moves_.size(), grain, [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto i = begin; i < end; ++i)
        one(moves_[i]);
    });
    return;
  }
  for (const auto &move : moves_) {
    auto *loops = loops_.data() + move.firstLoop;
    auto bytes = bytesOf(move, loops);
    if (bytes < parallelBytes)
      one(move);
    else
      runLarge(move, loops, bytes, from + move.from, to + move.to);
  }
}

void MoveList::runBuffered(const std::byte *from, std::byte *to) const {
  thread_local std::vector<std::byte> buffer;
  std::vector<std::byte> mine = std::move(buffer);
  if (mine.size() < bytes_)
    mine.resize(bytes_);
  in_->run(from, mine.data());
  out_->run(mine.data(), to);
  constexpr std::size_t keep = 64 << 20;
  if (mine.size() <= keep)
    buffer = std::move(mine);
}

MoveList bindMoves(const std::vector<executable::Move> &moves, const executable::Image &image,
                   SameMemory memory) {
  return MoveList(resolve(moves, image), memory);
}

} // namespace poplar::backend::cpu
