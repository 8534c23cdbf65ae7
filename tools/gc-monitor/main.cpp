// SPDX-License-Identifier: MIT
// gc-monitor: the IPUs of a partition, who uses them and what for. It takes nothing and disturbs
// nobody.
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "Monitor.hpp"
#include <iostream>
#include <thread>
#include <unistd.h>

namespace {

using namespace gcmonitor;

struct Options {
  bool json = false, noCards = false, all = false, usage = false;
  double watch = 0;     // seconds between two looks; 0: one look
  double exporter = -1; // a port
};

Readers readersOf(const Options &options) {
  auto domains = machine::allDomains();
  if (domains.empty() || !options.all)
    domains = {machine::activeDomain()};
  Readers readers;
  for (auto &domain : domains)
    readers.emplace_back(std::move(domain));
  return readers;
}

std::string look(const Options &options) {
  const auto readers = readersOf(options);
  return options.json ? gctool::textOf(asJson(readers))
                      : tables(readers, {!options.noCards, options.usage});
}

// In place on a terminal, one after the other in a file.
void watch(const Options &options) {
  const char *home = ::isatty(1) ? "\033[H\033[J" : "";
  while (std::cout << home << look(options) << std::flush)
    std::this_thread::sleep_for(std::chrono::duration<double>(options.watch));
}

std::string work(Options options) {
  unsigned long ticks = 0;
  if (options.exporter >= 0)
    serve(
        unsigned(options.exporter),
        [](unsigned port) {
          std::cout << "serving http://127.0.0.1:" << port << "/metrics" << std::endl;
        },
        [&] { return metrics(readersOf(options), ++ticks); });
  if (options.watch <= 0)
    return look(options);
  options.usage |= !options.json;
  watch(options);
  return "";
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-monitor", "Shows simulated IPUs and the processes that use them. Clock, "
                                  "temperature and power appear if the program has GCDA_MONITOR=1 "
                                  "in its environment; all of them are simulated.");
  tool.json(options.json, "-j,--json,--json-output");
  tool.flag("--no-card-info", options.noCards, {"only the processes"});
  tool.flag("--all-partitions", options.all, {"also partitions that are not active"});
  tool.flag("--usage", options.usage, {"also what programs use: utilisation, time, power"});
  tool.number("--watch", options.watch, 0.1, 3600, 2, {"look again after this many seconds (2)"});
  tool.number("--exporter", options.exporter, 0, 65535, 2112,
              {"serve figures for Prometheus on a port of 127.0.0.1 (2112; 0: any)"});
  return tool.run(argc, argv, [&] { return work(options); });
}
