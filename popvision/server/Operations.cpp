// SPDX-License-Identifier: MIT
// Programs by the operation that made them. What no operation claims (loops, transfers to the host)
// is a row of its own per kind, so that the rows add up to everything that ran.
#include "Model.hpp"
#include <algorithm>

namespace popvision {

namespace {

std::uint64_t flopsOf(const pva::Program &program) {
  const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(&program);
  std::uint64_t flops = 0;
  if (execute)
    for (const auto &group : execute->computeset().vertices())
      flops += group.estimatedFlops();
  return flops;
}

void add(const Model &model, OperationRow &row, std::uint32_t id) {
  const auto &program = *model.programs()[id];
  const auto spent = model.spent(id);
  row.programs.push_back(id);
  row.cycles += spent.cycles;
  row.byKind[unsigned(pva::cycleKind(program))] += spent.cycles;
  row.executions = std::max(row.executions, spent.executions);
  row.bytes += program.bytes() * spent.executions;
  if (program.type() == pva::Program::Type::OnTileExecute) {
    row.flops += flopsOf(program) * spent.executions;
    row.tileCycles += program.tileCycles() * spent.executions;
  }
}

// "layer2/conv/weights" belongs to the layer "layer2/conv".
std::string groupOf(const std::string &name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

OperationRow rowOf(const Model &model, const pva::Operation &operation) {
  OperationRow row;
  const auto context = operation.debugContext();
  row.name = operation.name();
  row.layer = context.layer();
  row.context = context.id();
  const auto location = context.location();
  row.file = location.fileName();
  row.line = location.lineNumber();
  for (const auto &program : operation.programs())
    add(model, row, std::uint32_t(program->id()));
  if (row.name.empty())
    row.name = "(" + row.layer + ")";
  row.group = groupOf(row.name);
  return row;
}

// In one pass over the trace; Operation::firstStepIndex would make one for each operation.
std::vector<std::int64_t> firstSteps(const Model &model) {
  std::vector<std::int64_t> first(model.programs().size(), -1);
  std::int64_t index = 0;
  for (const auto &step : model.execution().steps()) {
    auto &at = first[step.program()->id()];
    at = at < 0 ? index : at;
    ++index;
  }
  return first;
}

} // namespace

std::vector<OperationRow> operationRows(const Model &model) {
  std::vector<OperationRow> rows;
  const auto firsts = firstSteps(model);
  std::vector<bool> claimed(model.programs().size());
  const pva::OperationAnalysis analysis(model.report());
  for (const auto &operation : analysis.operations()) {
    auto &row = rows.emplace_back(rowOf(model, operation));
    for (auto id : row.programs) {
      claimed[id] = true;
      if (firsts[id] >= 0 && (row.firstStep < 0 || firsts[id] < row.firstStep))
        row.firstStep = firsts[id];
    }
  }
  std::vector<OperationRow> rest(numKinds);
  for (std::uint32_t id = 0; id < claimed.size(); ++id)
    if (!claimed[id] && model.spent(id).executions)
      add(model, rest[unsigned(pva::cycleKind(*model.programs()[id]))], id);
  for (unsigned kind = 0; kind < numKinds; ++kind)
    if (!rest[kind].programs.empty()) {
      rest[kind].name = std::string("(") + toString(Kind(kind)) + " without an operation)";
      rows.push_back(std::move(rest[kind]));
    }
  return rows;
}

} // namespace popvision
