// SPDX-License-Identifier: MIT
#include "Tables.hpp"
#include "base/Text.hpp"
#include "Columns.hpp"
#include "Terminal.hpp"
#include "Views.hpp"
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

namespace popvision {

namespace {

using Value = nlohmann::ordered_json;
using Tables = std::vector<std::pair<std::string, std::function<std::string()>>>;
using Columns = std::vector<std::string>;

std::string chosen(const Tables &tables, const std::string &wanted) {
  std::vector<std::string> names;
  for (const auto &[name, make] : tables) {
    if (wanted.empty() || wanted == name)
      return make();
    names.push_back(name);
  }
  std::string list;
  for (const auto &name : names)
    list += (list.empty() ? "" : ", ") + name;
  throw std::runtime_error(base::str("There is no table \"", base::brief(wanted), "\".",
                                     base::didYouMean(wanted, names), " The tables are ", list,
                                     "."));
}

// Leaves of nested objects: memory.used, 9040046. Lists are tables of their own.
void addLeaves(Csv &csv, const std::string &prefix, const Value &value) {
  for (const auto &[key, member] : value.items()) {
    const auto name = prefix.empty() ? key : prefix + "." + key;
    if (member.is_object())
      addLeaves(csv, name, member);
    else if (member.is_string())
      csv.row(name, member.get<std::string>());
    else if (!member.is_structured())
      csv.row(name, member.dump());
  }
}

std::string figuresCsv(const Model &model) {
  auto summary = Value::parse(toJson(view::summary(model)));
  for (const char *table : {"options", "texts"})
    summary.erase(table);
  summary["step"].erase("parts"); // a table of its own
  Csv csv({"name", "value"});
  addLeaves(csv, "", summary);
  return csv.take();
}
std::string cyclesCsv(const Model &model) {
  Csv csv({"kind", "cycles"});
  for (const auto &[kind, cycles] : view::summary(model).execution.cyclesByKind)
    csv.row(kind, cycles);
  return csv.take();
}
std::string stepCsv(const Model &model) {
  Csv csv({"part", "cycles"});
  for (const auto &[name, cycles] : view::summary(model).step.parts)
    csv.row(name, cycles);
  return csv.take();
}
std::string spreadCsv(const Model &model) {
  Csv csv({"kind", "cycles", "rows", "meanError"});
  for (const auto &part : view::summary(model).step.spread)
    csv.row(part.kind, part.cycles, part.rows, part.mean);
  return csv.take();
}
std::string ipusCsv(const Model &model) {
  Csv csv({"ipu", "compute", "exchange", "globalExchange", "host", "busy", "share", "bubble",
           "bytesSent"});
  for (const auto &ipu : view::summary(model).step.ipus)
    csv.row(ipu.ipu, ipu.compute, ipu.exchange, ipu.globalExchange, ipu.host, ipu.busy, ipu.share,
            ipu.bubble, ipu.bytesSent);
  return csv.take();
}
std::string crossingsCsv(const Model &model) {
  Csv csv({"name", "cycles", "bytes"});
  for (const auto &crossing : view::summary(model).step.crossings)
    csv.row(crossing.name, crossing.cycles, crossing.bytes);
  return csv.take();
}
std::string streamsCsv(const Model &model) {
  Csv csv({"stream", "waiting", "moving", "bytes", "times"});
  for (const auto &part : view::summary(model).step.host)
    csv.row(part.name, part.waiting, part.moving, part.bytes, part.times);
  return csv.take();
}
std::string insightsCsv(const Model &model) {
  Csv csv({"severity", "title", "detail", "advice", "value", "unit"});
  for (const auto &i : view::insights(model))
    csv.row(i.severity, i.title, i.detail, i.advice, i.value, i.unit);
  return csv.take();
}
std::string optionsCsv(const Model &model) {
  Csv csv({"option", "value"});
  for (const auto &[name, value] : view::summary(model).options)
    csv.row(name, value);
  return csv.take();
}

std::uint64_t sumOf(const view::List<view::Count> &values) {
  return std::accumulate(values.begin(), values.end(), std::uint64_t(0));
}
std::string tilesCsv(const view::Memory &v) {
  Columns columns{"tile", "total", "withGaps", "alwaysLive", "notAlwaysLive"};
  for (const auto &category : v.categories)
    columns.push_back(category.name);
  Csv csv(columns);
  for (std::size_t tile = 0; tile < v.total.size(); ++tile) {
    csv.cell(tile).cell(v.total[tile]).cell(v.withGaps[tile]);
    csv.cell(v.alwaysLive[tile]).cell(v.notAlwaysLive[tile]);
    for (const auto &category : v.categories)
      csv.cell(category.bytes[tile]);
    csv.end();
  }
  return csv.take();
}
std::string categoriesCsv(const view::Memory &v) {
  Csv csv({"category", "bytes", "alwaysLive"});
  for (const auto &category : v.categories)
    csv.row(category.name, sumOf(category.bytes), sumOf(category.alwaysLive));
  return csv.take();
}

std::string tileVariablesCsv(const view::Tile &v) {
  Csv csv({"name", "bytes", "category"});
  for (const auto &variable : v.variables)
    csv.row(variable.name, variable.bytes, variable.category);
  return csv.take();
}
std::string tileCategoriesCsv(const view::Tile &v) {
  Csv csv({"category", "bytes"});
  for (const auto &[name, bytes] : v.categories)
    csv.row(name, bytes);
  return csv.take();
}

std::string livenessStepsCsv(const Model &model) {
  Csv csv({"step", "program", "name", "bytes"});
  const auto v = view::liveness(model);
  for (std::size_t step = 0; step < v.bytes.size(); ++step) {
    const auto id = v.program[step];
    csv.row(step, id, id ? model.programs().at(*id)->name() : std::string(), v.bytes[step]);
  }
  return csv.take();
}
std::string variablesCsv(const Model &model) {
  Csv csv({"name", "type", "bytes", "alwaysLive", "firstStep", "lastStep"});
  const auto v = view::variables(model);
  for (std::size_t i = 0; i < v.name.size(); ++i) {
    std::optional<std::uint64_t> first, last;
    if (!v.live[i].empty()) {
      first = v.live[i].front();
      last = v.live[i].back();
    }
    csv.row(v.name[i], v.type[i], v.bytes[i], v.alwaysLive[i], first, last);
  }
  return csv.take();
}
std::string variablesAtCsv(const Model &model, std::int64_t step) {
  Csv csv({"id", "name", "type", "bytes"});
  const auto found = Value::parse(livenessJson(model, step));
  for (const auto &v : found["variables"])
    csv.row(v["id"].get<std::uint64_t>(), v["name"].get<std::string>(),
            v["type"].get<std::string>(), v["bytes"].get<std::uint64_t>());
  return csv.take();
}

std::string programsCsv(const Model &model) {
  const auto order = executedPrograms(model);
  Csv csv({"program", "type", "name", "cycles", "executions", "tileBalance", "bytes"});
  for (const auto &program : order) {
    const auto &spent = model.spent(program->id());
    csv.row(program->id(), toString(program->type()), program->name(), spent.cycles,
            spent.executions, program->tileBalance(), program->bytes());
  }
  return csv.take();
}
std::string runsCsv(const Model &model) {
  Csv csv({"run", "name", "cycles", "firstStep", "numSteps", "startMicroseconds"});
  const auto v = view::trace(model);
  for (std::size_t i = 0; i < v.runs.size(); ++i)
    csv.row(i, v.runs[i].name, v.runs[i].cycles, v.runs[i].firstStep, v.runs[i].numSteps,
            v.runs[i].start);
  return csv.take();
}
std::string stepsCsv(const Model &model) {
  Csv csv({"step", "ipu", "program", "type", "name", "cycles", "from", "to", "activeTiles"});
  const auto v = view::trace(model);
  for (std::size_t step = 0; step < v.program.size(); ++step) {
    const auto &program = *model.programs().at(v.program[step]);
    for (std::size_t ipu = 0; ipu < v.ipus.size(); ++ipu)
      csv.row(step, ipu, v.program[step], toString(program.type()), program.name(),
              v.ipus[ipu].cycles[step], v.ipus[ipu].from[step], v.ipus[ipu].to[step],
              v.ipus[ipu].activeTiles[step]);
  }
  return csv.take();
}
std::string operationsCsv(const Model &model) {
  Columns columns{"name", "layer", "file", "line", "cycles"};
  for (unsigned kind = 0; kind < numKinds; ++kind)
    columns.emplace_back(toString(Kind(kind)));
  for (const char *more : {"executions", "bytes", "flops"})
    columns.emplace_back(more);
  Csv csv(columns);
  for (const auto &row : model.operations()) {
    csv.cell(row.name).cell(row.layer).cell(row.file).cell(row.line).cell(row.cycles);
    for (const auto cycles : row.byKind)
      csv.cell(cycles);
    csv.row(row.executions, row.bytes, row.flops);
  }
  return csv.take();
}

std::string eventsCsv(const HostTraces &traces) {
  auto rows = hostStatisticsView(traces, 0, INT64_MAX / 4);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto &a, const auto &b) { return a.total > b.total; });
  Csv csv({"channel", "event", "times", "totalNanoseconds", "longestNanoseconds"});
  for (const auto &row : rows)
    csv.row(row.channel, row.name, row.count, row.total, row.longest);
  return csv.take();
}

} // namespace

std::string summaryCsv(const Model &model, const std::string &table) {
  return chosen({{"figures", [&] { return figuresCsv(model); }},
                 {"cycles", [&] { return cyclesCsv(model); }},
                 {"step", [&] { return stepCsv(model); }},
                 {"spread", [&] { return spreadCsv(model); }},
                 {"ipus", [&] { return ipusCsv(model); }},
                 {"crossings", [&] { return crossingsCsv(model); }},
                 {"streams", [&] { return streamsCsv(model); }},
                 {"insights", [&] { return insightsCsv(model); }},
                 {"options", [&] { return optionsCsv(model); }}},
                table);
}
std::string memoryCsv(const Model &model, const std::string &table) {
  const auto v = view::memory(model);
  return chosen(
      {{"tiles", [&] { return tilesCsv(v); }}, {"categories", [&] { return categoriesCsv(v); }}},
      table);
}
std::string tileCsv(const Model &model, std::uint64_t tile, const std::string &table) {
  const auto v = view::tile(model, tile);
  return chosen({{"variables", [&] { return tileVariablesCsv(v); }},
                 {"categories", [&] { return tileCategoriesCsv(v); }}},
                table);
}
std::string livenessCsv(const Model &model, const std::string &table) {
  return chosen({{"steps", [&] { return livenessStepsCsv(model); }},
                 {"variables", [&] { return variablesCsv(model); }}},
                table);
}
std::string livenessStepCsv(const Model &model, std::int64_t step, const std::string &table) {
  return chosen({{"variables", [&] { return variablesAtCsv(model, step); }}}, table);
}
std::string traceCsv(const Model &model, const std::string &table) {
  return chosen({{"programs", [&] { return programsCsv(model); }},
                 {"runs", [&] { return runsCsv(model); }},
                 {"steps", [&] { return stepsCsv(model); }},
                 {"operations", [&] { return operationsCsv(model); }}},
                table);
}
std::string hostCsv(const HostTraces &traces, const std::string &table) {
  return chosen({{"events", [&] { return eventsCsv(traces); }}}, table);
}

} // namespace popvision
