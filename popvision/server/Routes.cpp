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

std::string reportView(const Model &model, const std::string &wanted, const Query &query) {
#define RECORD(...)
#define FIELD(...)
#define OPTIONAL(...)
#define END(...)
#define VIEW(name, ...)                                                                            \
  if (wanted == #name)                                                                             \
    return toJson(view::name(model));
#define VIEW_OF(name, type, parameter)                                                             \
  if (wanted == #name)                                                                             \
    return toJson(view::name(model, std::uint64_t(number(query, #parameter))));
#define VIEW_OF_SEVERAL(name, type, parameter)                                                     \
  if (wanted == #name)                                                                             \
    return toJson(view::name(model, numbers(query, #parameter)));
#include "AllViews.def"
#include "NoViews.def"
  throw std::out_of_range("There is no view \"" + base::brief(wanted) + "\".");
}

std::string hostAnswer(const Site &site, const std::string &wanted, const Query &query) {
  const auto traces = hostTraces(site);
  if (wanted == "overview")
    return toJson(hostView(traces));
  if (wanted == "events")
    return toJson(hostEventsView(traces, number(query, "from"), number(query, "to"),
                                 unsigned(std::min<std::int64_t>(8192, number(query, "pixels")))));
  if (wanted == "statistics")
    return toJson(hostStatisticsView(traces, number(query, "from"), number(query, "to")));
  if (wanted == "search")
    return toJson(hostSearchView(traces, query.count("text") ? query.at("text") : "", 1000));
  if (wanted == "details")
    return hostDetailsView(traces, std::size_t(number(query, "file")),
                           std::size_t(number(query, "index")));
  if (wanted == "perfetto")
    return hostPerfetto(traces);
  throw std::out_of_range("There is no view \"" + base::brief(wanted) + "\".");
}

view::Site siteView(const Site &site) {
  view::Site v{site.stamp()};
  for (std::size_t i = 0; i < site.numReports(); ++i)
    v.reports.push_back({site.files(i).name, site.files(i).profile});
  for (std::size_t i = 0; i < site.numTraces(); ++i)
    v.traces.push_back(site.traceFile(i));
  return v;
}

std::string body(const Site &site, const std::string &path, const Query &query) {
  constexpr std::string_view report = "/api/report/", host = "/api/host/";
  if (path == "/api/site") {
    site.lookAgain();
    return toJson(siteView(site));
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

std::vector<std::string> plainViews() {
  return {
#define RECORD(...)
#define FIELD(...)
#define OPTIONAL(...)
#define END(...)
#define VIEW(name, ...) #name,
#define VIEW_OF(...)
#define VIEW_OF_SEVERAL(...)
#include "AllViews.def"
#include "NoViews.def"
  };
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
