// SPDX-License-Identifier: MIT
// Which graph a tensor or a vertex belongs to. A reference outlives its graph and never becomes
// another's: one whose graph is gone says so when it is used.
#pragma once
#include <cstdint>
#include <memory>

namespace poplar::graph {

struct GraphState;
}

namespace poplar::openipu {

struct GraphTag {
  graph::GraphState *state; // null once the graph is gone
  std::uint64_t number;     // above 0, of one graph of the process only
};

} // namespace poplar::openipu

namespace poplar::graph {

using openipu::GraphTag;

class GraphRef {
public:
  GraphRef() = default;
  GraphRef(GraphState *state);                                     // null: no graph
  GraphState *get() const { return tag_ ? tag_->state : nullptr; } // null if it is gone
  GraphState *operator->() const;                                  // throws poplar_error then
  explicit operator bool() const { return tag_ != nullptr; }
  bool operator==(const GraphRef &) const = default;

private:
  std::shared_ptr<const GraphTag> tag_;
};

} // namespace poplar::graph
