// SPDX-License-Identifier: MIT
// A move is walked along one of its loops, the one that crosses the fewest mapped ranges; the
// others count. Each run is cut where the destination's tile changes. Rows that follow each other
// at a constant distance stay one pattern. Where very many pieces leave their tiles, bytes are
// summed by tile.
#include "compile/PlanCopies.hpp"
#include "base/Arithmetic.hpp"
#include <map>
#include <set>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

// Of more pieces that travel only bytes and numbers of partners are known, by tile; of more in all
// it is an estimate, too, which of them stay on their tile.
constexpr double mostPieces = 1 << 20, mostWalked = 1 << 25;

class MoveWalk {
public:
  MoveWalk(const Image &image, Placement &placement, const Move &move, Traffic &traffic)
      : image_(image), placement_(placement), move_(move), traffic_(traffic), loops_(move.loops) {}

  // Pieces that a walk along the chosen loop would meet.
  double chooseLoop() {
    double total = 1, best = 0;
    for (const auto &loop : loops_)
      total *= double(loop.extent);
    std::size_t choice = loops_.size();
    for (std::size_t i = 0; i != loops_.size(); ++i) {
      const auto &l = loops_[i];
      auto crossings =
          2 * across(l.extent, l.to, move_.toVar) + across(l.extent, l.from, move_.fromVar);
      auto cost = total / double(l.extent) * (1 + crossings);
      if (choice == loops_.size() || cost < best) {
        choice = i;
        best = cost;
      }
    }
    if (choice != loops_.size()) {
      inner_ = loops_[choice];
      loops_.erase(loops_.begin() + std::ptrdiff_t(choice));
    }
    return best;
  }

  void walk() {
    visit();
    if (pending_)
      traffic_.add(last_);
  }
  // Whether the pieces that leave their tiles are few enough to be looked at one by one. Looked for
  // where pieces are likely to stay: in a copy between places of one order.
  bool fewTravel() {
    if (inner_.from != inner_.to)
      return false;
    aim_ = Aim::Count;
    visit();
    aim_ = Aim::Needs;
    return double(travelling_) <= mostPieces;
  }

private:
  enum class Aim { Needs, Count };

  void visit() {
    std::vector<std::uint64_t> at(loops_.size(), 0);
    auto from = move_.fromOffset, to = move_.toOffset;
    while (!enough()) {
      row(from, to);
      auto level = loops_.size();
      while (level && ++at[level - 1] == loops_[level - 1].extent) {
        from -= std::int64_t(loops_[level - 1].extent - 1) * loops_[level - 1].from;
        to -= std::int64_t(loops_[level - 1].extent - 1) * loops_[level - 1].to;
        at[--level] = 0;
      }
      if (!level)
        break;
      from += loops_[level - 1].from;
      to += loops_[level - 1].to;
    }
  }
  bool enough() const { return aim_ == Aim::Count && double(travelling_) > mostPieces; }
  double across(std::uint64_t extent, std::int64_t stride, std::uint32_t var) const {
    const auto &v = image_.variables[var];
    auto perRange = double(v.elements) / double(std::max<std::size_t>(1, v.mapping.size()));
    return std::min(double(extent), double(extent) * double(std::llabs(stride)) / perRange);
  }

  void row(std::int64_t from, std::int64_t to) {
    for (std::uint64_t done = 0; done != inner_.extent && !enough();) {
      auto position = to + std::int64_t(done) * inner_.to;
      const auto &range = image_.variables[move_.toVar]
                              .mapping[placement_.find(move_.toVar, std::uint64_t(position))];
      auto count = inner_.extent - done;
      if (inner_.to > 0)
        count = std::min(
            count, base::ceilDiv(range.end - std::uint64_t(position), std::uint64_t(inner_.to)));
      else if (inner_.to < 0)
        count = std::min(count,
                         (std::uint64_t(position) - range.begin) / std::uint64_t(-inner_.to) + 1);
      piece(range.tile, from + std::int64_t(done) * inner_.from, count);
      done += count;
    }
  }

  void piece(std::uint32_t tile, std::int64_t from, std::uint64_t count) {
    auto stride = inner_.from;
    if (stride == 0 && count > 1 && aim_ != Aim::Count) // arrives once, then fills its places
      traffic_.addLocal(tile, (count - 1) * move_.elementBytes);
    if (stride < 0)
      from += stride * std::int64_t(count - 1);
    auto begin = std::uint64_t(from), distance = std::uint64_t(std::llabs(stride));
    Pattern pattern{begin, 1, 1, 1};
    if (count > 1 && distance == 1 && inner_.to == inner_.from)
      pattern = {begin, count, 1, count};
    else if (count > 1 && distance)
      pattern = {begin, 1, count, distance};
    emit({tile, move_.fromVar, pattern});
  }

  // What is on the right tile already is a copy and no traffic.
  bool stays(const Need &need) {
    const auto &p = need.elements;
    const auto &home = image_.variables[need.var].mapping[placement_.find(need.var, p.begin)];
    if (home.tile != need.tile || home.end < p.end())
      return false;
    if (aim_ != Aim::Count)
      traffic_.addLocal(need.tile, p.block * move_.elementBytes, p.count);
    return true;
  }
  void emit(const Need &need) {
    if (stays(need))
      return;
    if (aim_ == Aim::Count)
      ++travelling_;
    else
      keep(need);
  }
  void keep(const Need &need) {
    if (pending_ && last_.tile == need.tile && extend(last_.elements, need.elements))
      return;
    if (pending_)
      traffic_.add(last_);
    last_ = need;
    pending_ = true;
  }
  bool extend(Pattern &row, const Pattern &next) {
    if (row == next) {
      traffic_.addLocal(last_.tile, next.block * move_.elementBytes, next.count);
      return true;
    }
    if (next.count != 1 || next.block != row.block || next.begin < row.begin + row.block)
      return false;
    if (row.count == 1)
      row.stride = next.begin - row.begin;
    if (next.begin != row.begin + row.count * row.stride)
      return false;
    ++row.count;
    return true;
  }

  const Image &image_;
  Placement &placement_;
  const Move &move_;
  Traffic &traffic_;
  std::vector<MoveLoop> loops_; // all but the one walked along
  MoveLoop inner_{1, 1, 1};
  Need last_{};
  bool pending_ = false;
  Aim aim_ = Aim::Needs;
  std::uint64_t travelling_ = 0;
};

TileBytes bytesByTile(Placement &placement, const Move &move, Side side) {
  std::map<std::uint32_t, std::uint64_t> sums;
  auto var = side == Side::From ? move.fromVar : move.toVar;
  forEachPattern(sideOf(move, side), [&](const Pattern &pattern) {
    placement.forEachPiece(var, pattern, [&](const Placement::Piece &piece) {
      sums[piece.tile] += piece.elements * move.elementBytes;
    });
  });
  return {sums.begin(), sums.end()};
}

// Bytes that stay together in source and destination, in the mean.
std::uint64_t commonSpan(const Image &image, const Move &move) {
  const auto perRange = [&](std::uint32_t var) {
    const auto &v = image.variables[var];
    return std::max<std::uint64_t>(1, v.elements / std::max<std::size_t>(1, v.mapping.size()));
  };
  for (const auto &loop : move.loops)
    if (loop.from == 1 && loop.to == 1)
      return std::min({loop.extent, perRange(move.fromVar), perRange(move.toVar)}) *
             move.elementBytes;
  return move.elementBytes;
}

// With how many tiles of the other side the elements of one tile are exchanged: the most of a few
// mapped ranges, each looked at element by element.
class Partners {
public:
  Partners(const Image &image, Placement &placement, const Move &move, Side side)
      : placement_(placement), var_(side == Side::From ? move.fromVar : move.toVar),
        otherVar_(side == Side::From ? move.toVar : move.fromVar),
        mapping_(image.variables[var_].mapping.list()),
        otherMapping_(image.variables[otherVar_].mapping.list()) {
    for (const auto &loop : move.loops)
      loops_.push_back(side == Side::From ? Loop{loop.extent, loop.from, loop.to}
                                          : Loop{loop.extent, loop.to, loop.from});
    std::stable_sort(loops_.begin(), loops_.end(), [](const Loop &a, const Loop &b) {
      return std::llabs(a.here) > std::llabs(b.here);
    });
    // What the loops from i on can add to a position.
    lowest_.assign(loops_.size() + 1, 0);
    highest_ = lowest_;
    for (auto i = loops_.size(); i-- > 0;) {
      const auto reach = std::int64_t(loops_[i].extent - 1) * loops_[i].here;
      lowest_[i] = lowest_[i + 1] + std::min<std::int64_t>(reach, 0);
      highest_[i] = highest_[i + 1] + std::max<std::int64_t>(reach, 0);
    }
    here_ = side == Side::From ? move.fromOffset : move.toOffset;
    there_ = side == Side::From ? move.toOffset : move.fromOffset;
  }

  std::uint64_t most() {
    constexpr std::size_t samples = 5;
    std::size_t found = 1;
    for (std::size_t i = 0; i != samples; ++i) {
      const auto &range = mapping_[(mapping_.size() - 1) * i / (samples - 1)];
      begin_ = std::int64_t(range.begin);
      end_ = std::int64_t(range.end);
      tiles_.clear();
      visit(0, here_, there_);
      found = std::max(found, tiles_.size());
    }
    return found;
  }

private:
  struct Loop {
    std::uint64_t extent;
    std::int64_t here, there;
  };
  void visit(std::size_t level, std::int64_t here, std::int64_t there) {
    if (here + highest_[level] < begin_ || here + lowest_[level] >= end_)
      return;
    if (level == loops_.size()) {
      tiles_.insert(otherMapping_[placement_.find(otherVar_, std::uint64_t(there))].tile);
      return;
    }
    const auto &loop = loops_[level];
    for (std::uint64_t i = 0; i != loop.extent; ++i)
      visit(level + 1, here + std::int64_t(i) * loop.here, there + std::int64_t(i) * loop.there);
  }

  Placement &placement_;
  std::uint32_t var_, otherVar_;
  const std::vector<MappedRange> &mapping_, &otherMapping_;
  std::vector<Loop> loops_;
  std::vector<std::int64_t> lowest_, highest_;
  std::int64_t here_ = 0, there_ = 0, begin_ = 0, end_ = 0;
  std::set<std::uint32_t> tiles_;
};

// A tile keeps the part of its bytes that corresponds to its part of the other side.
void addEstimate(const Image &image, Placement &placement, const Move &move, Traffic &traffic) {
  auto sent = bytesByTile(placement, move, Side::From),
       received = bytesByTile(placement, move, Side::To);
  double all = 0;
  for (const auto &[tile, bytes] : sent)
    all += double(bytes);
  const auto span = commonSpan(image, move);
  auto from = sent.begin();
  for (auto &[tile, bytes] : received) {
    while (from != sent.end() && from->first < tile)
      ++from;
    if (from == sent.end() || from->first != tile)
      continue;
    const auto stays = std::uint64_t(double(bytes) * double(from->second) / all);
    if (stays)
      traffic.addLocal(tile, span, base::ceilDiv(stays, span));
    bytes -= stays;
    from->second -= stays;
  }
  traffic.addSpread(sent, received, span, Partners(image, placement, move, Side::From).most(),
                    Partners(image, placement, move, Side::To).most());
}

} // namespace

void addMove(const Image &image, Placement &placement, const Move &move, Traffic &traffic) {
  for (const auto &loop : move.loops)
    if (loop.extent == 0)
      return;
  MoveWalk walk(image, placement, move, traffic);
  const auto pieces = walk.chooseLoop();
  if (pieces <= mostPieces || (pieces <= mostWalked && walk.fewTravel()))
    return walk.walk();
  addEstimate(image, placement, move, traffic);
}

void addSide(Placement &placement, const Move &move, Side side, ByTile<SideShare> &shares) {
  auto var = side == Side::From ? move.fromVar : move.toVar;
  if (var == none)
    return;
  for (const auto &loop : move.loops)
    if (loop.extent == 0)
      return;
  forEachPattern(sideOf(move, side), [&](const Pattern &pattern) {
    placement.forEachPiece(var, pattern, [&](const Placement::Piece &piece) {
      auto &share = shares[piece.tile];
      share.bytes += piece.elements * move.elementBytes;
      share.spans += piece.spans;
    });
  });
}

} // namespace poplar::compile
