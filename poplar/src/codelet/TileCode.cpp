// SPDX-License-Identifier: MIT
#include "codelet/TileCode.hpp"
#include "codelet/Uses.hpp"
#include <algorithm>
#include <cmath>
#include <set>

namespace poplar::codelet {
namespace {

using arch::Instruction;
using arch::Issue;
using arch::Slot;

// The instructions of one block.
class BlockCode {
public:
  // `after`: values of this block that must be there. Returns the position.
  unsigned issue(Slot slot, unsigned bundles, const std::vector<unsigned> &after,
                 bool last = false) {
    Issue i{slot, bundles, after, last};
    if (barrier_ != none)
      i.after.push_back(barrier_);
    std::sort(i.after.begin(), i.after.end());
    i.after.erase(std::unique(i.after.begin(), i.after.end()), i.after.end());
    stretch_.push_back(std::move(i));
    issued_.push_back({slot, 0, bundles, mark, what, bytes, isCall});
    return unsigned(stretch_.size() - 1);
  }
  // Everything before it is done, nothing after it has begun.
  unsigned call(unsigned bundles) {
    std::vector<unsigned> all(stretch_.size());
    for (unsigned i = 0; i < all.size(); ++i)
      all[i] = i;
    const unsigned at = issue(Slot::Both, bundles, all);
    barrier_ = at;
    return at;
  }
  BlockCost cost(arch::Pairing pairing) const {
    const auto schedule = arch::scheduleOf(stretch_, pairing);
    BlockCost cost{schedule.bundles, unsigned(stretch_.size()), issued_};
    for (std::size_t i = 0; i < cost.issued.size(); ++i)
      cost.issued[i].at = schedule.at[i];
    return cost;
  }

  std::map<ValueId, std::vector<unsigned>> made;      // which positions a value waits for
  std::set<std::pair<ValueId, std::int64_t>> shifted; // indices that were scaled already
  // Of what is issued from now on:
  unsigned mark = 0, bytes = 0;
  std::string what;
  bool isCall = false;

private:
  static constexpr unsigned none = ~0u;
  std::vector<Issue> stretch_;
  std::vector<Issued> issued_;
  unsigned barrier_ = none;
};

class Coder {
public:
  explicit Coder(const Function &f)
      : f_(f), strides_(f), uses_(f, strides_), blocks_(f.byBlock.size()),
        steps_(f.flow.loops().size()) {}

  std::vector<BlockCost> run(arch::Pairing pairing) {
    for (const auto &block : f_.byBlock)
      for (const ValueId v : block)
        add(v);
    addSteps();
    addCounters();
    std::vector<BlockCost> costs;
    for (const auto &block : blocks_)
      costs.push_back(block.cost(pairing));
    return costs;
  }

private:
  BlockCode &code(ValueId v) { return blocks_[f_.nodes[v].block]; }

  // Positions in v's block of everything that it reads.
  std::vector<unsigned> waits(ValueId v) {
    std::vector<unsigned> positions;
    const auto collect = [&](ValueId in) {
      if (f_.nodes[in].block != f_.nodes[v].block)
        return;
      const auto at = code(v).made.find(in);
      if (at != code(v).made.end())
        positions.insert(positions.end(), at->second.begin(), at->second.end());
    };
    for (const ValueId in : f_.nodes[v].in)
      collect(in);
    for (const auto &term : f_.nodes[v].address.terms)
      collect(term.first);
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    return positions;
  }
  // Instructions one after the other; the value is there after the last.
  void chain(ValueId v, std::initializer_list<std::pair<Slot, unsigned>> instructions) {
    auto after = waits(v);
    for (const auto &[slot, bundles] : instructions)
      after = {code(v).issue(slot, bundles, after)};
    code(v).made[v] = after;
  }
  void repeat(ValueId v, Slot slot, unsigned bundles, unsigned times) {
    const auto after = waits(v);
    std::vector<unsigned> all;
    for (unsigned i = 0; i < times; ++i)
      all.push_back(code(v).issue(slot, bundles, after));
    code(v).made[v] = all;
  }
  void nothing(ValueId v) { code(v).made[v] = waits(v); }

  void describe(unsigned block, unsigned mark, std::string what, unsigned bytes = 0) {
    blocks_[block].mark = mark;
    blocks_[block].bytes = bytes;
    blocks_[block].isCall = false;
    blocks_[block].what = std::move(what);
  }
  void describe(ValueId v) {
    const Node &node = f_.nodes[v];
    const bool moves = node.op == Op::Load || node.op == Op::Store;
    describe(node.block, node.mark, nameOf(node), moves ? node.bytes : 0);
    code(v).isCall = node.op == Op::Call;
  }
  static std::string nameOf(const Node &node) {
    static const std::map<Op, const char *> names = {
        {Op::Linear, "add"},           {Op::Load, "load"},
        {Op::Store, "store"},          {Op::Widen, "convert"},
        {Op::Narrow, "convert"},       {Op::Compare, "compare"},
        {Op::CompareFloat, "compare"}, {Op::Select, "select"},
        {Op::Branch, "jump"},          {Op::Jump, "jump"}};
    if (node.op == Op::Call)
      return node.callee.empty() ? "call" : node.callee;
    if (node.op == Op::Compute)
      return arch::toString(node.kind);
    const auto at = names.find(node.op);
    return at == names.end() ? "other" : at->second;
  }

  void add(ValueId v) {
    const Node &node = f_.nodes[v];
    describe(v);
    switch (node.op) {
    case Op::Linear:
      return addSum(v);
    case Op::Load:
      return addLoad(v);
    case Op::Store:
      return addStore(v);
    case Op::Compute:
      return addCompute(v);
    case Op::Widen:
      return widens(v) ? chain(v, {{Slot::Aux, 1}}) : nothing(v);
    case Op::Narrow:
      return narrows(v) ? chain(v, {{Slot::Aux, 1}}) : nothing(v);
    case Op::Compare:
      return compares(v) ? chain(v, {{Slot::Main, 1}}) : nothing(v);
    case Op::CompareFloat: // the answer moves to the other register file
      return chain(v, {{Slot::Aux, 1}, {Slot::Main, 1}});
    case Op::Select:
      return chain(v, {{Slot::Main, 1}});
    case Op::Branch:
    case Op::Jump:
      code(v).issue(Slot::Main, 1, waits(v), true);
      return;
    case Op::Call:
      return addCall(v);
    default:
      return nothing(v);
    }
  }

  int loopOf(ValueId v) const { return f_.flow.loopOf(f_.nodes[v].block); }

  void addSum(ValueId v) {
    const Node &node = f_.nodes[v];
    if (node.in.empty() || !uses_.needed(v))
      return nothing(v);
    if (loopOf(v) != noLoop && strides_.step(strides_.sum(v), loopOf(v)))
      return chain(v, {{Slot::Main, 1}});
    unsigned count = unsigned(node.in.size()) - 1 + (node.constant != 0);
    for (const auto factor : node.factors)
      count += factor != 1 && factor != -1;
    auto after = waits(v);
    for (unsigned i = 0; i < std::max(1u, count); ++i)
      after = {code(v).issue(Slot::Main, 1, after)};
    code(v).made[v] = after;
  }

  // Instructions that make an address: none when it advances through the loop, or is a base and an
  // index.
  void addAddress(ValueId v) {
    const int loop = loopOf(v);
    const Sum sum = strides_.sum(f_.nodes[v].address);
    if (loop != noLoop)
      if (const auto step = strides_.step(sum, loop)) {
        if (*step != Sum{})
          steps_[unsigned(loop)].insert({step->constant, {step->terms.begin(), step->terms.end()}});
        return;
      }
    unsigned others = 0;
    bool hasBase = false;
    for (const auto &[value, factor] : sum.terms) {
      const bool isBase = loop != noLoop && strides_.step(Sum{{{value, 1}}, 0}, loop).has_value();
      hasBase = hasBase || isBase;
      others += !isBase;
      if (!isBase && factor != 1 && code(v).shifted.insert({value, factor}).second)
        scale(v, value);
    }
    for (unsigned i = 2; i < others + hasBase; ++i)
      code(v).issue(Slot::Main, 1, waits(v));
  }
  void scale(ValueId v, ValueId index) {
    std::vector<unsigned> after;
    if (f_.nodes[index].block == f_.nodes[v].block)
      if (const auto at = code(v).made.find(index); at != code(v).made.end())
        after = at->second;
    code(v).made[index] = {code(v).issue(Slot::Main, 1, after)};
  }

  void addLoad(ValueId v) {
    const Node &node = f_.nodes[v];
    const unsigned count = std::max(1u, node.bytes / 8);
    if (leavesLoop(v, count))
      return nothing(v);
    describe(f_.nodes[v].block, node.mark, "address");
    addAddress(v);
    describe(v);
    repeat(v, Slot::Main, 1, count);
  }

  bool leavesLoop(ValueId v, unsigned count) {
    const unsigned home = strides_.home(v);
    if (home != f_.nodes[v].block)
      describe(home, f_.nodes[v].mark, nameOf(f_.nodes[v]));
    for (unsigned i = 0; i < count && home != f_.nodes[v].block; ++i)
      blocks_[home].issue(Slot::Main, 1, {});
    return home != f_.nodes[v].block;
  }

  void addStore(ValueId v) {
    const Node &node = f_.nodes[v];
    if (leavesLoop(v, node.bytes < 4 ? 3 : std::max(1u, node.bytes / 8)))
      return;
    describe(node.block, node.mark, "address");
    addAddress(v);
    describe(v);
    if (node.bytes >= 4)
      return repeat(v, Slot::Main, 1, std::max(1u, node.bytes / 8));
    // Read the word, merge, write it back.
    const auto word = code(v).issue(Slot::Main, 1, {});
    auto after = waits(v);
    after.push_back(word);
    const bool isHalf = isFloating(node.in[0]);
    after = {code(v).issue(isHalf ? Slot::Aux : Slot::Main, 1, after)};
    code(v).issue(Slot::Main, 1, after);
  }
  bool isFloating(ValueId v) const {
    const Node &node = f_.nodes[v];
    if (node.op == Op::Free)
      return std::any_of(node.in.begin(), node.in.end(),
                         [&](ValueId in) { return isFloating(in); });
    return node.op == Op::Narrow;
  }

  void addCompute(ValueId v) {
    const Node &node = f_.nodes[v];
    const auto bundles = unsigned(std::lround(arch::bundlesPer(node.kind)));
    switch (node.kind) {
    case Instruction::Integer:
    case Instruction::IntegerMultiply:
      return repeat(v, Slot::Main, 1, node.times);
    case Instruction::FloatAddMul:
      return repeat(v, Slot::Aux, bundles, node.times * pairsOf(v));
    case Instruction::FloatDivide:
    case Instruction::FloatSqrt:
      return repeat(v, Slot::Both, bundles, lanesOf(v));
    case Instruction::Convert:
      return chain(v, {{Slot::Aux, 1}, {Slot::Main, 1}});
    default:
      return repeat(v, Slot::Both, bundles, node.times);
    }
  }
  // 64-bit operations that a vector operation takes. Four halves are one.
  unsigned pairsOf(ValueId v) {
    return f_.nodes[v].isVector && !uses_.isHalf(v) && uses_.width(v) > 8 ? 2 : 1;
  }
  unsigned lanesOf(ValueId v) {
    if (!f_.nodes[v].isVector)
      return 1;
    const unsigned bytes = std::max(8u, uses_.width(v));
    return uses_.isHalf(v) ? bytes / 2 : bytes / 4;
  }

  bool widens(ValueId v) {
    const auto &users = uses_.of(v);
    return std::any_of(users.begin(), users.end(), [&](ValueId u) {
      const Op op = f_.nodes[u].op;
      return op == Op::Free ? widens(u) : op != Op::CompareFloat && !uses_.isHalf(u);
    });
  }
  bool narrows(ValueId v) {
    const Node &node = f_.nodes[v];
    return std::any_of(node.in.begin(), node.in.end(), [&](ValueId in) {
      const Node &from = f_.nodes[in];
      if (from.op == Op::Free)
        return !from.in.empty() && narrows(in);
      return from.op != Op::Widen && !uses_.isHalf(in);
    });
  }
  // Comparing with zero and counting down are part of the branch.
  bool compares(ValueId v) {
    const auto &users = uses_.of(v);
    const bool zero = f_.nodes[v].in.size() == 1;
    return std::any_of(users.begin(), users.end(), [&](ValueId u) {
      const Op op = f_.nodes[u].op;
      return op == Op::Branch ? !zero && !uses_.countsDown(u) : op != Op::Phi;
    });
  }

  void addCall(ValueId v) {
    const Node &node = f_.nodes[v];
    const auto call = unsigned(arch::bundlesPer(Instruction::Call));
    double bundles = 0;
    if (!functionBundles(node.callee, bundles))
      code(v).made[v] = {code(v).call(call)};
    else if (bundles > arch::longestInline)
      code(v).made[v] = {code(v).call(call + unsigned(std::lround(bundles)))};
    else if (bundles <= 1)
      chain(v, {{slotOf(node.callee), 1}});
    else
      chain(v, {{Slot::Both, unsigned(std::lround(bundles))}});
  }

  static Slot slotOf(std::string_view callee) {
    const auto builtin = builtinOf(callee);
    return builtin ? builtin->slot : Slot::Aux;
  }

  // One addition for every step by which addresses of a loop advance, and for every induction
  // variable that is needed as a number.
  void addSteps() {
    for (unsigned l = 0; l < steps_.size(); ++l)
      describe(f_.flow.loops()[l].header, markOf(int(l)), "step");
    for (unsigned l = 0; l < steps_.size(); ++l)
      for (std::size_t i = 0; i < steps_[l].size(); ++i)
        blocks_[f_.flow.loops()[l].header].issue(Slot::Main, 1, {});
    for (ValueId v = 0; v < f_.nodes.size(); ++v) {
      const Node &node = f_.nodes[v];
      const int loop = node.op == Op::Phi ? loopOf(v) : noLoop;
      if (loop == noLoop || node.block != f_.flow.loops()[unsigned(loop)].header)
        continue;
      const auto step = strides_.step(strides_.sum(v), loop);
      if (step && *step != Sum{} && uses_.needed(v) && !updateCounts(v, loop))
        blocks_[node.block].issue(Slot::Main, 1, {});
    }
  }
  // A loop that counts down needs its count first.
  void addCounters() {
    std::set<int> counted;
    for (ValueId v = 0; v < f_.nodes.size(); ++v)
      if (f_.nodes[v].op == Op::Branch && uses_.countsDown(v) && counted.insert(loopOf(v)).second) {
        const auto before = f_.flow.dominator(f_.flow.loops()[unsigned(loopOf(v))].header);
        describe(before, f_.nodes[v].mark, "count");
        blocks_[before].issue(Slot::Main, 1, {});
      }
  }
  // What belongs to a loop as a whole stands with the jump that repeats it.
  unsigned markOf(int loop) const {
    unsigned mark = 0;
    for (const Node &node : f_.nodes)
      if ((node.op == Op::Branch || node.op == Op::Jump) && f_.flow.loopOf(node.block) == loop)
        mark = node.mark;
    return mark;
  }
  bool updateCounts(ValueId phi, int loop) {
    const auto &in = f_.nodes[phi].in;
    return std::any_of(in.begin(), in.end(), [&](ValueId v) {
      return f_.flow.isIn(f_.nodes[v].block, loop) && f_.nodes[v].op == Op::Linear &&
             uses_.needed(v);
    });
  }
  using StepKey = std::pair<std::int64_t, std::vector<std::pair<ValueId, std::int64_t>>>;
  const Function &f_;
  Strides strides_;
  Uses uses_;
  std::vector<BlockCode> blocks_;
  std::vector<std::set<StepKey>> steps_; // by loop
};

} // namespace

std::vector<BlockCost> tileCost(const Function &function, arch::Pairing pairing) {
  return Coder(function).run(pairing);
}

} // namespace poplar::codelet
