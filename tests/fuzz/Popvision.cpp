// SPDX-License-Identifier: MIT
// What PopVision reads from others: traces in the format of Chrome, which are then shown in every
// way, and the paths of requests ("GET ..."). Every answer must be JSON.
#include "base/Text.hpp"
#include "Fuzz.hpp"
#include "pva/Writer.hpp"
#include "Routes.hpp"
#include "Views.hpp"
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unistd.h>

using namespace popvision;

namespace {

void wantJson(const std::string &text) {
  if (!nlohmann::json::accept(text))
    throw std::logic_error("an answer is no JSON: " + base::brief(text));
}

void show(const std::shared_ptr<const HostTrace> &trace) {
  const HostTraces traces{trace, trace};
  wantJson(toJson(hostView(traces)));
  wantJson(toJson(hostEventsView(traces, 0, trace->end - trace->begin, 100)));
  wantJson(toJson(hostStatisticsView(traces, 0, 1000)));
  wantJson(toJson(hostSearchView(traces, "a", 10)));
  wantJson(hostPerfetto(traces));
  for (std::size_t i = 0; i < trace->details.size(); ++i)
    wantJson(hostDetailsView(traces, 0, i));
}

// A report in a file of its own, which goes when the program ends.
struct Reports {
  Reports() : path(base::str("/tmp/openipu-fuzz-", ::getpid(), ".pop")) {
    pva::Writer w(path);
    w.table("target").row("IPU_MODEL", "ipu2", 1, 1, 2, 1000, 1000000000, 6);
    w.table("graph").row(2, 2, 2, 1);
    w.table("compute_sets").row(0, "cs");
    w.table("programs").row(0, "main", "OnTileExecute", 0, 0, 20, 0, 0, 0);
    w.table("program_roots").row(0, 0, 1);
    w.table("memory_by_tile").row(0, 132, 8, 132, 0, pva::Writer::Null());
    w.table("memory_by_tile").row(1, 60, 0, 60, 0, pva::Writer::Null());
    w.table("totals").row(0, 1, 20);
    w.table("execution").row(20, 0, 0);
    w.finish();
    site = std::make_unique<Site>(std::vector<std::string>{path});
  }
  ~Reports() { std::filesystem::remove(path); }
  std::string path;
  std::unique_ptr<Site> site;
};

bool request(std::string_view text) {
  static const Reports reports;
  const auto mark = std::min(text.find('?'), text.size());
  Query query;
  for (auto at = mark + 1; at < text.size();) {
    const auto end = std::min(text.find('&', at), text.size());
    const auto equals = std::min(text.find('=', at), end);
    query.emplace(text.substr(at, equals - at),
                  text.substr(std::min(equals + 1, end), end - std::min(equals + 1, end)));
    at = end + 1;
  }
  const auto result = answer(*reports.site, std::string(text.substr(0, mark)), query);
  wantJson(result.body);
  return result.status == 200;
}

} // namespace

bool fuzz::accepts(std::string_view input) {
  if (input.starts_with("GET "))
    return request(input.substr(4));
  try {
    show(parseHostTrace(input, "fuzz.pvti"));
    return true;
  } catch (const std::runtime_error &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  return {
      R"([
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"main"}},
{"ph":"B","name":"a\u00e9","cat":"x","pid":1,"tid":2,"ts":10.5,"args":{"metadata":{"ipuSeconds":0.5}}},
{"ph":"i","name":"now","cat":"x","pid":1,"tid":2,"ts":11,"s":"t"},
{"ph":"E","name":"a","cat":"x","pid":1,"tid":2,"ts":12,"args":{"metadata":{"ipuSeconds":0.5}}},
{"ph":"C","name":"Loss","pid":1,"tid":2,"ts":13,"args":{"train":0.25}}
])",
      R"({"displayTimeUnit":"ns","traceEvents":[{"ph":"X","name":"x","cat":"c","pid":"p","tid":"t","ts":1,"dur":5},
{"ph":"X","name":"y","pid":1,"tid":1,"ts":2,"dur":1}]})",
      "GET /api/report/0/summary",
      "GET /api/report/0/tile?tile=1",
      "GET /api/report/0/programTiles?programs=0,0",
      "GET /api/site"};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
