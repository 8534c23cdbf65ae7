// SPDX-License-Identifier: MIT
#include "Compare.hpp"
#include "base/Text.hpp"
#include "Columns.hpp"
#include "Json.hpp"
#include "Views.hpp"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace popvision {

namespace {

using base::str;
using base::thousands;

constexpr const char *stepCycles = "cycles of a step", *fullestTile = "memory of fullest tile",
                     *memoryUsed = "memory used";
constexpr std::size_t shownParts = 15;

// Figures of two reports, in the order of the first; what only the second has comes last.
class Figures {
public:
  void before(std::string table, std::string name, std::uint64_t value) {
    list_.push_back({std::move(table), std::move(name), value, std::nullopt});
  }
  void after(const std::string &table, const std::string &name, std::uint64_t value) {
    const auto found = std::find_if(list_.begin(), list_.end(), [&](const auto &each) {
      return each.table == table && each.name == name;
    });
    if (found == list_.end())
      list_.push_back({table, name, std::nullopt, value});
    else
      found->after = value;
  }
  std::vector<Difference> take() { return std::move(list_); }

private:
  std::vector<Difference> list_;
};

struct Report {
  const Model &model;
  view::Summary summary;
  const std::optional<pva::Step> &step;
  explicit Report(const Model &m) : model(m), summary(view::summary(m)), step(m.step()) {}
};

template <class Take> void takeStep(const Report &report, Take take) {
  if (!report.step)
    return;
  take("step", stepCycles, report.step->cycles);
  for (unsigned kind = 0; report.step->traced && kind < numKinds; ++kind)
    take("step", str(toString(Kind(kind)), " of a step"), report.step->byKind[Kind(kind)]);
}

template <class Take> void takeFigures(const Report &report, Take take) {
  takeStep(report, take);
  const auto &v = report.summary;
  take("run", "cycles", v.execution.totalCycles);
  for (const auto &[kind, cycles] : v.execution.cyclesByKind)
    take("run", kind, cycles);
  take("memory", fullestTile, v.memory.fullestTileBytes);
  take("memory", memoryUsed, v.memory.used);
  take("memory", "memory gaps", v.memory.gaps);
  take("memory", "memory always live", v.memory.alwaysLive);
  take("memory", "tiles over the limit", v.memory.tilesOverLimit);
  std::map<std::string, std::uint64_t> byCategory;
  for (const auto &tile : report.model.compilation().tiles())
    for (const auto &name : tile.memory().category().names())
      byCategory[name] += tile.memory().category().find(name).total();
  for (const auto &[name, sum] : byCategory)
    take("memory", "bytes of " + name, sum);
  take("graph", "compute sets", v.graph.numComputeSets);
  take("graph", "vertices", v.graph.numVertices);
  take("graph", "edges", v.graph.numEdges);
  take("graph", "variables", v.graph.numVars);
  take("graph", "tiles", v.target.numTiles);
}

std::vector<Difference> partsOf(const Report &before, const Report &after) {
  if (!before.step || !after.step || !before.step->traced || !after.step->traced)
    return {};
  const bool operations = before.model.namesOperations() && after.model.namesOperations();
  const char *table = operations ? "operation" : "program";
  const auto of = [&](const Report &report) { return report.model.partsOfStep(operations); };
  Figures figures;
  for (const auto &[name, cycles] : of(before))
    figures.before(table, name, cycles);
  for (const auto &[name, cycles] : of(after))
    figures.after(table, name, cycles);
  auto parts = figures.take();
  std::stable_sort(parts.begin(), parts.end(), [](const auto &a, const auto &b) {
    return std::abs(a.change()) > std::abs(b.change());
  });
  return parts;
}

std::string chipOf(const view::SummaryTarget &target) {
  return str(target.numIPUs, target.numIPUs == 1 ? " IPU" : " IPUs", " of ", target.architecture,
             " with ", target.tilesPerIpu, " tiles at ", target.clockFrequency / 1'000'000, " MHz");
}

void noteStep(std::vector<std::string> &notes, const char *which, const Report &report) {
  const auto &path = report.summary.profile;
  if (!report.step)
    notes.push_back(str("The report ", which, ", \"", path, "\", has no run."));
  else if (!report.step->traced)
    notes.push_back(str("The report ", which, ", \"", path,
                        "\", has the cycles of runs, but no whole run with its steps."));
}

std::vector<std::string> notesOf(const Report &before, const Report &after) {
  std::vector<std::string> notes;
  noteStep(notes, "before", before);
  noteStep(notes, "after", after);
  if (before.step && after.step && before.step->name != after.step->name)
    notes.push_back(str("A step is a run of \"", before.step->name, "\" before and of \"",
                        after.step->name, "\" after."));
  const auto one = chipOf(before.summary.target), other = chipOf(after.summary.target);
  if (one != other)
    notes.push_back(str("The reports are of different machines (", one, "; ", other,
                        "): cycles and tiles do not compare one to one."));
  return notes;
}

std::string number(const std::optional<std::uint64_t> &value) {
  return value ? thousands(*value) : "-";
}
std::string signedText(const Difference &d) {
  const auto change = d.change();
  return change == 0 ? "0" : (change > 0 ? "+" : "-") + thousands(std::uint64_t(std::abs(change)));
}
std::string percentText(const Difference &d) {
  const auto percent = d.percent();
  return percent ? fixed(*percent, 1) + " %" : "";
}

std::string line(const Difference &d, const std::string &name) {
  return pad(name, 36) + right(number(d.before), 16) + right(number(d.after), 16) +
         right(signedText(d), 16) + right(percentText(d), 10) + "\n";
}

bool isPhase(const Difference &d) {
  return (d.table == "step" && d.name != stepCycles) || (d.table == "run" && d.name != "cycles");
}
bool isZero(const Difference &d) { return !d.before.value_or(0) && !d.after.value_or(0); }

template <class Use> void forEach(const Comparison &comparison, Use use) {
  for (const auto &d : comparison.figures)
    use(d);
  for (const auto &d : comparison.parts)
    use(d);
}

std::string partsText(const Comparison &comparison) {
  const auto &parts = comparison.parts;
  if (parts.empty())
    return "";
  const auto kind = parts.front().table;
  const auto changed = std::size_t(
      std::count_if(parts.begin(), parts.end(), [](const auto &d) { return d.change() != 0; }));
  if (!changed)
    return str("\nThe ", kind, "s of a step take as many cycles as before.\n");
  std::string out = str("\n", kind, "s of a step whose cycles changed most\n");
  for (std::size_t i = 0; i < std::min(changed, shownParts); ++i)
    out += line(parts[i], "  " + parts[i].name);
  if (changed > shownParts)
    out += str("  and ", changed - shownParts, " more; --csv and --json have all\n");
  return out;
}

const Difference *find(const Comparison &comparison, const char *name) {
  const auto found = std::find_if(comparison.figures.begin(), comparison.figures.end(),
                                  [&](const auto &d) { return d.name == name; });
  return found == comparison.figures.end() ? nullptr : &*found;
}

bool isBeyond(const Difference &d, double percent) {
  return d.change() > 0 && (!d.before.value_or(0) || *d.percent() > percent);
}

// "features.0 (+1,200)": what grew most of a step.
std::string mostGrown(const Comparison &comparison) {
  const Difference *most = nullptr;
  for (const auto &d : comparison.parts)
    if (d.change() > 0 && (!most || d.change() > most->change()))
      most = &d;
  return most ? str(", most of all ", most->name, " by ", thousands(std::uint64_t(most->change())))
              : "";
}

std::string grownText(const Comparison &comparison, const Difference &d) {
  const auto percent = percentText(d);
  return str(d.name, " by ", percent.empty() ? "" : percent + ", ", "from ", number(d.before),
             " to ", number(d.after), d.name == stepCycles ? mostGrown(comparison) : "");
}

} // namespace

std::optional<double> Difference::percent() const {
  if (!before.value_or(0))
    return std::nullopt;
  return 100 * (double(after.value_or(0)) / double(*before) - 1);
}

Comparison compared(const Model &before, const Model &after) {
  const Report one(before), other(after);
  Figures figures;
  takeFigures(one, [&](const char *table, const std::string &name, std::uint64_t value) {
    figures.before(table, name, value);
  });
  takeFigures(other, [&](const char *table, const std::string &name, std::uint64_t value) {
    figures.after(table, name, value);
  });
  return {figures.take(), partsOf(one, other), notesOf(one, other)};
}

std::string compareText(const Comparison &comparison) {
  std::string out =
      str(pad("", 36), right("before", 16), right("after", 16), right("change", 16), "\n");
  std::string table;
  for (const auto &d : comparison.figures) {
    if (!table.empty() && d.table != table)
      out += "\n";
    table = d.table;
    if (!isZero(d) || !(isPhase(d) || d.name.starts_with("bytes of ")))
      out += line(d, (isPhase(d) ? "  " : "") + d.name);
  }
  out += partsText(comparison);
  for (const auto &note : comparison.notes)
    out += "\n" + note + "\n";
  return out;
}

std::string compareJson(const Comparison &comparison) {
  Json json;
  json.array([&] {
    forEach(comparison, [&](const Difference &d) {
      json.object([&] {
        json("table", d.table)("name", d.name)("before", d.before)("after", d.after);
        json("change", d.change())("percent", d.percent());
      });
    });
  });
  return json.take();
}

std::string compareCsv(const Comparison &comparison) {
  Csv csv({"table", "name", "before", "after", "change", "percent"});
  forEach(comparison, [&](const Difference &d) {
    csv.row(d.table, d.name, d.before, d.after, d.change(), d.percent());
  });
  return csv.take();
}

std::string grownBeyond(const Comparison &comparison, double percent) {
  const auto *step = find(comparison, stepCycles);
  if (step && (!step->before || !step->after))
    throw std::runtime_error(str("--fail-above compares cycles of a step, but the report ",
                                 step->before ? "after" : "before",
                                 " has no run. Run the program with autoReport.all, or "
                                 "autoReport.outputExecutionProfile."));
  std::string grown;
  for (const char *name : {stepCycles, fullestTile, memoryUsed})
    if (const auto *d = find(comparison, name); d && isBeyond(*d, percent))
      grown += (grown.empty() ? "" : "; ") + grownText(comparison, *d);
  return grown.empty() ? grown : str("Grown by more than ", percent, " %: ", grown, ".");
}

} // namespace popvision
