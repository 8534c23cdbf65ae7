// SPDX-License-Identifier: MIT
// A trace of a host program: pvti's files and every other one in the trace-event format of Chrome
// (an array of events, or an object with "traceEvents"). Threads with nested events, instants, and
// counters; times are nanoseconds since the earliest event. A file that ends in the middle, as one
// does whose program was killed or still runs, gives what is there.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace popvision {

struct HostEvent {
  std::int64_t start, duration; // duration -1: an instant
  std::uint32_t kind, depth;    // kind: index into HostTrace::kinds
  std::uint32_t details;        // index into HostTrace::details, or none
};
struct HostKind {              // of an event
  std::uint32_t name, channel; // indices into HostTrace::texts
};
constexpr std::uint32_t noDetails = 0xffffffffu;

struct HostThread {
  std::int64_t process, thread;
  std::string name;
  std::vector<HostEvent> events; // by start, outer before inner
};

struct HostCounter {
  std::string graph, series;
  std::int64_t process;
  std::vector<std::int64_t> times;
  std::vector<double> values;
};

// Counts of values between edges, a column at a time (pvti's heat maps).
struct HostHeatmap {
  std::string name;
  std::int64_t process;
  std::vector<std::pair<double, double>> bins; // from, to; rising
  std::vector<std::int64_t> times;
  std::vector<std::vector<double>> counts; // by column and bin
};

// One run of a program on an IPU, as Poplar traces it.
struct IpuRun {
  std::int64_t process, thread, start, duration; // on the host
  double ipuSeconds;                             // on the modelled IPU
};

class HostTrace {
public:
  std::string path;
  std::int64_t begin = 0, end = 0;            // nanoseconds of the clock that the file uses
  bool complete = true;                       // false: the file ends in the middle of an event
  std::uint64_t numEvents = 0, unmatched = 0; // unmatched: ends without a beginning
  std::vector<std::string> texts;             // names and channels, by index
  std::vector<HostKind> kinds;
  std::vector<std::string> details; // JSON
  std::vector<HostThread> threads;  // by process and thread
  std::vector<HostCounter> counters;
  std::vector<HostHeatmap> heatmaps;
  std::vector<std::string> processNames; // "pid name"
  std::vector<IpuRun> runs;
  const std::string &nameOf(const HostEvent &event) const { return texts[kinds[event.kind].name]; }
  const std::string &channelOf(const HostEvent &event) const {
    return texts[kinds[event.kind].channel];
  }
};

// std::runtime_error with the path when the file is none, or cannot be read.
std::shared_ptr<const HostTrace> readHostTrace(const std::string &path,
                                               std::size_t pieceBytes = 16 << 20);
std::shared_ptr<const HostTrace> parseHostTrace(std::string_view text, const std::string &path);

} // namespace popvision
