// SPDX-License-Identifier: MIT
// Traces of what a host program does: begin and end of named pieces of work, on named channels.
//
//   pvti::TraceChannel loading("loading");
//   { pvti::Tracepoint point(&loading, "epoch"); ... }
//
// Nothing is recorded unless the environment says so:
//   PVTI_OPTIONS='{"enable":"true", "directory":"reports", "channels":["loading"]}'
// Then the trace is a file <time>_<process>.pvti in the directory (default: where the program was
// started), in the trace-event format (JSON) that chrome://tracing and Perfetto open. Without
// "channels" all channels are written. All functions may be called from any thread. When the disk
// is full the trace ends and the program goes on.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pvti {

// Text that goes with an event; JSON is kept as such.
class Metadata {
public:
  enum class Format { Text, JSON }; // how the text is to be read
  Metadata() = default;
  Metadata(std::string text, Format format = Format::Text)
      : text_(std::move(text)), format_(format) {}
  const std::string &text() const { return text_; } // as it was given
  Format format() const { return format_; }         // whether it is JSON

private:
  std::string text_;
  Format format_ = Format::Text;
};
Metadata createJsonMetadata(const std::string &json); // throws std::invalid_argument if it is none

// Channels of one name are one channel.
class TraceChannel {
public:
  TraceChannel(const std::string &name, bool enabled = true); // also {"name"}
  const std::string &name() const;                            // what traces call it
  const std::string &quotedName() const;                      // as JSON
  bool isEnabled() const; // and the trace is, and PVTI_OPTIONS wants this channel
  void enable();          // Records what happens on it, if the trace is on.
  void disable();         // Records nothing more on it.

  struct State;

private:
  std::shared_ptr<State> state_;
};

extern TraceChannel traceDrivers, tracePoplar; // the channels that this library writes to itself

// Switches a channel on or off, or tells whether it is on. By name: one that nobody has yet is
// made.
void enableTraceChannel(TraceChannel *channel);
void disableTraceChannel(TraceChannel *channel);
bool checkTraceChannel(const TraceChannel *channel);
void enableTraceChannel(const std::string &name);
void disableTraceChannel(const std::string &name);
bool checkTraceChannel(const std::string &name);
std::vector<std::string> listTraceChannels(); // the names of all channels that exist

// From construction to destruction; or piece by piece. Costs a few nanoseconds when the channel is
// off, less than a microsecond when it is on.
class Tracepoint {
public:
  Tracepoint(TraceChannel *channel, const char *label);
  Tracepoint(TraceChannel *channel, const std::string &label);
  Tracepoint(TraceChannel *channel, const std::string &label, const Metadata &metadata);
  // A label that need not end in a null character; metadata may be null.
  Tracepoint(TraceChannel *channel, const char *label, std::size_t length,
             const Metadata *metadata = nullptr);
  Tracepoint(const Tracepoint &) = delete;
  Tracepoint &operator=(const Tracepoint &) = delete;
  ~Tracepoint();
  // What is known only at the end goes with the end.
  void result(const Metadata &metadata);
  bool isRecorded() const { return open_ != nullptr; } // false when the channel is off

  // Begins a piece of work by hand; end() with the same label ends it.
  static void begin(TraceChannel *channel, const std::string &label);
  static void begin(TraceChannel *channel, const std::string &label, const Metadata &metadata);
  // Ends what begin() began on this thread.
  static void end(TraceChannel *channel, const std::string &label);
  static void end(TraceChannel *channel, const std::string &label, const Metadata &metadata);
  static void event(TraceChannel *channel, const std::string &label); // A moment, without duration.
  static void event(TraceChannel *channel, const std::string &label, const Metadata &metadata);

private:
  struct Open {
    TraceChannel channel;
    std::string label;
    Metadata result = {};
  };
  std::unique_ptr<Open> open_; // none when the channel is off
};

// A line graph of numbers over time, in the same file.
class Graph {
public:
  // One line of the graph.
  class Series {
  public:
    void add(double value); // the value from now on

  private:
    friend class Graph;
    Series(std::string graph, std::string name)
        : graph_(std::move(graph)), name_(std::move(name)) {}
    std::string graph_, name_;
  };
  Graph(std::string name, std::string unit = "");
  Series addSeries(const std::string &name); // a line with this name

private:
  std::string name_;
};

// How values are spread, over time: each add() is one column of numbers of values between
// neighbouring edges. A value on an edge is in the bin above it; values beyond the edges have a bin
// on each side, and NaN has none. Edges rise and are at least two, else std::invalid_argument.
template <class T> class Heatmap {
public:
  Heatmap(std::string name, std::vector<T> edges, const std::string &unit = "");
  void add(const std::vector<T> &values); // one column: how these values are spread

private:
  std::string name_;
  std::vector<T> edges_;
};
extern template class Heatmap<double>;
extern template class Heatmap<float>;
extern template class Heatmap<std::int64_t>;
typedef Heatmap<double> HeatmapDouble;    // for values of this type
typedef Heatmap<float> HeatmapFloat;      // the same for float
typedef Heatmap<std::int64_t> HeatmapInt; // the same for whole numbers

// What the calling thread is called in traces from now on, in place of its number.
class ThreadName {
public:
  explicit ThreadName(const std::string &name);
};

// What this process is called in traces, beside its number.
class Client {
public:
  explicit Client(const std::string &name);
};

bool isTraceEnabled();                 // by PVTI_OPTIONS, whatever the channels
std::string getCurrentTraceFilename(); // empty as long as nothing is recorded
void closeTrace();                     // completes the file; later events open another

} // namespace pvti
