// SPDX-License-Identifier: MIT
// Where the cycles of a step go.
#include "base/Text.hpp"
#include "modelrows.hpp"
#include <algorithm>
#include <iomanip>
#include <map>
#include <sstream>

namespace calibration::models {
namespace {

using Part = popart::ModelledStep::Part;

void line(std::ostream &out, const Part &part, double all, const std::string &name) {
  const auto percent = [&](std::uint64_t cycles) { return 100 * double(cycles) / all; };
  out << std::fixed << std::setprecision(1) << std::setw(6) << percent(part.cycles())
      << std::setw(9) << percent(part.compute) << std::setw(9) << percent(part.exchange)
      << std::setw(6) << percent(part.betweenIpus) << std::setw(6) << percent(part.host)
      << std::setw(6) << percent(part.sync) << std::setw(9) << part.turns << "  " << name << "\n";
}

void sum(Part &to, const Part &part) {
  to.compute += part.compute;
  to.exchange += part.exchange;
  to.betweenIpus += part.betweenIpus;
  to.host += part.host;
  to.sync += part.sync;
  to.control += part.control;
  to.turns += part.turns;
}

} // namespace

std::string profileOf(const popart::ModelledStep &step) {
  std::map<std::string, Part> kernels;
  Part all;
  for (const auto &part : step.parts) {
    sum(kernels[part.kernel.empty() ? "(copies, streams, loops)" : part.kernel], part);
    sum(all, part);
  }
  std::vector<std::pair<std::string, Part>> order(kernels.begin(), kernels.end());
  std::stable_sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
    return a.second.cycles() > b.second.cycles();
  });
  std::ostringstream out;
  const auto cycles = double(step.cycles);
  out << base::thousands(step.cycles) << " cycles, percent of them:\n"
      << "   all  compute exchange links  host  sync    turns\n";
  line(out, all, cycles, "everything");
  for (const auto &[name, part] : order)
    line(out, part, cycles, name);
  auto longest = step.parts;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const Part &a, const Part &b) { return a.cycles() > b.cycles(); });
  longest.resize(std::min<std::size_t>(longest.size(), 25));
  out << "\n";
  for (const auto &part : longest)
    line(out, part, cycles, part.name + " " + part.kernel);
  return out.str();
}

} // namespace calibration::models
