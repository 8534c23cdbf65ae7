// SPDX-License-Identifier: MIT
#include "lowering/calls.hpp"

#include "base/Text.hpp"
#include "openipu/Outline.hpp"
#include <algorithm>
#include <numeric>

namespace popart::lowering {

using poplar::program::Program;
using poplar::program::Sequence;

namespace {

// Elements one after the other along a dimension are neighbours in memory.
bool runsAlong(poplar::Tensor t, unsigned dim) {
  for (unsigned d = 0; d < t.rank(); ++d)
    if (d != dim)
      t = t.slice(0, 1, d);
  return t.isContiguous();
}

// The dimensions with such a one last: a transposed view would be copied element by element.
std::vector<unsigned> memoryOrder(const poplar::Tensor &t) {
  std::vector<unsigned> order(t.rank());
  std::iota(order.begin(), order.end(), 0u);
  if (!t.numElements())
    return order;
  for (unsigned d = t.rank(); d-- > 0;)
    if (t.dim(d) > 1 && runsAlong(t, d)) {
      std::rotate(order.begin() + d, order.begin() + d + 1, order.end());
      break;
    }
  return order;
}

} // namespace

const std::vector<CallLowering::Buffer> &CallLowering::buffersOf(const ir::Call &call) {
  auto [at, fresh] = buffers_.try_emplace(call.function);
  for (std::size_t i = 0; fresh && i < call.arguments.size(); ++i) {
    const auto t = lowering_.tensor(call.arguments[i].value);
    const auto order = memoryOrder(t);
    at->second.push_back(
        {lowering_.wholeGraph().clone(t.dimShuffle(order),
                                      base::str("outlined", call.function, "/argument", i)),
         order});
  }
  return at->second;
}

namespace {
// Arguments that are copied at the same time go in one exchange; elements of a copy have one type.
class Copies {
public:
  void add(const poplar::Tensor &from, const poplar::Tensor &to) {
    auto &list = byType_[from.elementType().toString()];
    list.first.push_back(from.flatten());
    list.second.push_back(to.flatten());
  }
  void addTo(Sequence &program, const std::string &name) const {
    for (const auto &[type, list] : byType_) {
      const auto from = poplar::concat(list.first), to = poplar::concat(list.second);
      if (to.isParallelWriteable()) {
        program.add(openipu::passArgument(from, to, name));
        continue;
      }
      for (std::size_t i = 0; i < list.first.size(); ++i) // two names of one tensor
        program.add(openipu::passArgument(list.first[i], list.second[i], name));
    }
  }

private:
  std::map<std::string, std::pair<ops::Tensors, ops::Tensors>> byType_;
};
} // namespace

Program CallLowering::lower(const ir::Call &call, const LowerNode &lowerNode) {
  const std::size_t size = call.end - call.begin;
  std::vector<Sequence> parts(size);
  std::vector<Copies> before(size), after(size);
  for (std::size_t i = 0; i < size; ++i)
    lowerNode(graph_.nodes[call.begin + i], parts[i]);
  const auto &buffers = buffersOf(call);
  std::vector<openipu::Argument> passed;
  const bool late = strategy_ == SubgraphCopyingStrategy::JustInTime;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const auto &argument = call.arguments[i];
    const auto &[buffer, order] = buffers[i];
    const auto t = lowering_.tensor(argument.value).dimShuffle(order);
    if (!t.numElements() || !t.isParallelWriteable())
      continue; // nothing to copy; a broadcast is read where it is
    passed.push_back({t, buffer});
    if (argument.in)
      before[late ? argument.first : 0].add(t, buffer);
    if (argument.out)
      after[late ? argument.last : size - 1].add(buffer, t);
  }
  Sequence all;
  const auto name = base::str("outlined", call.function);
  for (std::size_t i = 0; i < size; ++i) {
    before[i].addTo(all, name + "/enter");
    all.add(parts[i]);
    after[i].addTo(all, name + "/exit");
  }
  return openipu::outlined(all, call.function, passed, name);
}

} // namespace popart::lowering
