// SPDX-License-Identifier: MIT
#include "codelet/DataPaths.hpp"
#include <algorithm>

namespace poplar::codelet {
namespace {

// Where a value comes from. Vertex and Table are pointers to what stays as it is.
enum class Origin : std::uint8_t { Fixed, Vertex, Table, Data };

Origin join(Origin a, Origin b) {
  if (a == b || b == Origin::Fixed)
    return a;
  return a == Origin::Fixed ? b : Origin::Data;
}

class Paths {
public:
  Paths(const Function &f, const VertexState *vertex)
      : f_(f), strides_(f), vertex_(vertex), origins_(f.nodes.size(), Origin::Fixed) {}

  bool dependOnData() {
    settle();
    // A vertex that writes its own fields finds other ones next time.
    const auto writes = [&](const Node &n) {
      return n.op == Op::Store && ofAddress(n.address) == Origin::Vertex;
    };
    if (std::any_of(f_.nodes.begin(), f_.nodes.end(), writes)) {
      fieldsChange_ = true;
      settle();
    }
    return std::any_of(f_.nodes.begin(), f_.nodes.end(), [&](const Node &n) { return decides(n); });
  }

private:
  void settle() {
    for (bool changed = true; changed;) {
      changed = false;
      for (ValueId v = 0; v < f_.nodes.size(); ++v)
        if (const Origin found = join(origins_[v], of(v)); found != origins_[v]) {
          origins_[v] = found;
          changed = true;
        }
    }
  }

  Origin of(ValueId v) {
    const Node &n = f_.nodes[v];
    switch (n.op) {
    case Op::Entry:
      return ofEntry(n.place);
    case Op::Load:
      return ofLoad(n);
    case Op::Call:
      return Origin::Data;
    default: {
      Origin all = Origin::Fixed;
      for (const ValueId in : n.in)
        all = join(all, origins_[in]);
      return all;
    }
    }
  }

  Origin ofEntry(int place) const {
    constexpr int firstArgument = 7;
    if (place == stackRegister || !vertex_)
      return Origin::Data;
    return place == firstArgument ? Origin::Vertex : Origin::Fixed;
  }

  Origin ofAddress(const Address &address) const {
    Origin all = Origin::Fixed;
    for (const auto &term : address.terms)
      all = join(all, origins_[term.first]);
    return all;
  }

  Origin ofLoad(const Node &n) {
    const Origin pointer = ofAddress(n.address);
    if (pointer == Origin::Table)
      return Origin::Fixed;
    if (pointer != Origin::Vertex || fieldsChange_)
      return Origin::Data;
    const Sum sum = strides_.sum(n.address);
    const auto &tables = vertex_->tables;
    const bool isTable = sum.terms.size() == 1 &&
                         std::find(tables.begin(), tables.end(), sum.constant) != tables.end();
    return isTable ? Origin::Table : Origin::Fixed;
  }

  bool decides(const Node &n) const {
    if (n.op == Op::Branch)
      return origins_[n.in[0]] == Origin::Data;
    const bool byLength = n.callee == "memcpy" || n.callee == "memmove" || n.callee == "memset";
    return n.op == Op::Call && byLength && origins_[n.in[0]] == Origin::Data;
  }

  const Function &f_;
  Strides strides_;
  const VertexState *vertex_;
  std::vector<Origin> origins_;
  bool fieldsChange_ = false;
};

} // namespace

bool dependsOnData(const Function &function, const VertexState *vertex) {
  return Paths(function, vertex).dependOnData();
}

} // namespace poplar::codelet
