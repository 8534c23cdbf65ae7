// SPDX-License-Identifier: MIT
// A value for each of the few tiles that take part in something. Asking for a tile costs an array
// access; taking the result sorts it by tile and leaves the table clean for the next step, whatever
// the size of the machine.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace poplar::compile {

template <class Value> class ByTile {
public:
  using Entry = std::pair<std::uint32_t, Value>;
  explicit ByTile(unsigned tiles) : index_(tiles, absent) {}

  Value &operator[](std::uint32_t tile) {
    if (index_[tile] == absent) {
      index_[tile] = std::uint32_t(entries_.size());
      entries_.push_back({tile, Value{}});
    }
    return entries_[index_[tile]].second;
  }
  const Value *find(std::uint32_t tile) const {
    return index_[tile] == absent ? nullptr : &entries_[index_[tile]].second;
  }
  bool empty() const { return entries_.empty(); }
  const std::vector<Entry> &entries() const { return entries_; } // in order of first mention
  void clear() {
    for (const auto &entry : entries_)
      index_[entry.first] = absent;
    entries_.clear();
  }
  std::vector<Entry> take() {
    auto out = std::move(entries_);
    entries_ = {};
    for (const auto &entry : out)
      index_[entry.first] = absent;
    auto less = [](const Entry &a, const Entry &b) { return a.first < b.first; };
    if (!std::is_sorted(out.begin(), out.end(), less))
      std::sort(out.begin(), out.end(), less);
    return out;
  }

private:
  static constexpr std::uint32_t absent = 0xffffffffu;
  std::vector<std::uint32_t> index_;
  std::vector<Entry> entries_;
};

} // namespace poplar::compile
