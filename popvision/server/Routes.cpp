// SPDX-License-Identifier: MIT
#include "Routes.hpp"
#include "base/Text.hpp"
#include "Views.hpp"
#include <charconv>
#include <stdexcept>

namespace popvision {

namespace {

struct BadRequest : std::runtime_error {
  using std::runtime_error::runtime_error;
};

std::int64_t toNumber(const std::string &text, const char *what) {
  std::int64_t value = 0;
  const auto *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end || value < 0)
    throw BadRequest(base::str(what, " is a number from 0 on, not \"", base::brief(text), "\"."));
  return value;
}

std::int64_t number(const Query &query, const char *name) {
  const auto found = query.find(name);
  if (found == query.end())
    throw BadRequest(base::str("The parameter ", name, " is missing."));
  return toNumber(found->second, name);
}

std::vector<std::uint64_t> numbers(const Query &query, const char *name) {
  constexpr std::size_t most = 5000;
  const auto found = query.find(name);
  std::vector<std::uint64_t> values;
  std::size_t at = 0;
  const std::string text = found == query.end() ? "" : found->second;
  while (at < text.size()) {
    const auto comma = std::min(text.find(',', at), text.size());
    values.push_back(std::uint64_t(toNumber(text.substr(at, comma - at), name)));
    at = comma + 1;
    if (values.size() > most)
      throw BadRequest(base::str("At most ", most, " numbers."));
  }
  return values;
}

std::string reportView(const Model &model, const std::string &view, const Query &query) {
  const auto plain = std::map<std::string, std::string (*)(const Model &)>{
      {"summary", summaryView},       {"insights", insightsView}, {"memory", memoryView},
      {"variables", variablesView},   {"liveness", livenessView}, {"programs", programsView},
      {"operations", operationsView}, {"trace", traceView},       {"layers", layersView}};
  if (const auto found = plain.find(view); found != plain.end())
    return found->second(model);
  if (view == "tile")
    return tileView(model, std::uint64_t(number(query, "tile")));
  if (view == "livenessOfTile")
    return livenessOfTile(model, std::uint64_t(number(query, "tile")));
  if (view == "program")
    return programView(model, std::uint64_t(number(query, "program")));
  if (view == "programTiles")
    return programTilesView(model, numbers(query, "programs"));
  throw std::out_of_range("There is no view \"" + base::brief(view) + "\".");
}

std::string hostAnswer(const Site &site, const std::string &view, const Query &query) {
  const auto traces = hostTraces(site);
  if (view == "overview")
    return hostView(traces);
  if (view == "events")
    return hostEventsView(traces, number(query, "from"), number(query, "to"),
                          unsigned(std::min<std::int64_t>(8192, number(query, "pixels"))));
  if (view == "statistics")
    return hostStatisticsView(traces, number(query, "from"), number(query, "to"));
  if (view == "search")
    return hostSearchView(traces, query.count("text") ? query.at("text") : "", 1000);
  if (view == "details")
    return hostDetailsView(traces, std::size_t(number(query, "file")),
                           std::size_t(number(query, "index")));
  if (view == "perfetto")
    return hostPerfetto(traces);
  throw std::out_of_range("There is no view \"" + base::brief(view) + "\".");
}

std::string body(const Site &site, const std::string &path, const Query &query) {
  constexpr std::string_view report = "/api/report/", host = "/api/host/";
  if (path == "/api/site") {
    site.lookAgain();
    return siteView(site);
  }
  if (path.starts_with(host))
    return hostAnswer(site, path.substr(host.size()), query);
  if (!path.starts_with(report))
    throw std::out_of_range("There is nothing at \"" + base::brief(path) + "\".");
  const auto slash = std::min(path.find('/', report.size()), path.size());
  const auto index = toNumber(path.substr(report.size(), slash - report.size()), "A report");
  if (std::size_t(index) >= site.numReports())
    throw std::out_of_range(base::str("There is no report ", index, "."));
  const auto model = site.report(std::size_t(index));
  return reportView(*model, path.substr(std::min(slash + 1, path.size())), query);
}

Answer error(int status, const std::string &text) {
  Json json;
  json.object([&] { json("error", text); });
  return {status, "application/json", json.take()};
}

} // namespace

HostTraces hostTraces(const Site &site) {
  HostTraces traces;
  for (std::size_t i = 0; i < site.numTraces(); ++i)
    traces.push_back(site.trace(i));
  return traces;
}

std::string siteView(const Site &site) {
  Json json;
  json.object([&] {
    json("stamp", site.stamp());
    json.key("reports").array([&] {
      for (std::size_t i = 0; i < site.numReports(); ++i)
        json.object([&] { json("name", site.files(i).name)("profile", site.files(i).profile); });
    });
    json.key("traces").array([&] {
      for (std::size_t i = 0; i < site.numTraces(); ++i)
        json.value(site.traceFile(i));
    });
  });
  return json.take();
}

Answer answer(const Site &site, const std::string &path, const Query &query) {
  try {
    return {200, "application/json", body(site, path, query)};
  } catch (const BadRequest &e) {
    return error(400, e.what());
  } catch (const std::out_of_range &e) {
    return error(404, e.what());
  } catch (const std::exception &e) {
    return error(422, e.what());
  }
}

} // namespace popvision
