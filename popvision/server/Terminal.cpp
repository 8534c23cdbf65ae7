// SPDX-License-Identifier: MIT
#include "Terminal.hpp"
#include "base/Text.hpp"
#include "Columns.hpp"
#include "Json.hpp"
#include "Views.hpp"
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace popvision {

namespace {

using base::str;
using base::thousands;
using Value = nlohmann::ordered_json;

std::string percent(double part, double whole) {
  return whole > 0 ? fixed(100 * part / whole, 1) + " %" : "-";
}
std::string bytes(std::uint64_t value) {
  if (value < 10'000)
    return thousands(value) + " B";
  return value < 10'000 * 1024ull ? fixed(double(value) / 1024, 1) + " KiB"
                                  : fixed(double(value) / 1048576, 1) + " MiB";
}
std::string row(const std::string &name, const std::string &value) {
  return "  " + pad(name, 26) + right(value, 20) + "\n";
}
std::string bar(double share, std::size_t width) {
  const auto full = std::size_t(std::lround(std::clamp(share, 0.0, 1.0) * double(width)));
  return std::string(full, '#') + std::string(width - full, '.');
}

// Heights of a list, squeezed into so many characters, the largest of each.
std::string sparkline(const std::vector<std::uint64_t> &values, std::size_t width) {
  constexpr const char *blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const auto most = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  std::string text;
  const auto cells = std::min(width, values.size());
  for (std::size_t cell = 0; cell < cells; ++cell) {
    std::uint64_t high = 0;
    for (auto i = cell * values.size() / cells; i < (cell + 1) * values.size() / cells; ++i)
      high = std::max(high, values[i]);
    text += blocks[most ? std::size_t(std::lround(8.0 * double(high) / double(most))) : 0];
  }
  return text;
}

std::string number(const Value &value) { return thousands(value.get<std::uint64_t>()); }

std::string time(double seconds) {
  return seconds < 1e-3 ? fixed(seconds * 1e6, 1) + " us" : fixed(seconds * 1e3, 3) + " ms";
}

std::string kindsText(const Value &byKind, const Value &total) {
  std::string out;
  for (const auto &[kind, cycles] : byKind.items())
    if (cycles.get<std::uint64_t>())
      out += "    " + pad(kind, 16) + right(number(cycles), 16) +
             right(percent(cycles, total), 10) + "  " +
             bar(cycles.get<double>() / std::max(1.0, total.get<double>()), 30) + "\n";
  return out;
}

constexpr std::size_t shownParts = 8;

std::string streamsText(const Value &step) {
  if (step["host"].empty())
    return "";
  std::string out = "  streams" + right("waiting", 27) + right("moving", 14) + right("bytes", 14) +
                    right("times", 8) + "\n";
  for (const auto &part : step["host"])
    out += "    " + pad(part["name"], 16) + right(number(part["waiting"]), 14) +
           right(number(part["moving"]), 14) + right(number(part["bytes"]), 14) +
           right(number(part["times"]), 8) + "\n";
  return out;
}

// Of several IPUs: who is busy, who waits, and what the longest does.
std::string ipusText(const Value &step) {
  if (step["ipus"].empty())
    return "";
  std::string out = "  IPU" + right("compute", 15) + right("exchange", 12) +
                    right("between IPUs", 14) + right("busy", 10) + right("bubble", 14) +
                    right("bytes sent", 14) + "\n";
  const Value *longest = &step["ipus"].front();
  for (const auto &ipu : step["ipus"]) {
    out += pad("    " + number(ipu["ipu"]), 6) + right(number(ipu["compute"]), 14) +
           right(number(ipu["exchange"]), 12) + right(number(ipu["globalExchange"]), 14) +
           right(percent(ipu["share"], 1), 10) + right(number(ipu["bubble"]), 14) +
           right(number(ipu["bytesSent"]), 14) + "\n";
    if (ipu["busy"].get<std::uint64_t>() > (*longest)["busy"].get<std::uint64_t>())
      longest = &ipu;
  }
  out += "  the longest is IPU " + number((*longest)["ipu"]) + ":\n";
  std::size_t shown = 0;
  for (const auto &[name, cycles] : (*longest)["parts"].items())
    if (++shown <= 5)
      out += "    " + right(number(cycles), 14) + right(percent(cycles, step["cycles"]), 10) +
             "  " + name + "\n";
  return out;
}

std::string crossingsText(const Value &step) {
  std::string out;
  if (!step["crossings"].empty())
    out += "  between IPUs" + right("cycles", 22) + right("bytes each", 14) + "\n";
  std::size_t shown = 0;
  for (const auto &crossing : step["crossings"])
    if (++shown <= 5)
      out += "    " + pad(crossing["name"], 16) + right(number(crossing["cycles"]), 14) +
             right(number(crossing["bytes"]), 14) + "\n";
  const auto limit = step["limit"].get<std::string>();
  return out + (limit.empty() ? "" : "  what limits scaling: " + limit + "\n");
}

std::string partsText(const Value &step) {
  std::string out;
  std::size_t shown = 0;
  for (const auto &[name, cycles] : step["parts"].items()) {
    if (++shown > shownParts)
      return out + str("    and ", step["parts"].size() - shownParts,
                       " more; --csv --table step has all\n");
    out += "    " + right(number(cycles), 14) + right(percent(cycles, step["cycles"]), 10) + "  " +
           name + "\n";
  }
  return out;
}

// What users wait for: not the session, of which loading weights may be most.
std::string stepText(const Value &step) {
  if (step["run"].get<std::int64_t>() < 0)
    return "nothing ran\n\n";
  const auto runs = step["runs"].get<std::uint64_t>();
  std::string out = str("one step: ", step["name"].get<std::string>(),
                        runs > 1 ? str(", the median of ", thousands(runs), " runs") : "", "\n");
  out += row("time on the IPU", time(step["seconds"].get<double>())) +
         row("cycles", number(step["cycles"]));
  if (!step["traced"].get<bool>())
    out += "  The report has no whole run with its steps, so its phases are not known.\n";
  else {
    const auto bound = step["bound"].get<std::string>();
    if (!bound.empty())
      out += "  most goes to " + step["words"].get<std::string>() + ": " +
             percent(step["cyclesByKind"][bound], step["cycles"]) + "\n";
    out += kindsText(step["cyclesByKind"], step["cycles"]);
    if (const auto waiting = step["hostWaiting"].get<std::uint64_t>())
      out += "  of the host's cycles the IPU waits " + thousands(waiting) + " until it is ready\n";
    const auto sure = step["howSure"].get<std::string>();
    if (!sure.empty())
      out += "  how sure: " + sure + "\n";
    out += ipusText(step) + crossingsText(step) + streamsText(step) + "  longest parts\n" +
           partsText(step);
  }
  if (!step["others"].empty())
    out += "  apart from steps\n";
  for (const auto &other : step["others"])
    out += "    " + right(number(other["cycles"]), 14) + right(number(other["runs"]) + " x", 10) +
           "  " + other["name"].get<std::string>() + "\n";
  return out + "\n";
}

} // namespace

std::string summaryText(const Model &model) {
  const auto v = Value::parse(toJson(view::summary(model)));
  const auto &t = v["target"], &m = v["memory"], &e = v["execution"];
  std::string out =
      v["name"].get<std::string>() + "  (" + v["profile"].get<std::string>() + ")\n\n";
  out += stepText(v["step"]) + "everything that was compiled, and all runs\n";
  out += row("chip", t["chip"]) + row("IPUs", number(t["numIPUs"])) +
         row("replicas", number(t["numReplicas"])) + row("tiles", number(t["numTiles"]));
  out += row("memory per tile", bytes(t["bytesPerTile"])) + row("memory used", bytes(m["used"])) +
         row("always live", bytes(m["alwaysLive"])) +
         row(str("fullest tile (", m["fullestTile"].get<std::uint64_t>(), ")"),
             bytes(m["fullestTileBytes"]));
  out += row("vertices", number(v["graph"]["numVertices"])) +
         row("compute sets", number(v["graph"]["numComputeSets"])) +
         row("cycles", number(e["totalCycles"])) +
         row("time on the IPU", fixed(e["seconds"].get<double>() * 1e3, 3) + " ms");
  std::uint64_t all = 0; // with stages side by side, more than the cycles of the runs
  for (const auto &[kind, cycles] : e["cyclesByKind"].items())
    all += cycles.get<std::uint64_t>();
  out += kindsText(e["cyclesByKind"], all) + "\n";
  for (const auto &insight : Value::parse(toJson(view::insights(model)))) {
    const auto severity = insight["severity"].get<std::string>();
    out += str(severity == "bad"    ? "!! "
               : severity == "warn" ? " ! "
               : severity == "good" ? " + "
                                    : " - ",
               insight["title"].get<std::string>(), "\n     ", insight["detail"].get<std::string>(),
               "\n");
    if (!insight["advice"].get<std::string>().empty())
      out += "     " + insight["advice"].get<std::string>() + "\n";
  }
  return out;
}

std::string memoryText(const Model &model) {
  const auto v = Value::parse(toJson(view::memory(model)));
  const auto total = v["total"].get<std::vector<std::uint64_t>>();
  const auto withGaps = v["withGaps"].get<std::vector<std::uint64_t>>();
  std::uint64_t all = 0;
  for (auto value : total)
    all += value;
  std::string out = str("bytes by tile, 0 to ", total.size(), " (highest ",
                        bytes(total.empty() ? 0 : *std::max_element(total.begin(), total.end())),
                        ")\n  ", sparkline(total, 72), "\n\n", pad("category", 30),
                        right("bytes", 18), right("share", 10), "\n");
  for (const auto &category : v["categories"]) {
    std::uint64_t sum = 0;
    for (const auto &value : category["bytes"])
      sum += value.get<std::uint64_t>();
    if (sum)
      out += pad(category["name"], 30) + right(thousands(sum), 18) +
             right(percent(double(sum), double(all)), 10) + "\n";
  }
  out += pad("all", 30) + right(thousands(all), 18) + "\n\nfullest tiles\n";
  std::vector<std::size_t> order(withGaps.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return withGaps[a] > withGaps[b]; });
  const auto limit = v["bytesPerTile"].get<double>();
  for (std::size_t i = 0; i < std::min<std::size_t>(10, order.size()); ++i)
    out += right(std::to_string(order[i]), 8) + right(thousands(withGaps[order[i]]), 14) +
           right(percent(double(withGaps[order[i]]), limit), 10) + "  " +
           bar(double(withGaps[order[i]]) / limit, 36) + "\n";
  return out;
}

std::string tileText(const Model &model, std::uint64_t tile) {
  const auto v = Value::parse(toJson(view::tile(model, tile)));
  std::string out =
      str("tile ", tile, ": ", thousands(v["withGaps"].get<std::uint64_t>()), " bytes, ",
          thousands(v["alwaysLive"].get<std::uint64_t>()), " always live\n\n");
  for (const auto &[name, value] : v["categories"].items())
    if (value.get<std::uint64_t>())
      out += row(name, thousands(value.get<std::uint64_t>()));
  out += "\n";
  std::size_t shown = 0;
  for (const auto &variable : v["variables"])
    if (++shown <= 40)
      out += right(thousands(variable["bytes"].get<std::uint64_t>()), 12) + "  " +
             pad(variable["category"], 24) + variable["name"].get<std::string>() + "\n";
  if (shown > 40)
    out += str("  and ", shown - 40, " more; --json has all\n");
  return out;
}

static std::size_t wantedStep(std::int64_t wanted, std::size_t steps) {
  if (std::size_t(wanted) >= steps)
    throw std::out_of_range(str("There is no step ", wanted, "; the report has ", steps, "."));
  return std::size_t(wanted);
}
static std::vector<pva::Variable> largestFirst(const pva::LivenessProgramStep &step) {
  auto variables = step.notAlwaysLiveMemory().variables();
  std::stable_sort(variables.begin(), variables.end(),
                   [](const auto &a, const auto &b) { return a.bytes() > b.bytes(); });
  return variables;
}

std::string livenessJson(const Model &model, std::int64_t wanted) {
  const auto steps = model.compilation().livenessProgramSteps();
  const auto at = wantedStep(wanted, steps.size());
  Json json;
  json.object([&] {
    json("step", at)("bytes", steps[at].notAlwaysLiveBytes());
    json("program", steps[at].program() ? steps[at].program()->name() : std::string());
    json.key("variables").array([&] {
      for (const auto &variable : largestFirst(steps[at]))
        json.object([&] {
          json("id", variable.id())("name", variable.name())("type", variable.type());
          json("bytes", variable.bytes());
        });
    });
  });
  return json.take();
}

std::string livenessText(const Model &model, std::int64_t wanted) {
  const auto steps = model.compilation().livenessProgramSteps();
  std::vector<std::uint64_t> sizes;
  for (const auto &step : steps)
    sizes.push_back(step.notAlwaysLiveBytes());
  if (sizes.empty())
    return "The report has no liveness.\n";
  const auto peak = std::size_t(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  const auto at = wanted < 0 ? peak : wantedStep(wanted, steps.size());
  std::string out =
      str("bytes not always live, step 0 to ", sizes.size() - 1, ", peak ", thousands(sizes[peak]),
          " at step ", peak, "\n  ", sparkline(sizes, 72), "\n\nstep ", at, ": ",
          steps[at].program() ? steps[at].program()->name() : "", ", ", thousands(sizes[at]),
          " bytes\n");
  const auto variables = largestFirst(steps[at]);
  for (std::size_t i = 0; i < std::min<std::size_t>(20, variables.size()); ++i)
    out += right(thousands(variables[i].bytes()), 14) + "  " + pad(variables[i].type(), 8) +
           variables[i].name() + "\n";
  return out;
}

std::vector<pva::ProgramRef> executedPrograms(const Model &model) {
  std::vector<pva::ProgramRef> order;
  for (const auto &program : model.programs())
    if (model.spent(program->id()).executions)
      order.push_back(program);
  std::stable_sort(order.begin(), order.end(), [&](const auto &a, const auto &b) {
    return model.spent(a->id()).cycles > model.spent(b->id()).cycles;
  });
  return order;
}

std::string traceText(const Model &model) {
  const auto order = executedPrograms(model);
  std::string out;
  for (const auto &run : model.execution().runs())
    out += row(str("run ", run.name().empty() ? "(no name)" : run.name()),
               thousands(run.cycles()) + " cycles");
  if (out.size() > 2000)
    out = str(model.execution().runs().size(), " runs\n");
  out += str("\n", right("cycles", 16), right("share", 9), right("times", 10), right("balance", 10),
             "  program\n");
  for (std::size_t i = 0; i < std::min<std::size_t>(25, order.size()); ++i) {
    const auto &spent = model.spent(order[i]->id());
    out += right(thousands(spent.cycles), 16) +
           right(percent(double(spent.cycles), double(model.totalCycles())), 9) +
           right(thousands(spent.executions), 10) +
           right(fixed(100 * order[i]->tileBalance(), 1) + " %", 10) + "  " +
           toString(order[i]->type()) + " " + order[i]->name() + "\n";
  }
  return out;
}

std::string hostText(const HostTraces &traces) {
  std::string out = verdict(traces).text + "\n\n";
  auto rows = hostStatisticsView(traces, 0, INT64_MAX / 4);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto &a, const auto &b) { return a.total > b.total; });
  out += right("total ms", 14) + right("times", 12) + right("mean us", 14) + "  event\n";
  for (std::size_t i = 0; i < std::min<std::size_t>(30, rows.size()); ++i) {
    const auto &row = rows[i];
    const auto total = double(row.total);
    out += right(fixed(total / 1e6, 3), 14) + right(thousands(row.count), 12) +
           right(fixed(total / double(row.count) / 1e3, 2), 14) + "  " + row.channel + ": " +
           row.name + "\n";
  }
  return out;
}

} // namespace popvision
