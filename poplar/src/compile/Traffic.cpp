// SPDX-License-Identifier: MIT
#include "compile/Traffic.hpp"
#include "arch/Exchange.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include <numeric>
#include <utility>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

constexpr std::uint64_t wordBytes = 4;

// A message of its own takes about so many bytes of exchange code at both ends; shorter spans may
// be packed instead.
constexpr std::uint64_t shortSpanBytes = 32;

void CopyLoad::add(const CopyLoad &other) {
  pieces.add(other.pieces);
  descriptors += other.descriptors;
}

void CopyLoad::subtract(const CopyLoad &other) {
  pieces.subtract(other.pieces);
  descriptors -= other.descriptors;
}

void CopyLoad::add(const arch::Chip &chip, std::uint64_t pieceBytes, std::uint64_t count,
                   std::uint64_t moreDescriptors) {
  pieces.add(chip, pieceBytes, count);
  descriptors += moreDescriptors;
}

void Volume::add(const Volume &o) {
  payload += o.payload;
  partners += o.partners;
  spanWords += o.spanWords;
  spans += o.spans;
  packedWords += o.packedWords;
  messages += o.messages;
  copying.add(o.copying);
  packing.add(o.packing);
}
void Volume::subtract(const Volume &o) {
  payload -= o.payload;
  partners -= o.partners;
  spanWords -= o.spanWords;
  spans -= o.spans;
  packedWords -= o.packedWords;
  messages -= o.messages;
  copying.subtract(o.copying);
  packing.subtract(o.packing);
}

Traffic::Traffic(const Image &image, Placement &placement, const arch::System &replica)
    : image_(image), placement_(placement), replica_(replica), loads_(replica.tiles()),
      local_(replica.tiles()), homes_(replica.tiles()) {}

void Traffic::begin(Toward toward, Join join) {
  toward_ = toward;
  join_ = join;
}

unsigned Traffic::elementBytes(std::uint32_t var) const {
  return unsigned(sizeOf(image_.variables[var].type));
}

// A span travels in whole words.
void Traffic::addSpans(Volume &volume, std::uint64_t spanBytes, std::uint64_t spans) const {
  volume.payload += spanBytes * spans;
  volume.spanWords += base::ceilDiv(spanBytes, wordBytes) * spans;
  volume.spans += spans;
  volume.copying.add(replica_.chip, spanBytes, spans);
  if (spanBytes < shortSpanBytes)
    volume.packing.add(replica_.chip, spanBytes, spans);
}
// All spans of a pair of tiles in one variable are known.
void Traffic::seal(Volume &volume) const {
  volume.partners = 1;
  if (volume.packing.pieces < 2)
    volume.packing = {};
  const auto &packed = volume.packing;
  const auto longBytes = volume.payload - packed.bytes;
  volume.packedWords =
      packed.pieces ? base::ceilDiv(longBytes, wordBytes) + base::ceilDiv(packed.bytes, wordBytes)
                    : volume.spanWords;
  volume.messages = volume.spans - packed.pieces + (packed.pieces ? 1 : 0);
}

// Adds `next` to `last` when the same elements (or neighbours, if they may join) are needed by one
// tile.
bool Traffic::absorb(Need &last, const Need &next) {
  if (last.tile != next.tile || last.var != next.var)
    return false;
  auto &a = last.elements;
  const auto &b = next.elements;
  auto repeated = [&](std::uint64_t elements) {
    if (join_ == Join::Overlaps && elements)
      addLocal(last.tile, elements * elementBytes(last.var));
  };
  if (a == b) {
    repeated(b.elements());
    return true;
  }
  if (a.count != 1 || b.count != 1 || b.begin > a.end() ||
      (b.begin == a.end() && join_ == Join::Overlaps))
    return false;
  auto end = std::max(a.end(), b.end());
  repeated(std::min(a.end(), b.end()) - b.begin);
  a.block = a.stride = end - a.begin;
  return true;
}

// By tile first, which is a number among few; what one tile needs is a short list, and often in
// order.
void Traffic::sortNeeds() {
  if (std::is_sorted(needs_.begin(), needs_.end()))
    return;
  if (needs_.size() < replica_.tiles())
    return std::sort(needs_.begin(), needs_.end());
  std::vector<std::size_t> ends(replica_.tiles() + 1);
  for (const auto &need : needs_)
    ++ends[need.tile + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Need> sorted(needs_.size());
  for (const auto &need : needs_)
    sorted[ends[need.tile]++] = need;
  needs_.swap(sorted);
  auto begin = needs_.begin();
  for (std::size_t tile = 0; tile + 1 < ends.size(); ++tile) {
    const auto end = needs_.begin() + std::ptrdiff_t(ends[tile]);
    if (!std::is_sorted(begin, end))
      std::sort(begin, end);
    begin = end;
  }
}

void Traffic::mergeNeeds() {
  sortNeeds();
  std::size_t kept = 0;
  for (const auto &need : needs_)
    if (!kept || !absorb(needs_[kept - 1], need))
      needs_[kept++] = need;
  needs_.resize(kept);
}

std::vector<Traffic::List> Traffic::lists() const {
  std::vector<List> out;
  for (std::size_t i = 0; i != needs_.size(); ++i) {
    if (out.empty() || needs_[i].tile != needs_[i - 1].tile || needs_[i].var != needs_[i - 1].var)
      out.push_back({i, i, needs_[i].var});
    out.back().last = i + 1;
    out.back().hash = base::hashBytes(&needs_[i].elements, sizeof(Pattern), out.back().hash);
  }
  return out;
}

bool Traffic::sameNeeds(const List &a, const List &b) const {
  return needs_[a.first].var == needs_[b.first].var && a.last - a.first == b.last - b.first &&
         std::equal(needs_.begin() + std::ptrdiff_t(a.first),
                    needs_.begin() + std::ptrdiff_t(a.last),
                    needs_.begin() + std::ptrdiff_t(b.first),
                    [](const Need &x, const Need &y) { return x.elements == y.elements; });
}

std::uint32_t Traffic::Group::on(unsigned ipu) const {
  auto at = std::find_if(perIpu.begin(), perIpu.end(),
                         [&](const auto &entry) { return entry.first == ipu; });
  return at == perIpu.end() ? 0 : at->second;
}

std::vector<Traffic::Group> Traffic::groups() const {
  auto all = lists();
  if (toward_ == Toward::Tile)
    std::stable_sort(all.begin(), all.end(),
                     [](const List &a, const List &b) { return a.hash < b.hash; });
  std::vector<Group> out;
  for (const auto &list : all) {
    auto tile = needs_[list.first].tile;
    if (toward_ == Toward::Home || out.empty() || out.back().list.hash != list.hash ||
        !sameNeeds(out.back().list, list))
      out.push_back({list, {}, {}});
    out.back().tiles.push_back(tile);
    auto &perIpu = out.back().perIpu;
    if (perIpu.empty() || perIpu.back().first != replica_.ipuOf(tile))
      perIpu.push_back({replica_.ipuOf(tile), 0});
    ++perIpu.back().second;
  }
  return out;
}

// What each home holds of a list.
void Traffic::findHomes(const List &list) {
  homes_.clear();
  auto size = elementBytes(needs_[list.first].var);
  for (auto i = list.first; i != list.last; ++i)
    placement_.forEachPiece(needs_[i].var, needs_[i].elements, [&](const Placement::Piece &piece) {
      addSpans(homes_[piece.tile], base::ceilDiv(piece.elements, piece.spans) * size, piece.spans);
    });
  for (const auto &entry : homes_.entries())
    seal(homes_[entry.first]);
}

void Traffic::note(std::uint32_t tile, Volume TileLoad::*part, const Volume &volume) {
  if (!volume.payload)
    return;
  (loads_[tile].*part).add(volume);
}

// Every span is a packet, or several.
void Traffic::addFlow(unsigned from, unsigned to, const Volume &volume) {
  auto &flow = flows_[{from, to}];
  const auto bytes = volume.spanWords * wordBytes;
  flow.bytes += bytes;
  flow.packets += std::max(volume.spans, base::ceilDiv(bytes, replica_.chip.links.packetBytes));
}

// The longest way between the tiles of a group and the homes of what they need, on each IPU.
void Traffic::noteRoute(const Group &group) {
  for (const auto &[ipu, count] : group.perIpu) {
    std::vector<unsigned> homes, tiles;
    for (const auto &[home, volume] : homes_.entries())
      if (replica_.ipuOf(home) == ipu)
        homes.push_back(replica_.tileOnIpu(home));
    for (auto tile : group.tiles)
      if (replica_.ipuOf(tile) == ipu)
        tiles.push_back(replica_.tileOnIpu(tile));
    route_ = std::max(route_, arch::longestRoute(replica_.chip, homes, tiles));
  }
}

constexpr std::uint64_t spreadBits = 0x9e3779b97f4a7c15ull; // makes sums of small numbers differ

// Homes send to the tiles of a group. What leaves them is counted by sendOnce.
void Traffic::deliver(const Group &group, std::uint64_t id) {
  findHomes(group.list);
  noteRoute(group);
  std::vector<std::pair<unsigned, Volume>> fromIpu;
  for (const auto &[tile, home] : homes_.entries()) {
    auto ipu = replica_.ipuOf(tile);
    auto at = std::find_if(fromIpu.begin(), fromIpu.end(),
                           [&](const auto &entry) { return entry.first == ipu; });
    if (at == fromIpu.end())
      at = fromIpu.insert(at, {ipu, {}});
    at->second.add(home);
  }
  for (auto tile : group.tiles)
    deliverTo(tile, id, fromIpu);
}

void Traffic::deliverTo(std::uint32_t tile, std::uint64_t id,
                        const std::vector<std::pair<unsigned, Volume>> &fromIpu) {
  const auto *own = homes_.find(tile);
  for (const auto &[ipu, volume] : fromIpu) {
    bool near = ipu == replica_.ipuOf(tile);
    auto in = volume;
    if (near && own)
      in.subtract(*own);
    note(tile, near ? &TileLoad::in : &TileLoad::linkIn, in);
    if (in.payload)
      loads_[tile].inputs += (id + 1) * spreadBits;
  }
  if (own && join_ == Join::Overlaps)
    local_[tile].add(own->copying);
}

// One tile made the elements of a list and sends them home.
void Traffic::collect(const Group &group, std::uint64_t id) {
  findHomes(group.list);
  noteRoute(group);
  auto tile = group.tiles[0];
  auto ipu = replica_.ipuOf(tile);
  for (const auto &[home, part] : homes_.entries()) {
    if (home == tile)
      continue;
    bool near = replica_.ipuOf(home) == ipu;
    note(home, near ? &TileLoad::in : &TileLoad::linkIn, part);
    note(tile, near ? &TileLoad::out : &TileLoad::linkOut, part);
    loads_[home].inputs += (id + 1) * spreadBits;
    if (!near)
      addFlow(ipu, replica_.ipuOf(home), part);
  }
}

TrafficResult Traffic::finish() {
  mergeNeeds();
  auto all = groups();
  for (std::size_t g = 0; g != all.size(); ++g)
    toward_ == Toward::Tile ? deliver(all[g], g) : collect(all[g], g);
  homes_.clear();
  if (toward_ == Toward::Tile)
    sendOnce(all);
  needs_.clear();
  TrafficResult result;
  result.loads = loads_.take();
  std::erase_if(result.loads, [](const auto &entry) {
    const auto &l = entry.second;
    return !(l.in.payload | l.out.payload | l.linkIn.payload | l.linkOut.payload);
  });
  result.local = local_.take();
  for (const auto &[ipus, load] : flows_)
    result.flows.push_back({ipus.first, ipus.second, load.bytes, load.packets});
  flows_.clear();
  result.route = std::exchange(route_, 0);
  return result;
}

} // namespace poplar::compile
