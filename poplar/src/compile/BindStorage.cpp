// SPDX-License-Identifier: MIT
// A variable takes the lowest gap between the places of variables that are alive while it is. Those
// with most bytes choose first, or those that are used first: whichever needs less in all. Before
// that, the result of an element-wise kernel takes the place of an operand that ends with it.
#include "compile/BindStorage.hpp"
#include "analysis/SharedCode.hpp"
#include "base/Arithmetic.hpp"
#include "compile/FindLiveness.hpp"
#include "openipu/BackendTraits.hpp"
#include "openipu/Overwrite.hpp"
#include "poplar/Target.hpp"
#include <algorithm>
#include <map>
#include <numeric>
#include <sstream>
#include <unordered_map>

namespace poplar::compile {

using namespace analysis;
using namespace executable;

namespace {

constexpr std::uint64_t slack = 64; // codelets may read a little past the end

std::uint64_t storageBytes(const Variable &var, std::uint64_t alignment) {
  return base::roundUp(var.bytes() + slack, alignment);
}

// Of the backend that the program is compiled for; a test's image has no target.
openipu::BackendTraits traitsOf(const Image &image) {
  if (image.target.empty())
    return {};
  std::istringstream text(image.target);
  return openipu::traitsOf(Target(text));
}

// Places above `base`, each the lowest that is free. Gaps are few where places are many.
class SharedArena {
public:
  explicit SharedArena(std::uint64_t base) : top_(base), end_(base) {}

  std::uint64_t take(std::uint64_t bytes) {
    const auto gap =
        std::find_if(gaps_.begin(), gaps_.end(), [&](const auto &g) { return g.second >= bytes; });
    const auto at = gap == gaps_.end() ? top_ : gap->first;
    if (gap == gaps_.end()) {
      top_ += bytes;
      end_ = std::max(end_, top_);
    } else {
      const auto rest = gap->second - bytes;
      gaps_.erase(gap);
      if (rest)
        gaps_[at + bytes] = rest;
    }
    taken_[at] = bytes;
    return at;
  }
  void release(std::uint64_t offset) {
    const auto taken = taken_.find(offset);
    auto begin = offset, end = offset + taken->second;
    taken_.erase(taken);
    if (const auto after = gaps_.find(end); after != gaps_.end()) {
      end += after->second;
      gaps_.erase(after);
    }
    if (auto before = gaps_.lower_bound(begin); before != gaps_.begin()) {
      --before;
      if (before->first + before->second == begin) {
        begin = before->first;
        gaps_.erase(before);
      }
    }
    end == top_ ? void(top_ = begin) : void(gaps_[begin] = end - begin);
  }
  std::uint64_t end() const { return end_; }

private:
  std::map<std::uint64_t, std::uint64_t> gaps_;            // offset and size; none touch
  std::unordered_map<std::uint64_t, std::uint64_t> taken_; // never walked
  std::uint64_t top_, end_;                                // above all; the highest it was
};

// The variable that all of this view is, or none.
std::uint32_t wholeOf(const Image &image, const tensor::View &view) {
  if (view.pieces.size() != 1 || view.metadata)
    return none;
  const auto var = view.pieces[0].var.value;
  return image.variables[var].elements == view.numElements() ? var : none;
}
bool lieAlike(const tensor::View &a, const tensor::View &b) {
  const auto &x = a.pieces[0], &y = b.pieces[0];
  return a.shape == b.shape && sizeOf(a.type) == sizeOf(b.type) && x.offset == y.offset &&
         x.box == y.box && x.loops == y.loops;
}

bool touches(const tensor::View &view, std::uint32_t var) {
  return std::ranges::any_of(view.pieces, [&](const auto &p) { return p.var.value == var; });
}

// Whether output `o` of a kernel may lie where a variable is, as far as the kernel is concerned:
// all its views of the variable are like the output.
bool mayTakePlace(const Image &image, const step::Kernel &kernel, std::size_t o,
                  std::uint32_t var) {
  const auto &out = kernel.outputs[o].tensor;
  if (std::ranges::any_of(kernel.outputs,
                          [&](const auto &other) { return touches(other.tensor, var); }))
    return false;
  for (std::size_t i = 0; i < kernel.inputs.size(); ++i) {
    const auto &view = kernel.inputs[i];
    if (touches(view, var) &&
        (wholeOf(image, view) != var || !lieAlike(out, view) ||
         !openipu::mayOverwrite(kernel.name, kernel.attributes, kernel.outputs.size(), o, i)))
      return false;
  }
  return true;
}

// By variable: the one whose place it takes when it is first written, or none.
std::vector<std::uint32_t> findHeirs(const Image &image, const std::vector<StorageLife> &lives) {
  std::vector<std::uint32_t> from(image.variables.size(), none);
  std::vector<bool> given(image.variables.size());
  auto inherits = [&](std::uint32_t s, std::size_t o, std::uint32_t heir, std::uint32_t var) {
    return heir != none && var != none && !given[var] && !lives[var].always &&
           !lives[heir].always && lives[var].endsWith == s &&
           lives[heir].first == lives[var].last &&
           mayTakePlace(image, *as<step::Kernel>(image.steps[s]), o, var);
  };
  for (std::uint32_t s = 0; s != image.steps.size(); ++s) {
    const auto *kernel = as<step::Kernel>(image.steps[s]);
    for (std::size_t o = 0; kernel && o < kernel->outputs.size(); ++o) {
      const auto heir = wholeOf(image, kernel->outputs[o].tensor);
      for (const auto &input : kernel->inputs)
        if (const auto var = wholeOf(image, input); inherits(s, o, heir, var)) {
          from[heir] = var;
          given[var] = true;
          break;
        }
    }
  }
  return from;
}

// Variables that share bytes, in the order of their first use, and whose place each of them takes.
struct Shared {
  const Image &image;
  std::uint64_t alignment;
  const std::vector<StorageLife> &lives;
  std::vector<std::uint32_t> vars;
  std::vector<std::uint32_t> from;
};
struct Places {
  std::map<std::uint32_t, std::uint64_t> offsets; // by variable
  std::uint64_t end = ~std::uint64_t(0);
};

Places byFirstUse(const Shared &shared, std::uint64_t base) {
  Places out;
  SharedArena arena(base);
  std::multimap<std::uint32_t, std::uint64_t> ends; // last use -> offset
  for (auto var : shared.vars) {
    const auto &life = shared.lives[var];
    while (!ends.empty() && ends.begin()->first < life.first) {
      arena.release(ends.begin()->second);
      ends.erase(ends.begin());
    }
    auto &offset = out.offsets[var];
    if (shared.from[var] != none) {
      offset = out.offsets.at(shared.from[var]);
      const auto [begin, end] = ends.equal_range(life.first);
      ends.erase(std::find_if(begin, end, [&](auto &e) { return e.second == offset; }));
    } else
      offset = arena.take(storageBytes(shared.image.variables[var], shared.alignment));
    ends.emplace(life.last, offset);
  }
  out.end = arena.end();
  return out;
}

// Looks at all pairs: for programs of ordinary size.
Places bySize(const Shared &shared, std::uint64_t base) {
  constexpr std::size_t mostVariables = 8192;
  if (shared.vars.size() > mostVariables)
    return {};
  struct Item { // a variable and all that take its place, one after the other
    std::uint64_t bytes;
    std::uint32_t first, last;
    std::uint64_t offset;
  };
  std::vector<Item> items;
  std::map<std::uint32_t, std::size_t> itemOf;
  for (auto var : shared.vars) {
    const auto &life = shared.lives[var];
    const auto bytes = storageBytes(shared.image.variables[var], shared.alignment);
    const auto from = shared.from[var];
    const auto item = from != none ? itemOf.at(from) : items.size();
    if (from == none)
      items.push_back({0, life.first, life.last, 0});
    itemOf[var] = item;
    items[item].bytes = std::max(items[item].bytes, bytes);
    items[item].last = std::max(items[item].last, life.last);
  }
  std::vector<std::size_t> order(items.size()), placed; // placed: by offset
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return items[a].bytes > items[b].bytes; });
  Places out;
  out.end = base;
  for (auto i : order) {
    auto &item = items[i];
    item.offset = base;
    for (auto o : placed) {
      const auto &other = items[o];
      if (other.last < item.first || item.last < other.first)
        continue;
      if (other.offset >= item.offset + item.bytes)
        break;
      item.offset = std::max(item.offset, other.offset + other.bytes);
    }
    out.end = std::max(out.end, item.offset + item.bytes);
    const auto lower = [&](auto a, auto b) { return items[a].offset < items[b].offset; };
    placed.insert(std::upper_bound(placed.begin(), placed.end(), i, lower), i);
  }
  for (const auto &[var, item] : itemOf)
    out.offsets[var] = items[item].offset;
  return out;
}

} // namespace

void bindStorage(Image &image) {
  const auto alignment = traitsOf(image).alignment;
  const auto buffers = outlineBuffers(image);
  image.arenaBytes = 0;
  for (std::uint32_t var = 0; var != image.variables.size(); ++var) {
    image.variables[var].arenaOffset = 0;
    if (buffers[var])
      continue; // the host never touches it
    image.variables[var].arenaOffset = image.arenaBytes;
    image.arenaBytes += storageBytes(image.variables[var], alignment);
  }
}

void shareStorage(Image &image) {
  const auto traits = traitsOf(image);
  auto lives = storageLives(image);
  const auto buffers = outlineBuffers(image);
  std::uint64_t base = 0;
  std::vector<std::uint32_t> shared;
  for (std::uint32_t var = 0; var != image.variables.size(); ++var) {
    if (lives[var].used && !lives[var].always && lives[var].first <= lives[var].last) {
      shared.push_back(var);
      continue;
    }
    image.variables[var].arenaOffset = 0;
    if (buffers[var])
      continue;
    image.variables[var].arenaOffset = base;
    base += storageBytes(image.variables[var], traits.alignment);
  }
  std::stable_sort(shared.begin(), shared.end(),
                   [&](auto a, auto b) { return lives[a].first < lives[b].first; });

  const auto heirs = traits.overwrites ? findHeirs(image, lives)
                                       : std::vector<std::uint32_t>(image.variables.size(), none);
  const Shared all{image, traits.alignment, lives, shared, heirs};
  const auto inTime = byFirstUse(all, base), inSize = bySize(all, base);
  const auto &best = inSize.end < inTime.end ? inSize : inTime;
  for (const auto &[var, offset] : best.offsets)
    image.variables[var].arenaOffset = offset;
  image.arenaBytes = best.end;
}

} // namespace poplar::compile
