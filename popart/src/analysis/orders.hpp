// SPDX-License-Identifier: MIT
// Orders in which the nodes of a graph can run, and the bytes that are alive in them. Views share
// the bytes of what they show, so bytes are counted by storage; variables and constants are always
// there and not counted.
#pragma once
#include "ir/graph.hpp"
#include <map>

namespace popart::analysis {

using Order = std::vector<unsigned>; // of nodes

// What an order has to keep to and what it is measured by.
struct Orders {
  explicit Orders(const ir::Graph &graph);

  std::size_t size() const { return before.size(); }

  const ir::Graph &graph;
  std::vector<std::vector<unsigned>> before, after; // direct neighbours of a node
  std::vector<std::int64_t> bytes;                  // by storage
  std::vector<std::vector<unsigned>> users;         // by storage: nodes that touch it
  std::vector<std::vector<unsigned>> touches;       // by node: storages with bytes
  std::vector<std::vector<unsigned>> makes;         // by node: of these, those that begin with it
  std::vector<std::int64_t> segment;                // by node: what runs before what anyway

private:
  void findBytes();
  void touch(unsigned node, ir::Value storage);
  void findDependences();
};

// Peak first; of equal peaks the order with fewer bytes over its whole length.
struct Measure {
  std::int64_t peak = 0;
  double area = 0;
  bool operator<(const Measure &o) const {
    return peak != o.peak ? peak < o.peak : area < o.area * (1 - 1e-9);
  }
};
// By segment: where one begins and ends is alive what it is in every order.
using Measures = std::map<std::int64_t, Measure>;

Measures measure(const Orders &all, const Order &order);
bool isValid(const Orders &all, const Order &order);
// The last user of every storage under an order.
std::vector<unsigned> lastUsers(const Orders &all, const Order &order);

// Most bytes that are alive at once, in the present order: computed values and streams.
std::int64_t peakLiveBytes(const ir::Graph &graph);

} // namespace popart::analysis
