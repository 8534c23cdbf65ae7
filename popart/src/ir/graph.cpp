// SPDX-License-Identifier: MIT
#include "ir/graph.hpp"

#include "base/Text.hpp"
#include <popart/error.hpp>

namespace popart::ir {

std::string Graph::freeName(const std::string &wanted) const {
  if (!byName_.count(wanted))
    return wanted;
  unsigned &next = taken_[wanted];
  std::string name;
  do
    name = base::str(wanted, '/', ++next);
  while (byName_.count(name));
  return name;
}

Value Graph::add(ValueData value) {
  const Value v{static_cast<std::uint32_t>(values_.size())};
  value.name = freeName(value.name);
  byName_.emplace(value.name, v);
  values_.push_back(std::move(value));
  return v;
}
Value Graph::addStream(const TensorId &id, const TensorInfo &info) {
  inputs.push_back(add({id, info, Kind::Stream, {}}));
  return inputs.back();
}
Value Graph::addVariable(const TensorId &id, HostTensor initial, Role role) {
  const TensorInfo info = initial.info();
  return add({id, info, Kind::Variable, std::move(initial), role});
}
Value Graph::addConstant(const TensorId &id, HostTensor data) {
  const TensorInfo info = data.info();
  return add({id, info, Kind::Constant, std::move(data)});
}

ValueData &Graph::leftOut() { throw error("A tensor that is left out is needed here."); }

Value Graph::find(const TensorId &id) const {
  auto it = byName_.find(id);
  return it == byName_.end() ? none : it->second;
}
Value Graph::require(const TensorId &id) const {
  const Value v = find(id);
  if (v != none)
    return v;
  std::vector<std::string> names;
  for (const auto &value : values_)
    names.push_back(value.name);
  throw error(base::str("No tensor is called \"", id, "\".", base::didYouMean(id, names)));
}
void Graph::rename(Value v, const TensorId &id) {
  auto &value = values_[v.value];
  if (value.name == id)
    return;
  if (byName_.count(id))
    throw error("Two tensors are called \"{}\".", id);
  byName_.erase(value.name);
  value.name = id;
  byName_.emplace(id, v);
}

Links::Links(const Graph &graph) : producer(graph.size(), -1), consumers(graph.size()) {
  for (unsigned n = 0; n < graph.nodes.size(); ++n) {
    for (Value v : graph.nodes[n].outputs)
      if (v != none)
        producer[v.value] = static_cast<int>(n);
    for (Value v : graph.nodes[n].inputs)
      if (v != none && (consumers[v.value].empty() || consumers[v.value].back() != n))
        consumers[v.value].push_back(n);
  }
}

} // namespace popart::ir
