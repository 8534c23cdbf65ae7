// SPDX-License-Identifier: MIT
#include "codelet/Strides.hpp"
#include <algorithm>

namespace poplar::codelet {
namespace {

constexpr std::size_t longestSum = 8; // longer ones are values of their own

void add(Sum &to, const Sum &other, std::int64_t factor) {
  to.constant += factor * other.constant;
  for (const auto &[value, f] : other.terms)
    if ((to.terms[value] += factor * f) == 0)
      to.terms.erase(value);
}

bool sharesPointer(const Sum &a, const Sum &b) {
  return std::any_of(a.terms.begin(), a.terms.end(),
                     [&](const auto &term) { return b.terms.count(term.first) != 0; });
}

} // namespace

Strides::Strides(const Function &function)
    : f_(function), sums_(function.nodes.size()), open_(function.nodes.size()),
      accesses_(function.flow.loops().size()) {}

const Sum &Strides::sum(ValueId value) {
  if (!sums_[value]) {
    if (open_[value]) { // a value that depends on itself without a phi: unreachable code
      sums_[value] = Sum{{{value, 1}}, 0};
      return *sums_[value];
    }
    open_[value] = true;
    Sum s = compute(value);
    if (s.terms.size() > longestSum)
      s = Sum{{{value, 1}}, 0};
    sums_[value] = std::move(s);
    open_[value] = false;
  }
  return *sums_[value];
}

Sum Strides::compute(ValueId value) {
  const Node &node = f_.nodes[value];
  if (node.op != Op::Linear)
    return {{{value, 1}}, 0};
  Sum s{{}, node.constant};
  for (std::size_t i = 0; i < node.in.size(); ++i)
    add(s, sum(node.in[i]), node.factors[i]);
  return s;
}

Sum Strides::sum(const Address &address) {
  Sum s{{}, address.offset};
  for (const auto &[value, factor] : address.terms)
    add(s, sum(value), factor);
  return s;
}

bool Strides::fixed(const Sum &sum, int loop) {
  return std::all_of(sum.terms.begin(), sum.terms.end(),
                     [&](const auto &term) { return fixed(term.first, loop); });
}

bool Strides::fixed(ValueId value, int loop) {
  if (!f_.flow.isIn(f_.nodes[value].block, loop))
    return true;
  const auto [at, isNew] = fixed_.emplace(std::pair(value, loop), false); // cycles are not fixed
  if (isNew)
    fixed_[{value, loop}] = computeFixed(value, loop);
  return fixed_[{value, loop}];
}

bool Strides::computeFixed(ValueId value, int loop) {
  const Node &node = f_.nodes[value];
  switch (node.op) {
  case Op::Load:
    return leaves(value, loop);
  case Op::Linear:
  case Op::Compute:
  case Op::Free:
  case Op::Widen:
  case Op::Narrow:
    return std::all_of(node.in.begin(), node.in.end(), [&](ValueId v) { return fixed(v, loop); });
  default:
    return false;
  }
}

const Strides::Accesses &Strides::accessesOf(int loop) {
  auto &known = accesses_[unsigned(loop)];
  if (known)
    return *known;
  Accesses found;
  for (unsigned b = 0; b < f_.byBlock.size(); ++b)
    if (f_.flow.isIn(b, loop))
      for (const ValueId v : f_.byBlock[b]) {
        double ignored = 0;
        const Node &node = f_.nodes[v];
        if (node.op == Op::Store || node.op == Op::Load)
          (node.op == Op::Store ? found.stores : found.loads).push_back(sum(node.address));
        else if (node.op == Op::Call)
          found.calls = found.calls || !functionBundles(node.callee, ignored);
      }
  known = std::move(found);
  return *known;
}

// Its address is fixed, and no store of the loop goes through the same pointer.
bool Strides::leaves(ValueId load, int loop) {
  const Sum address = sum(f_.nodes[load].address);
  if (loop == noLoop || !fixed(address, loop))
    return false;
  const Accesses &all = accessesOf(loop);
  if (all.calls)
    return false;
  for (const Sum &store : all.stores)
    if (sharesPointer(store, address))
      return false;
  return !f_.nodes[load].address.terms.empty() || all.stores.empty();
}

// One place in memory that a loop reads and writes, and nothing else through its pointer. Variables
// of the source that lie on the stack lie there for a reason.
bool Strides::promoted(ValueId access, int loop) {
  const Node &node = f_.nodes[access];
  const Sum address = sum(node.address);
  if (loop == noLoop || node.address.onStack || address.terms.empty() || !fixed(address, loop))
    return false;
  const Accesses &all = accessesOf(loop);
  const auto apart = [&](const Sum &other) {
    return other == address || !sharesPointer(other, address);
  };
  return !all.calls && std::all_of(all.loads.begin(), all.loads.end(), apart) &&
         std::all_of(all.stores.begin(), all.stores.end(), apart);
}

unsigned Strides::home(ValueId access) {
  unsigned block = f_.nodes[access].block;
  const bool isLoad = f_.nodes[access].op == Op::Load;
  for (int loop = f_.flow.loopOf(block);
       loop != noLoop && ((isLoad && leaves(access, loop)) || promoted(access, loop));
       loop = f_.flow.loops()[unsigned(loop)].parent)
    block = f_.flow.dominator(f_.flow.loops()[unsigned(loop)].header);
  return block;
}

std::optional<Sum> Strides::step(const Sum &sum, int loop) {
  Sum total;
  for (const auto &[value, factor] : sum.terms) {
    if (fixed(value, loop))
      continue;
    const auto one = stepOf(value, loop);
    if (!one)
      return {};
    add(total, *one, factor);
  }
  return total;
}

// Of a phi at the loop's head: what it gains on every way back to it.
std::optional<Sum> Strides::stepOf(ValueId phi, int loop) {
  const Node &node = f_.nodes[phi];
  if (loop == noLoop || node.op != Op::Phi || node.block != f_.flow.loops()[unsigned(loop)].header)
    return {};
  const auto [at, isNew] = steps_.emplace(std::pair(phi, loop), std::nullopt);
  if (!isNew)
    return at->second;
  std::optional<Sum> found;
  for (const ValueId v : node.in) {
    if (!f_.flow.isIn(f_.nodes[v].block, loop) && f_.nodes[v].op != Op::Phi)
      continue; // the value before the loop
    Sum gain = sum(v);
    const bool own = gain.terms.count(phi) && gain.terms[phi] == 1;
    if (own)
      gain.terms.erase(phi);
    if (!own && fixed(gain, loop))
      continue;
    std::optional<Sum> gained;
    if (own && fixed(gain, loop))
      gained = gain;
    else if (!own)
      gained = step(gain, loop); // follows another variable
    if (!gained || (found && *found != *gained))
      return {};
    found = gained;
  }
  steps_[{phi, loop}] = found;
  return found;
}

} // namespace poplar::codelet
