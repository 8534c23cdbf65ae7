// SPDX-License-Identifier: MIT
// What is shown of the traces of host programs: all files together on one time axis.
#pragma once
#include "HostTrace.hpp"
#include "Records.hpp"

namespace popvision {

using HostTraces = std::vector<std::shared_ptr<const HostTrace>>;

// Threads, counters and their extent; the verdict.
view::Host hostView(const HostTraces &traces);
// The events between two times (nanoseconds on the common axis), those narrower than a `pixels`-th
// of it merged. Everything, unmerged, if there are few.
view::HostEvents hostEventsView(const HostTraces &traces, std::int64_t from, std::int64_t to,
                                unsigned pixels);
// Events whose name contains the text, case ignored: at most `most` of them and how many there are.
view::HostFound hostSearchView(const HostTraces &traces, const std::string &text, std::size_t most);
// By name, within two times: how often, total, mean, longest.
view::List<view::HostStatistic> hostStatisticsView(const HostTraces &traces, std::int64_t from,
                                                   std::int64_t to);
std::string hostDetailsView(const HostTraces &traces, std::size_t file,
                            std::size_t details); // JSON
// One file of trace events that Perfetto opens.
std::string hostPerfetto(const HostTraces &traces);

// Who waits for whom.
view::Verdict verdict(const HostTraces &traces);
inline double hostSeconds(const view::Verdict &v) { return v.between + v.callbacks; }

} // namespace popvision
