// SPDX-License-Identifier: MIT
#include "codelet/Uses.hpp"
#include <algorithm>

namespace poplar::codelet {

Uses::Uses(const Function &function, Strides &strides)
    : f_(function), strides_(strides), users_(function.nodes.size()) {
  for (ValueId v = 0; v < f_.nodes.size(); ++v) {
    for (const ValueId in : f_.nodes[v].in)
      users_[in].push_back(v);
    for (const auto &term : f_.nodes[v].address.terms)
      users_[term.first].push_back(v);
  }
}

bool Uses::countsDown(ValueId branch) {
  const Node &node = f_.nodes[branch];
  const int loop = f_.flow.loopOf(node.block);
  if (node.op != Op::Branch || loop == noLoop)
    return false;
  const auto &successors = f_.flow.blocks()[node.block].successors;
  const bool leaves = std::any_of(successors.begin(), successors.end(), [&](unsigned to) {
    return !f_.flow.isIn(to, loop) || to == f_.flow.loops()[unsigned(loop)].header;
  });
  if (!leaves)
    return false;
  const Node &flags = f_.nodes[node.in[0]];
  Sum compared = flags.op == Op::Compare ? strides_.sum(flags.in[0]) : strides_.sum(node.in[0]);
  if (flags.op == Op::Compare && flags.in.size() > 1)
    for (const auto &[value, factor] : strides_.sum(flags.in[1]).terms)
      if ((compared.terms[value] -= factor) == 0)
        compared.terms.erase(value);
  const auto step = strides_.step(compared, loop);
  return step && *step != Sum{};
}

bool Uses::needed(ValueId value) {
  const auto [at, isNew] = needed_.emplace(value, false); // of a circle: by what is outside it
  if (isNew) {
    const bool found = computeNeeded(value);
    needed_[value] = found;
  }
  return needed_[value];
}

bool Uses::computeNeeded(ValueId value) {
  return std::any_of(users_[value].begin(), users_[value].end(),
                     [&](ValueId user) { return needs(user, value); });
}

bool Uses::needs(ValueId user, ValueId value) {
  const Node &u = f_.nodes[user];
  const unsigned block = f_.nodes[value].block;
  const int loop = f_.flow.loopOf(block);
  const bool isData = std::find(u.in.begin(), u.in.end(), value) != u.in.end();
  switch (u.op) {
  case Op::Load:
  case Op::Store:
    // As part of an address it needs a register only where the address is not its own loop's.
    return (u.op == Op::Store && isData) || f_.flow.loopOf(u.block) != loop;
  case Op::Linear: {
    const bool advances = loop != noLoop && strides_.step(strides_.sum(user), loop).has_value();
    const bool advancesToo = loop != noLoop && strides_.step(strides_.sum(value), loop).has_value();
    if (f_.flow.loopOf(u.block) == loop && advances && advancesToo)
      return false; // the other has a register of its own, if it needs one
    return needed(user);
  }
  case Op::Compare:
    return std::any_of(users_[user].begin(), users_[user].end(),
                       [&](ValueId b) { return !countsDown(b); });
  case Op::Branch:
    return !countsDown(user);
  case Op::Phi: {
    if (loop != noLoop && u.block == f_.flow.loops()[unsigned(loop)].header)
      return !strides_.step(strides_.sum(user), loop).has_value();
    return true;
  }
  default:
    return true;
  }
}

// Through arrangements of lanes and phis.
bool Uses::comesFrom(ValueId value, Op op, bool constants) const {
  const Node &node = f_.nodes[value];
  if (node.op == op)
    return true;
  if (node.op != Op::Free)
    return false;
  return node.in.empty() ? constants : std::all_of(node.in.begin(), node.in.end(), [&](ValueId v) {
    return comesFrom(v, op, true);
  });
}

bool Uses::goesTo(ValueId value, Op op) const {
  return !users_[value].empty() &&
         std::all_of(users_[value].begin(), users_[value].end(), [&](ValueId user) {
           const Node &u = f_.nodes[user];
           return u.op == op || (u.op == Op::Free && goesTo(user, op));
         });
}

bool Uses::isHalf(ValueId value) {
  const auto [at, isNew] = half_.emplace(value, false);
  if (isNew)
    at->second = computeHalf(value);
  return at->second;
}

bool Uses::computeHalf(ValueId value) {
  const Node &node = f_.nodes[value];
  if (node.op == Op::Compute || node.op == Op::Call)
    return std::all_of(node.in.begin(), node.in.end(),
                       [&](ValueId v) { return comesFrom(v, Op::Widen, true); }) &&
           goesTo(value, Op::Narrow);
  return false;
}

unsigned Uses::width(ValueId value) {
  const auto [at, isNew] = width_.emplace(value, 0);
  if (!isNew)
    return at->second;
  const Node &node = f_.nodes[value];
  unsigned found = node.op == Op::Load ? node.bytes : 0;
  if (node.op == Op::Compute || node.op == Op::Free || node.op == Op::Phi || node.op == Op::Widen)
    for (const ValueId v : node.in)
      found = std::max(found, width(v));
  return width_[value] = found;
}

} // namespace poplar::codelet
