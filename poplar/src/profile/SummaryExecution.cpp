// SPDX-License-Identifier: MIT
// Execution: total cycles, where an average tile spends them, cycles by vertex type, and the
// programs step by step.
#include "base/Text.hpp"
#include "profile/SummaryParts.hpp"
#include "pva/Step.hpp"
#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace poplar::profile {

using base::thousands;
using Type = pva::Program::Type;

namespace {

// Cycles over all executions and tiles; the rest of a tile's time is sync, waiting and control.
struct Spent {
  double compute = 0, threads = 0, exchange = 0, global = 0, host = 0;
};

Spent spentBy(const std::vector<pva::ProgramTotal> &totals) {
  Spent sum;
  for (const auto &total : totals) {
    const auto &program = *total.program();
    const double cycles = double(total.executions()) * double(program.tileCycles());
    switch (program.type()) {
    case Type::OnTileExecute:
      sum.compute += cycles;
      sum.threads += double(total.executions()) * double(program.threadCycles());
      break;
    case Type::DoExchange:
      sum.exchange += cycles;
      break;
    case Type::GlobalExchange:
      sum.global += cycles;
      break;
    case Type::StreamCopyMid:
      sum.host += cycles;
      break;
    default:
      break;
    }
  }
  return sum;
}

void printAverages(std::ostream &out, const pva::Report &report) {
  const auto target = report.compilation().target();
  const auto execution = report.execution();
  const double tiles = double(std::max<std::uint64_t>(1, target.tilesPerReplica()));
  const double total = double(execution.totalCycles());
  const auto spent = spentBy(execution.totals());
  auto line = [&](const char *label, double cycles) {
    printRight(out, 2, base::str("Tile average ", label, ":"), decimals(cycles, 1), 65,
               base::str(" (", decimals(total > 0 ? 100 * cycles / total : 0, 1), "% of total)"));
  };
  line("compute cycles (including idle threads)", spent.compute / tiles);
  if (target.type() == pva::Target::Type::IpuModel)
    line("compute cycles (excluding idle threads)",
         spent.threads / tiles / double(std::max<std::uint64_t>(1, target.workersPerTile())));
  line("IPU exchange cycles", spent.exchange / tiles);
  line("global exchange cycles", spent.global / tiles);
  line("host exchange cycles", spent.host / tiles);
  // What is left: waiting for others at a sync, the sync itself, control flow.
  const double rest = total - (spent.compute + spent.exchange + spent.global + spent.host) / tiles;
  line("sync cycles", std::max(0.0, rest));
  out << '\n';
}

// What the tiles of each IPU of a replica do meanwhile, on average: stages of a pipeline and shards
// differ.
void printIpus(std::ostream &out, const pva::Report &report) {
  const auto target = report.compilation().target();
  const auto tiles = std::max<std::uint64_t>(1, target.tilesPerIpu());
  const auto ipus = target.tilesPerReplica() / tiles;
  if (ipus < 2)
    return;
  constexpr Type types[] = {Type::OnTileExecute, Type::DoExchange, Type::GlobalExchange,
                            Type::StreamCopyMid};
  std::vector<std::array<double, std::size(types)>> spent(ipus);
  for (const auto &total : report.execution().totals()) {
    const auto type = std::find(std::begin(types), std::end(types), total.program()->type());
    if (type == std::end(types))
      continue;
    const auto cycles = total.program()->estimatedCyclesByTile();
    for (std::size_t tile = 0; tile < std::min<std::size_t>(cycles.size(), ipus * tiles); ++tile)
      spent[tile / tiles][std::size_t(type - types)] +=
          double(total.executions()) * double(cycles[tile]) / double(tiles);
  }
  const double all = std::max(1.0, double(report.execution().totalCycles()));
  out << "  Cycles by IPU (average of its tiles):\n";
  for (std::size_t ipu = 0; ipu < ipus; ++ipu) {
    out << "    IPU " << ipu << ':';
    double rest = all;
    const auto part = [&](const char *label, double cycles) {
      out << ' ' << label << ' ' << thousands(std::uint64_t(cycles + 0.5)) << " ("
          << decimals(100 * cycles / all, 1) << "%)";
      rest -= cycles;
    };
    part("compute", spent[ipu][0]);
    part("exchange", spent[ipu][1]);
    part("global exchange", spent[ipu][2]);
    part("host exchange", spent[ipu][3]);
    part("waiting", std::max(0.0, rest));
    out << '\n';
  }
  out << '\n';
}

struct TypeCost {
  std::string name;
  std::uint64_t instances = 0, cycles = 0;
};

std::vector<TypeCost> costByType(const pva::Report &report) {
  std::map<std::uint64_t, TypeCost> types;
  std::set<std::uint64_t> counted;
  for (const auto &total : report.execution().totals()) {
    const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(total.program().get());
    if (!execute)
      continue;
    const auto set = execute->computeset();
    const bool first = counted.insert(set.id()).second;
    for (const auto &group : set.vertices()) {
      auto &type = types[group.type().id()];
      type.name = group.type().name();
      type.instances += first ? group.count() : 0;
      type.cycles += total.executions() * group.estimatedCycles();
    }
  }
  std::vector<TypeCost> result;
  for (auto &type : types)
    result.push_back(type.second);
  std::stable_sort(result.begin(), result.end(),
                   [](const TypeCost &a, const TypeCost &b) { return a.cycles > b.cycles; });
  return result;
}

void printTypes(std::ostream &out, const pva::Report &report) {
  const auto types = costByType(report);
  std::size_t width = 0, numbers = 0;
  for (const auto &type : types) {
    width = std::max(width, type.name.size());
    numbers = std::max(numbers, std::to_string(type.instances).size());
  }
  out << "  Cycles by vertex type:\n";
  for (const auto &type : types) {
    const auto count = std::to_string(type.instances);
    const std::string pad(width - type.name.size() + numbers - count.size(), ' ');
    out << "    " << type.name << pad << "     (" << count << " instances):";
    printRight(out, 0, "", thousands(type.cycles), 13);
  }
  out << '\n';
}

// ---- the programs, step by step ----

class Steps {
public:
  Steps(std::ostream &out, const pva::Report &report)
      : out_(out), target_(report.compilation().target()) {
    for (const auto &total : report.execution().totals())
      executions_[total.program()->id()] = total.executions();
  }
  void print(const pva::Program &program, std::size_t depth) {
    const std::string space(2 * depth, ' ');
    const auto name = program.name();
    out_ << space << ' ' << toString(program.type()) << (name.empty() ? "" : ": " + name);
    if (program.type() == Type::Repeat && program.count() > 0)
      out_ << " (" << thousands(program.count()) << " times)";
    const auto children = program.children();
    const bool again = !children.empty() && !shown_.insert(program.id()).second;
    out_ << (again ? " (shown above)\n" : "\n");
    const auto found = executions_.find(program.id());
    if (found != executions_.end())
      printCost(program, space + "  ", found->second);
    if (!again)
      for (const auto &child : children)
        print(*child, depth + 1);
  }

private:
  void printCost(const pva::Program &program, const std::string &space, std::uint64_t executions) {
    // Steps of the model follow one another; none begins before the one before it has ended.
    out_ << space << "Cycles: " << thousands(program.cycles()) << " (0 overlapped with previous)\n";
    if (executions != 1)
      out_ << space << "Executions: " << thousands(executions) << '\n';
    const auto active = program.activeTiles();
    out_ << space << "Active Tiles: " << thousands(active) << " / "
         << thousands(target_.tilesPerReplica()) << '\n';
    if (active == 0)
      return;
    if (program.type() == Type::OnTileExecute)
      percent(space, "Thread Balance", threadBalance(program));
    percent(space, "Tile Balance", program.tileBalance());
    percent(space, "Active Tile Balance", program.activeTileBalance());
    if (program.bytes() > 0)
      printData(program, space);
    if (const auto *execute = dynamic_cast<const pva::OnTileExecuteProgram *>(&program))
      printTypes(*execute, space);
  }
  void percent(const std::string &space, const char *label, double share) {
    out_ << space << label << ": " << decimals(100 * share, 1) << "%\n";
  }
  double threadBalance(const pva::Program &program) const {
    const double all = double(program.tileCycles()) * double(target_.workersPerTile());
    return all > 0 ? double(program.threadCycles()) / all : 0;
  }
  void printData(const pva::Program &program, const std::string &space) {
    out_ << space << "Total Data: " << thousands(program.bytes()) << " B in "
         << thousands(program.messages()) << " message(s)\n";
    double sum = 0, most = 0;
    for (auto bytes : program.bytesReceivedByTile()) {
      sum += double(bytes);
      most = std::max(most, double(bytes));
    }
    if (most > 0)
      percent(space, "Data Balance", sum / (most * double(target_.tilesPerReplica())));
  }
  void printTypes(const pva::OnTileExecuteProgram &program, const std::string &space) {
    const auto groups = program.computeset().vertices();
    if (groups.empty())
      return;
    out_ << space << "By vertex type:\n";
    for (const auto &group : groups)
      out_ << space << "  " << group.type().name() << " (" << thousands(group.count())
           << " instances): " << thousands(group.estimatedCycles()) << '\n';
  }

  std::ostream &out_;
  pva::Target target_;
  std::map<std::uint64_t, std::uint64_t> executions_;
  std::set<std::uint64_t> shown_;
};

} // namespace

void printKinds(std::ostream &out, const pva::CyclesByKind &cycles, std::size_t column,
                const char *ofWhat) {
  for (unsigned i = 0; i < pva::numCycleKinds; ++i)
    if (const auto kind = pva::CycleKind(i); cycles[kind])
      printRight(out, 4, base::str(toString(kind), ":"), thousands(cycles[kind]), column,
                 base::str(" (", decimals(100 * double(cycles[kind]) / double(cycles.total()), 1),
                           "%", ofWhat, ")"));
}

void printStep(std::ostream &out, const pva::Report &report, std::size_t column) {
  const auto step = pva::stepOf(report);
  if (!step)
    return;
  const double hz =
      double(std::max<std::uint64_t>(1, report.compilation().target().clockFrequency()));
  const std::string name = step->name.empty() ? "" : base::str(" (", step->name, ")");
  printRight(out, 2, base::str("One step", name, ":"), thousands(step->cycles), column,
             base::str(" cycles, ", engineering(double(step->cycles) / hz, "s"),
                       step->runs > 1
                           ? base::str(", the median of ", thousands(step->runs), " runs")
                           : ""));
  if (const auto bound = step->bound())
    out << "    Most goes to " << pva::inWords(*bound) << ".\n";
  printKinds(out, step->byKind, column, " of the step");
  if (step->traced)
    out << "    How sure: " << step->spread.inWords() << ".\n";
  for (const auto &part : step->host)
    out << "    host, " << part.name << ": waits " << thousands(part.waiting) << ", moves "
        << thousands(part.moving) << '\n';
  for (const auto &other : step->others)
    out << "    apart from steps: " << other.name << ", " << thousands(other.cycles)
        << " cycles in " << thousands(other.runs) << (other.runs == 1 ? " run\n" : " runs\n");
}

void printSteps(std::ostream &out, const pva::Report &report) {
  Steps steps(out, report);
  for (const auto &run : report.execution().programsRun())
    steps.print(*run.program(), 1);
  out << '\n';
}

void printExecution(std::ostream &out, const pva::Report &report, const SummaryOptions &options) {
  const auto execution = report.execution();
  const auto ran = execution.programsRun();
  printHeading(out, "Execution:", options);
  if (ran.empty())
    return void(out << "  No program was run.\n\n");
  out << "  Programs executed:\n";
  for (const auto &run : ran)
    out << "    " << (run.program()->name().empty() ? "<anonymous>" : run.program()->name())
        << ".\n";
  const double hz =
      double(std::max<std::uint64_t>(1, report.compilation().target().clockFrequency()));
  out << '\n';
  printStep(out, report, 31);
  out << '\n';
  printRight(out, 2, "Total cycles:", thousands(execution.totalCycles()), 59,
             base::str(" (approx ", decimals(double(execution.totalCycles()) / hz * 1e6, 1),
                       " microseconds)"));
  printAverages(out, report);
  out << "  Cycles by kind:\n";
  printKinds(out, pva::cyclesByKind(execution.totals()), 31, " of total");
  out << '\n';
  printIpus(out, report);
  printTypes(out, report);
  if (execution.droppedSteps() > 0)
    out << "  The trace is full: " << thousands(execution.droppedSteps())
        << " further execution(s) are in the totals only.\n\n";
  if (options.showExecutionSteps)
    printSteps(out, report);
}

} // namespace poplar::profile
