// SPDX-License-Identifier: MIT
#include "pva/Cycles.hpp"
#include <algorithm>
#include <map>
#include <numeric>

namespace pva {

const char *toString(CycleKind kind) {
  constexpr const char *names[] = {"compute", "rearrange", "exchange", "globalExchange",
                                   "host",    "sync",      "control"};
  return names[unsigned(kind)];
}

CycleKind cycleKind(Program::Type type) {
  using Type = Program::Type;
  switch (type) {
  case Type::OnTileExecute:
    return CycleKind::Compute;
  case Type::DoExchange:
    return CycleKind::Exchange;
  case Type::GlobalExchange:
    return CycleKind::GlobalExchange;
  case Type::StreamCopyBegin:
  case Type::StreamCopyMid:
  case Type::StreamCopyEnd:
    return CycleKind::Host;
  case Type::Sync:
  case Type::Sans:
  case Type::SyncAns:
    return CycleKind::Sync;
  default:
    return CycleKind::Control;
  }
}

bool onlyRearranges(const std::string &name, const std::vector<std::string> &vertices) {
  const auto isCopy = [](const std::string &vertex) { return vertex.rfind("poplar_rt::", 0) == 0; };
  if (!vertices.empty())
    return std::all_of(vertices.begin(), vertices.end(), isCopy);
  const auto slash = name.rfind('/');
  const auto last = slash == std::string::npos ? name : name.substr(slash + 1);
  constexpr const char *copies[] = {"copy", "copy-in", "copy-out", "pack", "unpack"};
  return std::find(std::begin(copies), std::end(copies), last) != std::end(copies);
}

CycleKind cycleKind(const Program &program) {
  const auto *execute = dynamic_cast<const OnTileExecuteProgram *>(&program);
  if (!execute)
    return cycleKind(program.type());
  std::vector<std::string> vertices;
  for (const auto &group : execute->computeset().vertices())
    vertices.push_back(group.type().name());
  return onlyRearranges(program.name(), vertices) ? CycleKind::Rearrange : CycleKind::Compute;
}

std::uint64_t CyclesByKind::total() const {
  return std::accumulate(std::begin(cycles_), std::end(cycles_), std::uint64_t(0));
}

CyclesByKind cyclesByKind(const std::vector<ExecutionStep> &steps) {
  std::map<std::uint64_t, CycleKind> known; // by program: a step may execute one many times
  CyclesByKind sum;
  for (const auto &step : steps) {
    std::uint64_t cycles = 0;
    for (const auto &ipu : step.ipus())
      cycles = std::max(cycles, ipu.cycles());
    const auto program = step.program();
    auto kind = known.find(program->id());
    if (kind == known.end())
      kind = known.emplace(program->id(), cycleKind(*program)).first;
    sum.add(kind->second, cycles);
  }
  return sum;
}

CyclesByKind cyclesByKind(const std::vector<ProgramTotal> &totals) {
  CyclesByKind sum;
  for (const auto &total : totals)
    sum.add(cycleKind(*total.program()), total.cycles());
  return sum;
}

} // namespace pva
