// SPDX-License-Identifier: MIT
#include "codelet/ControlFlow.hpp"
#include <algorithm>
#include <map>
#include <utility>

namespace poplar::codelet {

ControlFlow::ControlFlow(std::vector<Block> blocks) : blocks_(std::move(blocks)) {
  connect();
  sort();
  dominate();
  findLoops();
}

void ControlFlow::connect() {
  std::map<std::string_view, unsigned> labels;
  for (unsigned b = 0; b < blocks_.size(); ++b)
    labels.emplace(blocks_[b].label, b);
  for (unsigned b = 0; b < blocks_.size(); ++b) {
    auto &block = blocks_[b];
    const auto join = [&](unsigned to) {
      block.successors.push_back(to);
      blocks_[to].predecessors.push_back(b);
    };
    const HostInstruction *last = block.instructions.empty() ? nullptr : &block.instructions.back();
    if (last)
      if (const auto to = labels.find(jumpTarget(*last));
          !jumpTarget(*last).empty() && to != labels.end())
        join(to->second);
    const bool falls = !last || !endsBlock(*last) || (isJump(*last) && last->mnemonic != "jmp");
    if (falls && b + 1 < blocks_.size())
      join(b + 1);
  }
}

void ControlFlow::sort() {
  position_.assign(blocks_.size(), -1);
  if (blocks_.empty())
    return;
  // Depth first without recursion: a function may have thousands of blocks.
  std::vector<std::pair<unsigned, std::size_t>> path = {{0, 0}};
  std::vector<bool> seen(blocks_.size());
  seen[0] = true;
  while (!path.empty()) {
    auto &[block, next] = path.back();
    if (next == blocks_[block].successors.size()) {
      order_.push_back(block);
      path.pop_back();
    } else if (const unsigned to = blocks_[block].successors[next++]; !seen[to]) {
      seen[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (unsigned i = 0; i < order_.size(); ++i)
    position_[order_[i]] = int(i);
}

// Cooper, Harvey and Kennedy's iteration.
void ControlFlow::dominate() {
  dominators_.assign(blocks_.size(), -1);
  if (blocks_.empty())
    return;
  dominators_[0] = 0;
  const auto common = [&](int a, int b) {
    while (a != b) {
      while (position_[unsigned(a)] > position_[unsigned(b)])
        a = dominators_[unsigned(a)];
      while (position_[unsigned(b)] > position_[unsigned(a)])
        b = dominators_[unsigned(b)];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const unsigned block : order_) {
      if (block == 0)
        continue;
      int found = -1;
      for (const unsigned before : blocks_[block].predecessors)
        if (dominators_[before] >= 0)
          found = found < 0 ? int(before) : common(found, int(before));
      changed = changed || found != dominators_[block];
      dominators_[block] = found;
    }
  }
  for (auto &d : dominators_)
    d = std::max(d, 0);
}

bool ControlFlow::dominates(unsigned a, unsigned b) const {
  while (b != a && b != 0)
    b = dominator(b);
  return a == b;
}

void ControlFlow::findLoops() {
  innermost_.assign(blocks_.size(), noLoop);
  for (const unsigned header : order_) {
    Loop loop{header, std::vector<bool>(blocks_.size()), 1, noLoop};
    loop.contains[header] = true;
    std::vector<unsigned> open;
    for (const unsigned from : blocks_[header].predecessors)
      if (reached(from) && dominates(header, from))
        open.push_back(from);
    const bool isLoop = !open.empty();
    while (!open.empty()) {
      const unsigned block = open.back();
      open.pop_back();
      if (loop.contains[block])
        continue;
      loop.contains[block] = true;
      ++loop.size;
      for (const unsigned before : blocks_[block].predecessors)
        if (reached(before))
          open.push_back(before);
    }
    if (!isLoop)
      continue;
    // Headers come before what they contain, so an enclosing loop is known already.
    loop.parent = innermost_[header];
    for (unsigned b = 0; b < blocks_.size(); ++b)
      if (loop.contains[b])
        innermost_[b] = int(loops_.size());
    loops_.push_back(std::move(loop));
  }
}

} // namespace poplar::codelet
