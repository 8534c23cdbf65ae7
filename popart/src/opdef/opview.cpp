// SPDX-License-Identifier: MIT
#include "opdef/opview.hpp"

#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <bit>
#include <popart/error.hpp>

namespace popart::ops {

std::string describe(const ir::Graph &graph, const ir::Node &node) {
  std::string out = node.def->type;
  const char *open = " (";
  if (!node.outputs.empty() && node.outputs[0] != none) {
    out += base::str(open, "output \"", graph[node.outputs[0]].name, '"');
    open = ", ";
  }
  if (!node.settings.name.empty()) {
    out += base::str(open, "at \"", node.settings.name, '"');
    open = ", ";
  }
  return open[0] == ',' ? out + ")" : out;
}

std::int64_t ValueView::noDimension(std::int64_t i) const {
  throw error(base::str("\"", name(), "\" is ", info(), ", of rank ", rank(),
                        ": it has no dimension ", i, "."));
}

const std::string &OpView::type() const { return node_->def->type; }

void OpView::failWith(const std::string &message) const {
  throw error(describe(*graph_, *node_) + ": " + message);
}

namespace {
template <class T> T need(const OpView &op, std::optional<T> value, const std::string &name) {
  if (!value)
    op.fail("attribute \"", name, "\" is missing.");
  return *value;
}
} // namespace

std::int64_t OpView::integer(const std::string &name) const {
  return need(*this, node_->attributes.find<std::int64_t>(name), name);
}
std::int64_t OpView::integer(const std::string &name, std::int64_t otherwise) const {
  return node_->attributes.find<std::int64_t>(name).value_or(otherwise);
}
float OpView::real(const std::string &name) const {
  return need(*this, node_->attributes.find<float>(name), name);
}
float OpView::real(const std::string &name, float otherwise) const {
  return node_->attributes.find<float>(name).value_or(otherwise);
}
std::string OpView::text(const std::string &name) const {
  return need(*this, node_->attributes.find<std::string>(name), name);
}
std::string OpView::text(const std::string &name, const std::string &otherwise) const {
  return node_->attributes.find<std::string>(name).value_or(otherwise);
}
Integers OpView::integers(const std::string &name) const {
  return need(*this, node_->attributes.find<Integers>(name), name);
}
Integers OpView::integers(const std::string &name, const Integers &otherwise) const {
  return node_->attributes.find<Integers>(name).value_or(otherwise);
}
std::vector<float> OpView::reals(const std::string &name) const {
  return node_->attributes.find<std::vector<float>>(name).value_or(std::vector<float>());
}
std::vector<std::string> OpView::texts(const std::string &name) const {
  return node_->attributes.find<std::vector<std::string>>(name).value_or(
      std::vector<std::string>());
}
HostTensor OpView::tensor(const std::string &name) const {
  return need(*this, node_->attributes.find<HostTensor>(name), name);
}

namespace {
std::int64_t positive(const OpView &op, const std::string &name, std::int64_t axis,
                      std::int64_t rank) {
  if (rank == 0)
    op.fail(name, " is ", axis, ", but its input is a scalar, which has no axes.");
  if (axis < -rank || axis >= rank)
    throw error(base::str("Axis ", axis, " is out of acceptable range [", -rank, ", ", rank - 1,
                          "]: attribute \"", name, "\" of ", describe(op.graph(), op.node()),
                          ", whose input is of rank ", rank, "."));
  return axis < 0 ? axis + rank : axis;
}
} // namespace

std::int64_t OpView::axis(const std::string &name, std::int64_t otherwise,
                          std::int64_t rank) const {
  return positive(*this, name, integer(name, otherwise), rank);
}
Integers OpView::axes(const std::string &name, std::int64_t rank) const {
  Integers out;
  for (auto axis : integers(name))
    out.push_back(positive(*this, name, axis, rank));
  std::sort(out.begin(), out.end());
  if (std::adjacent_find(out.begin(), out.end()) != out.end())
    fail(name, " names an axis twice: ", base::list(integers(name)), ".");
  return out;
}

std::uint32_t seedModifierOf(const OpView &op) {
  const auto &all = op.node().attributes.all();
  const auto seed = all.find("seed");
  if (seed == all.end())
    return static_cast<std::uint32_t>(op.integer("seedModifier"));
  const double value = std::holds_alternative<std::int64_t>(seed->second)
                           ? static_cast<double>(op.integer("seed"))
                           : op.real("seed");
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(value) * 0x9e3779b97f4a7c15u >>
                                    32);
}

} // namespace popart::ops
