// SPDX-License-Identifier: MIT
// The sending side of a Traffic: what leaves each home, once; and traffic that is only known tile
// by tile.
#include "arch/Exchange.hpp"
#include "base/Arithmetic.hpp"
#include "compile/Traffic.hpp"
#include <algorithm>
#include <tuple>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

bool Traffic::listens(const Group &group, std::uint32_t home) const {
  auto near = group.on(replica_.ipuOf(home));
  return near > 1 ||
         (near == 1 && !std::binary_search(group.tiles.begin(), group.tiles.end(), home));
}

// Walks needs in the order of their first element; every mapped range remembers how far it has been
// sent already. Scattered needs are only recognised when they are equal. What goes to another IPU
// leaves once for all its tiles.
class Traffic::Sender {
public:
  // `to`: the IPU sent to; none for tiles of the homes' own.
  explicit Sender(Traffic &traffic, std::uint32_t to = none) : traffic_(traffic), to_(to) {}
  ~Sender() { flush(); }

  void send(const Need &need, const Group &group) {
    if (need.var != var_)
      start(need.var);
    if (need.elements.count > 1 && heard_ && last_ == need.elements)
      return;
    last_ = need.elements;
    heard_ = to_ != none || group.tiles.size() > 1;
    auto size = traffic_.elementBytes(var_);
    traffic_.placement_.forEachPiece(var_, need.elements, [&](const Placement::Piece &piece) {
      if (to_ == none ? !traffic_.listens(group, piece.tile)
                      : traffic_.replica_.ipuOf(piece.tile) == to_)
        return;
      if (need.elements.count == 1)
        sendRest(need.elements, piece);
      else
        traffic_.addSpans(traffic_.homes_[piece.tile],
                          base::ceilDiv(piece.elements, piece.spans) * size, piece.spans);
    });
  }

  void flush() {
    for (auto [tile, home] : traffic_.homes_.entries()) {
      traffic_.seal(home);
      traffic_.note(tile, to_ == none ? &TileLoad::out : &TileLoad::linkOut, home);
      if (to_ != none)
        traffic_.addFlow(traffic_.replica_.ipuOf(tile), to_, home);
    }
    traffic_.homes_.clear();
  }

private:
  void start(std::uint32_t var) {
    flush();
    var_ = var;
    sent_.assign(traffic_.image_.variables[var].mapping.size(), 0);
    heard_ = false;
  }
  void sendRest(const Pattern &p, const Placement::Piece &piece) {
    const auto &range = traffic_.image_.variables[var_].mapping[piece.range];
    auto end = std::min(p.end(), range.end);
    auto from = std::max(piece.first, sent_[piece.range]);
    if (from < end)
      traffic_.addSpans(traffic_.homes_[piece.tile], (end - from) * traffic_.elementBytes(var_), 1);
    sent_[piece.range] = std::max(sent_[piece.range], end);
  }

  Traffic &traffic_;
  std::uint32_t to_;
  std::uint32_t var_ = none;
  std::vector<std::uint64_t> sent_; // by mapped range: elements below this have left
  Pattern last_;
  bool heard_ = false; // several tiles listened to last_, so all of it has left
};

// In the order of variables and elements; equal ones as the groups are. Most differ in what stands
// in the entries themselves.
auto Traffic::sendingOrder(const std::vector<Group> &groups) const -> std::vector<Sent> {
  std::vector<Sent> order;
  order.reserve(needs_.size());
  for (std::uint32_t g = 0; g != groups.size(); ++g)
    for (auto i = groups[g].list.first; i != groups[g].list.last; ++i)
      order.push_back({needs_[i].var, g, needs_[i].elements.begin, i});
  std::sort(order.begin(), order.end(), [&](const Sent &a, const Sent &b) {
    if (a.var != b.var)
      return a.var < b.var;
    if (a.begin != b.begin)
      return a.begin < b.begin;
    const auto &x = needs_[a.need].elements, &y = needs_[b.need].elements;
    return x != y ? x < y : std::tie(a.group, a.need) < std::tie(b.group, b.need);
  });
  return order;
}

void Traffic::sendOnce(const std::vector<Group> &groups) {
  const auto order = sendingOrder(groups);
  homes_.clear();
  Sender near(*this);
  for (const auto &sent : order)
    near.send(needs_[sent.need], groups[sent.group]);
  near.flush();
  for (std::uint32_t ipu = 0; replica_.ipus > 1 && ipu != replica_.ipus; ++ipu) {
    Sender far(*this, ipu);
    for (const auto &sent : order)
      if (groups[sent.group].on(ipu))
        far.send(needs_[sent.need], groups[sent.group]);
  }
}

namespace {

// Bytes by tile and by IPU.
struct Shares {
  std::map<std::uint32_t, std::uint64_t> byTile;
  std::map<unsigned, std::uint64_t> byIpu;
  std::uint64_t all = 0;
  Shares(const TileBytes &list, const arch::System &system) {
    for (auto [tile, bytes] : list) {
      byTile[tile] += bytes;
      byIpu[system.ipuOf(tile)] += bytes;
      all += bytes;
    }
  }
  std::uint64_t on(std::uint32_t tile) const {
    auto at = byTile.find(tile);
    return at == byTile.end() ? 0 : at->second;
  }
  std::uint64_t near(unsigned ipu) const {
    auto at = byIpu.find(ipu);
    return at == byIpu.end() ? 0 : at->second;
  }
};

// The tiles that send, or those that receive.
struct SpreadSide {
  Shares bytes;
  std::uint64_t partners;      // at most so many tiles of the other side meet one of these
  Volume TileLoad::*inside;    // what it moves within its IPU
  Volume TileLoad::*overLinks; // and from or to others
};

std::uint64_t scaled(std::uint64_t bytes, std::uint64_t part, std::uint64_t whole) {
  return whole ? std::uint64_t(double(bytes) * double(part) / double(whole)) : 0;
}

} // namespace

void Traffic::addSpread(const TileBytes &sent, const TileBytes &received, std::uint64_t spanBytes,
                        std::uint64_t receivers, std::uint64_t senders) {
  const SpreadSide sender{Shares(sent, replica_), receivers, &TileLoad::out, &TileLoad::linkOut};
  const SpreadSide receiver{Shares(received, replica_), senders, &TileLoad::in, &TileLoad::linkIn};
  auto volume = [&](std::uint64_t bytes, std::uint64_t partners) {
    if (!bytes)
      return Volume{};
    Volume v;
    addSpans(v, spanBytes, base::ceilDiv(bytes, spanBytes));
    seal(v);
    v.partners = std::min(v.spans, partners);
    v.messages = std::min(v.spans, std::max(v.messages, partners));
    return v;
  };
  // A tile's bytes meet the other side's other tiles in proportion to what those hold.
  auto load = [&](const SpreadSide &side, const Shares &other) {
    const auto ipus = std::uint64_t(other.byIpu.size());
    const auto partners = std::min(side.partners, std::uint64_t(other.byTile.size()) /
                                                      std::max<std::uint64_t>(1, ipus));
    for (auto [tile, bytes] : side.bytes.byTile) {
      const auto near = other.near(replica_.ipuOf(tile)), own = other.on(tile);
      note(tile, side.inside, volume(scaled(bytes, near - own, other.all - own), partners));
      note(tile, side.overLinks,
           volume(scaled(bytes, other.all - near, other.all - own), partners * (ipus - 1)));
    }
  };
  load(receiver, sender.bytes);
  load(sender, receiver.bytes);
  for (auto [tile, bytes] : receiver.bytes.byTile)
    loads_[tile].inputs += tile + 1; // no other tile listens to the same
  for (auto [from, bytes] : sender.bytes.byIpu)
    for (auto [to, wanted] : receiver.bytes.byIpu)
      if (from != to)
        addFlow(from, to, volume(scaled(bytes, wanted, receiver.bytes.all), 1));
  route_ = std::max(route_, arch::routeCycles(replica_.chip, replica_.chip.fabric.columns - 1,
                                              replica_.chip.rows() - 1));
}

} // namespace poplar::compile
