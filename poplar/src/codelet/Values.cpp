// SPDX-License-Identifier: MIT
#include "codelet/Values.hpp"
#include "codelet/ValueBuilder.hpp"
#include <numeric>
#include <utility>

namespace poplar::codelet {

ValueId ValueBuilder::add(Node node) {
  node.block = block_;
  node.mark = mark_;
  nodes.push_back(std::move(node));
  byBlock[block_].push_back(ValueId(nodes.size() - 1));
  return ValueId(nodes.size() - 1);
}

ValueId ValueBuilder::makePlain(Op op, unsigned block, int place) {
  Node node;
  node.op = op;
  node.block = block;
  node.place = place;
  nodes.push_back(std::move(node));
  return ValueId(nodes.size() - 1);
}

ValueId ValueBuilder::valueAtEnd(unsigned block, int place) {
  const auto at = written_[block].find(place);
  return at != written_[block].end() ? at->second : valueAtStart(block, place);
}

ValueId ValueBuilder::valueAtStart(unsigned block, int place) {
  // Up the chain of blocks with one predecessor, without recursion.
  std::vector<unsigned> passed;
  ValueId value = 0;
  for (unsigned b = block;;) {
    if (const auto known = found_[b].find(place); known != found_[b].end()) {
      value = known->second;
      break;
    }
    passed.push_back(b);
    std::vector<unsigned> before;
    for (const unsigned p : flow_.blocks()[b].predecessors)
      if (flow_.reached(p))
        before.push_back(p);
    if (before.size() != 1 || b == 0) {
      const bool joins = !before.empty();
      value = makePlain(joins ? Op::Phi : Op::Entry, b, place);
      if (joins)
        phis_.push_back(value);
      break;
    }
    if (const auto at = written_[before[0]].find(place); at != written_[before[0]].end()) {
      value = at->second;
      break;
    }
    b = before[0];
  }
  for (const unsigned b : passed)
    found_[b].emplace(place, value);
  return value;
}

void ValueBuilder::finish() {
  for (std::size_t i = 0; i < phis_.size(); ++i) { // grows
    const ValueId phi = phis_[i];
    const unsigned block = nodes[phi].block;
    const int place = nodes[phi].place;
    if (block == 0) // also entered from outside
      nodes[phi].in.push_back(makePlain(Op::Entry, 0, place));
    for (const unsigned p : flow_.blocks()[block].predecessors)
      if (flow_.reached(p)) {
        const ValueId value = valueAtEnd(p, place);
        nodes[phi].in.push_back(value);
      }
  }
  simplify();
}

void ValueBuilder::simplify() {
  std::vector<ValueId> means(nodes.size());
  std::iota(means.begin(), means.end(), 0u);
  const auto resolve = [&](ValueId v) {
    while (means[v] != v)
      v = means[v] = means[means[v]];
    return v;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const ValueId phi : phis_) {
      if (means[phi] != phi)
        continue;
      ValueId only = phi;
      bool several = false;
      for (const ValueId v : nodes[phi].in)
        if (const ValueId r = resolve(v); r != phi && r != only) {
          several = only != phi;
          only = r;
          if (several)
            break;
        }
      if (!several && only != phi) {
        means[phi] = only;
        changed = true;
      }
    }
  }
  for (const ValueId phi : phis_)
    if (means[phi] != phi)
      nodes[phi].in.clear(); // nobody's user any more
  for (auto &node : nodes) {
    for (auto &v : node.in)
      v = resolve(v);
    for (auto &term : node.address.terms)
      term.first = resolve(term.first);
  }
}

std::optional<arch::BuiltinCost> builtinOf(std::string_view callee) {
  constexpr std::string_view own = "openipu_";
  if (callee.substr(0, own.size()) != own)
    return std::nullopt;
  return arch::builtinCost(callee.substr(own.size()));
}

bool functionBundles(std::string_view callee, double &bundles) {
  if (const auto builtin = builtinOf(callee)) {
    bundles = builtin->bundles;
    return true;
  }
  constexpr std::string_view vectors = "openipu_tile_";
  if (callee.substr(0, vectors.size()) != vectors)
    return arch::libraryBundles(callee, bundles);
  callee.remove_prefix(vectors.size());
  const auto split = callee.rfind('_');
  return split != callee.npos &&
         arch::vectorBundles(callee.substr(0, split), callee.substr(split + 1), bundles);
}

Function valuesOf(ControlFlow flow) {
  ValueBuilder builder(flow);
  std::vector<unsigned> order = flow.order();
  for (unsigned b = 0; b < flow.blocks().size(); ++b)
    if (!flow.reached(b)) // landing pads
      order.push_back(b);
  for (const unsigned block : order) {
    builder.enter(block);
    for (const auto &instruction : flow.blocks()[block].instructions) {
      builder.begin(instruction);
      decode(builder, instruction);
    }
  }
  builder.finish();
  auto nodes = std::move(builder.nodes);
  auto byBlock = std::move(builder.byBlock);
  return {std::move(flow), std::move(nodes), std::move(byBlock)};
}

} // namespace poplar::codelet
