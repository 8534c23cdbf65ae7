// SPDX-License-Identifier: MIT
// One exchange between the tiles where elements live (their homes) and tiles that want or made
// them. First it collects who needs what, then it finds out what each tile sends and receives: the
// same elements reach a tile once, and leave their home once however many tiles listen. Tiles that
// need the very same elements are treated together, so a broadcast to all tiles costs the sum and
// not the product of senders and receivers.
#pragma once
#include "analysis/Placement.hpp"
#include "arch/Compute.hpp"
#include "arch/Links.hpp"
#include "compile/ByTile.hpp"
#include <map>

namespace poplar::compile {

using analysis::Pattern;
using analysis::Placement;
using analysis::Side;

// Elements of one variable that travel between their homes and a tile.
struct Need {
  std::uint32_t tile, var;
  Pattern elements;
  auto operator<=>(const Need &) const = default;
};

// Copies inside one tile.
struct CopyLoad {
  arch::TileRearrangement pieces;
  std::uint64_t descriptors = 0; // regular patterns: what the copy has to remember

  std::uint64_t bytes() const { return pieces.bytes; }
  void add(const CopyLoad &other);
  void subtract(const CopyLoad &other);
  // Pieces of equal size.
  void add(const arch::Chip &chip, std::uint64_t pieceBytes, std::uint64_t count,
           std::uint64_t descriptors = 1);
  arch::Cycles cycles(const arch::Chip &chip) const { return arch::rearrangeCycles(chip, pieces); }
};

// Bytes on the wire are whole words; payload is what the program asked for. Spans travel as
// messages of their own, or those that are short are packed into one message for each pair of tiles
// and variable.
struct Volume {
  std::uint64_t payload = 0;
  std::uint64_t partners = 0;                  // tiles at the other end, once for each variable
  std::uint64_t spanWords = 0, spans = 0;      // messages when nothing is packed
  std::uint64_t packedWords = 0, messages = 0; // when short spans are packed
  CopyLoad copying;                            // of all spans, were they copied on a tile
  arch::TileRearrangement packing;             // of the spans that are short
  void add(const Volume &other);
  void subtract(const Volume &other);
};

struct TileLoad {
  Volume in, out;           // within the IPU
  Volume linkIn, linkOut;   // from and to other IPUs
  std::uint64_t inputs = 0; // equal numbers: the same streams arrive
};

using TileBytes = std::vector<std::pair<std::uint32_t, std::uint64_t>>;
using TileLoads = std::vector<ByTile<TileLoad>::Entry>;

struct TrafficResult {
  TileLoads loads;                            // sorted by tile
  arch::Cycles route = 0;                     // the longest way within an IPU
  std::vector<arch::Flow> flows;              // between IPUs of the replica
  std::vector<ByTile<CopyLoad>::Entry> local; // already on the right tile, sorted
};

class Traffic {
public:
  enum class Toward { Tile, Home };
  // Whether needs that are neighbours at home may come as one message: fields in a buffer, but not
  // the places a copy fills.
  enum class Join { Neighbours, Overlaps };

  Traffic(const executable::Image &image, Placement &placement, const arch::System &replica);

  void begin(Toward toward, Join join);
  void add(const Need &need) { needs_.push_back(need); }
  // Pieces that are copied within a tile: at home there already, or arriving once and wanted
  // several times.
  void addLocal(std::uint32_t tile, std::uint64_t pieceBytes, std::uint64_t pieces = 1) {
    local_[tile].add(replica_.chip, pieceBytes, pieces);
  }
  // Traffic known only by what each tile sends to others and receives from them, and with how many
  // tiles at most.
  void addSpread(const TileBytes &sent, const TileBytes &received, std::uint64_t spanBytes,
                 std::uint64_t receivers, std::uint64_t senders);
  bool empty() const { return needs_.empty() && loads_.empty() && local_.empty(); }

  TrafficResult finish();

private:
  struct List { // needs of one tile in one variable: needs_[first, last)
    std::size_t first, last;
    std::uint64_t hash;
  };
  struct Group {
    List list;
    std::vector<std::uint32_t> tiles;                       // sorted; all need exactly this list
    std::vector<std::pair<unsigned, std::uint32_t>> perIpu; // how many of them, by IPU in order
    std::uint32_t on(unsigned ipu) const;
  };

  void sortNeeds();
  void mergeNeeds();
  bool absorb(Need &last, const Need &next);
  std::vector<List> lists() const;
  std::vector<Group> groups() const;
  bool sameNeeds(const List &a, const List &b) const;
  void findHomes(const List &list);
  void deliver(const Group &group, std::uint64_t id);
  void deliverTo(std::uint32_t tile, std::uint64_t id,
                 const std::vector<std::pair<unsigned, Volume>> &fromIpu);
  void collect(const Group &group, std::uint64_t id);
  struct Sent { // a need of a group
    std::uint32_t var, group;
    std::uint64_t begin; // its first element
    std::size_t need;
  };
  class Sender;
  std::vector<Sent> sendingOrder(const std::vector<Group> &groups) const;
  void sendOnce(const std::vector<Group> &groups);
  void note(std::uint32_t tile, Volume TileLoad::*part, const Volume &volume);
  void noteRoute(const Group &group);
  void addFlow(unsigned from, unsigned to, const Volume &volume);
  bool listens(const Group &group, std::uint32_t home) const;
  void addSpans(Volume &volume, std::uint64_t spanBytes, std::uint64_t spans) const;
  void seal(Volume &volume) const;
  unsigned elementBytes(std::uint32_t var) const;

  const executable::Image &image_;
  Placement &placement_;
  const arch::System &replica_;
  Toward toward_ = Toward::Tile;
  Join join_ = Join::Neighbours;
  std::vector<Need> needs_;
  ByTile<TileLoad> loads_;
  ByTile<CopyLoad> local_;
  ByTile<Volume> homes_; // of the list looked at
  struct LinkLoad {
    std::uint64_t bytes = 0, packets = 0;
  };
  std::map<std::pair<unsigned, unsigned>, LinkLoad> flows_;
  arch::Cycles route_ = 0;
};

} // namespace poplar::compile
