// SPDX-License-Identifier: MIT
// What is shown of the traces of host programs: all files together on one time axis.
#pragma once
#include "HostTrace.hpp"

namespace popvision {

using HostTraces = std::vector<std::shared_ptr<const HostTrace>>;

// Threads, counters and their extent; the verdict.
std::string hostView(const HostTraces &traces);
// The events between two times (nanoseconds on the common axis), those narrower than a `pixels`-th
// of it merged. Everything, unmerged, if there are few.
std::string hostEventsView(const HostTraces &traces, std::int64_t from, std::int64_t to,
                           unsigned pixels);
// Events whose name contains the text, case ignored: at most `most` of them and how many there are.
std::string hostSearchView(const HostTraces &traces, const std::string &text, std::size_t most);
// By name, within two times: how often, total, mean, longest.
std::string hostStatisticsView(const HostTraces &traces, std::int64_t from, std::int64_t to);
std::string hostDetailsView(const HostTraces &traces, std::size_t file, std::size_t details);
// One file of trace events that Perfetto opens.
std::string hostPerfetto(const HostTraces &traces);

// Who waits for whom.
struct Verdict {
  std::uint64_t runs = 0;
  double span = 0;      // seconds from the first run's beginning to the last one's end
  double between = 0;   // of it outside of runs: what the host does alone
  double callbacks = 0; // of it inside: what the program does for streams, while the IPU waits
  double simulated = 0; // of it inside otherwise: what simulating the IPU took, no IPU would
  double reports = 0;   // of it outside: what writing reports took, which nobody does in earnest
  double ipu = 0;       // what the modelled IPU takes for the same runs
  double host() const { return between + callbacks; }
  std::string text;
};
Verdict verdict(const HostTraces &traces);

} // namespace popvision
