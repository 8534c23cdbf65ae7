// SPDX-License-Identifier: MIT
// First fit in the order of first use: a variable takes the lowest gap between the places of
// variables still alive.
#include "compile/BindStorage.hpp"
#include "compile/FindLiveness.hpp"
#include <algorithm>
#include <map>

namespace poplar::compile {

using namespace executable;

namespace {

constexpr std::uint64_t alignment = 64,
                        slack = 64; // slack: codelets may read a little past the end

std::uint64_t storageBytes(const Variable &var) {
  return (var.bytes() + slack + alignment - 1) / alignment * alignment;
}

// Places in use, by offset; all of one kind of lifetime above `base`.
class SharedArena {
public:
  explicit SharedArena(std::uint64_t base) : end_(base), base_(base) {}

  std::uint64_t take(std::uint64_t bytes) {
    std::uint64_t at = base_;
    for (const auto &[offset, size] : taken_) {
      if (offset >= at + bytes)
        break;
      at = offset + size;
    }
    taken_[at] = bytes;
    end_ = std::max(end_, at + bytes);
    return at;
  }
  void release(std::uint64_t offset) { taken_.erase(offset); }
  std::uint64_t end() const { return end_; }

private:
  std::map<std::uint64_t, std::uint64_t> taken_;
  std::uint64_t end_, base_;
};

} // namespace

void bindStorage(Image &image) {
  auto lives = storageLives(image);
  std::uint64_t base = 0;
  std::vector<std::uint32_t> shared;
  for (std::uint32_t var = 0; var != image.variables.size(); ++var) {
    if (lives[var].used && !lives[var].always && lives[var].first <= lives[var].last) {
      shared.push_back(var);
      continue;
    }
    image.variables[var].arenaOffset = base;
    base += storageBytes(image.variables[var]);
  }
  std::stable_sort(shared.begin(), shared.end(),
                   [&](auto a, auto b) { return lives[a].first < lives[b].first; });

  SharedArena arena(base);
  std::multimap<std::uint32_t, std::uint64_t> ends; // last use -> offset
  for (auto var : shared) {
    while (!ends.empty() && ends.begin()->first < lives[var].first) {
      arena.release(ends.begin()->second);
      ends.erase(ends.begin());
    }
    auto &offset = image.variables[var].arenaOffset;
    offset = arena.take(storageBytes(image.variables[var]));
    ends.emplace(lives[var].last, offset);
  }
  image.arenaBytes = arena.end();
}

} // namespace poplar::compile
