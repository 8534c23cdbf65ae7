// SPDX-License-Identifier: MIT
// Programs by the operation that made them: the chain of debug contexts, from inside out, says who
// called whom.
#include "Data.hpp"
#include "pva/pva.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

namespace pva {

using detail::Data;
using detail::none;

static bool isLibrary(const std::string &layer) {
  return layer == "poplar" || layer == "poplibs" || layer.empty();
}

// none if the program was made without a context that the file has. A file may be damaged, so a
// chain that comes back to itself ends.
static std::uint32_t operationOf(const Data &data, std::uint64_t debugId) {
  std::uint32_t outermostCall = none, outermost = none;
  std::set<std::uint32_t> seen;
  for (auto at = data.contextOf(debugId); at != none && seen.insert(at).second;
       at = data.contextOf(data.debug[at].parent)) {
    const auto &layer = data.debug[at].layer;
    if (!isLibrary(layer))
      return at;
    outermost = at;
    if (layer == "poplibs")
      outermostCall = at;
  }
  return outermostCall != none ? outermostCall : outermost;
}

OperationAnalysis::OperationAnalysis(const Report &report) {
  const auto &data = report.data_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> byContext;
  for (std::uint32_t i = 0; i < data->programs.size(); ++i) {
    const auto context = operationOf(*data, data->programs[i].debugId);
    if (context != none)
      byContext[context].push_back(i);
  }
  for (auto &entry : byContext)
    operations_.emplace_back(data, entry.first, std::move(entry.second));
}

std::string Operation::name() const {
  const auto &row = data_->debug[context_];
  const auto entry = nlohmann::json::parse(row.json);
  for (const char *path : {"/onnx/opName", "/xla_op/op_name", "/poptorch/op_name", "/opName"}) {
    const nlohmann::json::json_pointer at(path);
    if (entry.contains(at) && entry.at(at).is_string())
      return entry.at(at).get<std::string>();
  }
  return row.name;
}
bool Operation::has(std::uint32_t program) const {
  return std::binary_search(programs_.begin(), programs_.end(), program);
}
std::vector<ProgramRef> Operation::programs() const {
  std::vector<ProgramRef> result;
  for (auto program : programs_)
    result.push_back(data_->program(program));
  return result;
}
std::vector<Variable> Operation::vars() const {
  std::set<std::uint32_t> used;
  for (auto program : programs_)
    used.insert(data_->programs[program].vars.begin(), data_->programs[program].vars.end());
  std::vector<Variable> result;
  for (auto variable : used)
    result.emplace_back(data_, variable);
  return result;
}
std::int64_t Operation::firstStepIndex() const {
  const auto &steps = data_->steps;
  const auto at = std::find_if(steps.begin(), steps.end(), [&](auto p) { return has(p); });
  return at == steps.end() ? -1 : at - steps.begin();
}
std::int64_t Operation::lastStepIndex() const {
  const auto &steps = data_->steps;
  const auto at = std::find_if(steps.rbegin(), steps.rend(), [&](auto p) { return has(p); });
  return std::int64_t(steps.rend() - at) - 1;
}

} // namespace pva
