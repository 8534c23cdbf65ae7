// SPDX-License-Identifier: MIT
#include "analysis/orders.hpp"

#include "analysis/effects.hpp"
#include "analysis/storage.hpp"
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace popart::analysis {

using ir::Graph;
using ir::Kind;
using ir::Node;
using ir::none;
using ir::Value;

static void unique(std::vector<unsigned> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

Orders::Orders(const Graph &graph) : graph(graph) {
  const auto n = graph.nodes.size();
  before.resize(n);
  after.resize(n);
  touches.resize(n);
  makes.resize(n);
  segment.resize(n);
  findBytes();
  findDependences();
  for (unsigned i = 0; i < n; ++i)
    for (unsigned p : before[i]) {
      after[p].push_back(i);
      segment[i] = std::max(segment[i], segment[p]);
    }
}

void Orders::findBytes() {
  const auto storage = storageOf(graph);
  bytes.assign(graph.size(), 0);
  users.resize(graph.size());
  for (unsigned i = 0; i < size(); ++i) {
    const Node &node = graph.nodes[i];
    segment[i] =
        node.pass == ir::Pass::Update
            ? std::numeric_limits<std::int64_t>::max()
            : node.settings.pipelineStage.value_or(node.settings.executionPhase.value_or(0));
    for (const auto *list : {&node.inputs, &node.outputs})
      for (Value v : *list)
        if (v != none)
          touch(i, storage[v.value]);
    unique(touches[i]);
    for (unsigned s : touches[i]) {
      if (users[s].empty() && graph[Value{s}].kind == Kind::Computed)
        makes[i].push_back(s);
      users[s].push_back(i);
    }
  }
}

void Orders::touch(unsigned node, Value storage) {
  const auto kind = graph[storage].kind;
  if (kind != Kind::Computed && kind != Kind::Stream)
    return;
  bytes[storage.value] = graph[storage].info.nbytes();
  touches[node].push_back(storage.value);
}

// Of data, of the memory of variables that are written, of what the world sees.
void Orders::findDependences() {
  const ir::Links links(graph);
  const auto classes = memoryClasses(graph);
  std::vector<bool> written(graph.size(), false);
  for (const Node &node : graph.nodes)
    for (auto i : writtenInputs(graph, node))
      written[classes[node.inputs[i].value]] = true;
  struct Access {
    int write = -1;
    std::vector<unsigned> reads; // since then
  };
  std::vector<Access> accesses(graph.size());
  int seen = -1;
  for (unsigned n = 0; n < size(); ++n) {
    const Node &node = graph.nodes[n];
    std::set<std::uint32_t> writes, reads;
    for (auto i : writtenInputs(graph, node))
      writes.insert(classes[node.inputs[i].value]);
    for (const auto *list : {&node.inputs, &node.outputs})
      for (Value v : *list)
        if (v != none && written[classes[v.value]] && !writes.count(classes[v.value]))
          reads.insert(classes[v.value]);
    for (Value v : node.inputs)
      if (v != none && links.producer[v.value] >= 0)
        before[n].push_back(unsigned(links.producer[v.value]));
    for (auto c : reads) {
      if (accesses[c].write >= 0)
        before[n].push_back(unsigned(accesses[c].write));
      accesses[c].reads.push_back(n);
    }
    for (auto c : writes) {
      auto &a = accesses[c];
      before[n].insert(before[n].end(), a.reads.begin(), a.reads.end());
      if (a.write >= 0)
        before[n].push_back(unsigned(a.write));
      a = {int(n), {}};
    }
    if (hasSideEffect(node)) {
      if (seen >= 0)
        before[n].push_back(unsigned(seen));
      seen = int(n);
    }
    unique(before[n]);
  }
}

std::vector<unsigned> lastUsers(const Orders &p, const Order &order) {
  std::vector<unsigned> last(p.bytes.size(), 0);
  for (unsigned n : order)
    for (unsigned s : p.touches[n])
      last[s] = n;
  return last;
}

Measures measure(const Orders &p, const Order &order) {
  const auto last = lastUsers(p, order);
  Measures out;
  std::int64_t live = 0;
  std::vector<bool> alive(p.bytes.size(), false);
  for (unsigned n : order) {
    auto &m = out[p.segment[n]];
    for (unsigned s : p.touches[n])
      if (!alive[s]) {
        alive[s] = true;
        live += p.bytes[s];
      }
    m.peak = std::max(m.peak, live);
    m.area += double(live);
    for (unsigned s : p.touches[n])
      if (last[s] == n)
        live -= p.bytes[s];
  }
  return out;
}

bool isValid(const Orders &p, const Order &order) {
  std::vector<std::size_t> place(p.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = i;
  for (unsigned n = 0; n < p.size(); ++n)
    for (unsigned b : p.before[n])
      if (place[b] >= place[n])
        return false;
  return true;
}

std::int64_t peakLiveBytes(const Graph &graph) {
  Order order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::int64_t peak = 0;
  for (const auto &[segment, m] : measure(Orders(graph), order))
    peak = std::max(peak, m.peak);
  return peak;
}

} // namespace popart::analysis
