// SPDX-License-Identifier: MIT
// One file per process, one event per line, written as they come: what a program that was killed
// leaves behind lacks only the closing bracket, which readers of the format do not need. An event
// costs a few hundred nanoseconds: its line is put together in the thread's own room and copied
// into a mapping of the file under a lock.
#include "base/Fork.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "pvti/pvti.hpp"
#include "TraceFile.hpp"
#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <unistd.h>

namespace pvti {

struct TraceChannel::State {
  State(std::string text, bool on)
      : name(std::move(text)),
        quoted(nlohmann::json(name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)),
        enabled(on) {}
  const std::string name, quoted; // quoted: as JSON
  std::atomic<bool> enabled;
  std::atomic<signed char> wanted{-1}; // by PVTI_OPTIONS; -1: not looked up yet
};

namespace {

using nlohmann::json;

struct Options {
  bool enable = false;
  std::string directory = ".";
  std::set<std::string> channels; // none: all
};

bool truth(const json &value) {
  if (value == true || value == "true")
    return true;
  if (value == false || value == "false")
    return false;
  throw std::invalid_argument("\"enable\" is true or false");
}

Options parsed(const std::string &text) {
  Options options;
  const auto all = json::parse(text);
  if (!all.is_object())
    throw std::invalid_argument("options are a JSON object");
  for (const auto &[key, value] : all.items()) {
    if (key == "enable")
      options.enable = truth(value);
    else if (key == "directory")
      options.directory = value.get<std::string>();
    else if (key == "channels")
      options.channels = value.get<std::set<std::string>>();
    else
      throw std::invalid_argument(
          base::str("there is no option \"", key, "\", only enable, directory and channels"));
  }
  return options;
}

Options fromEnvironment() {
  const char *text = std::getenv("PVTI_OPTIONS");
  if (!text || !*text)
    return {};
  try {
    return parsed(text);
  } catch (const std::exception &e) {
    throw std::runtime_error(base::str("PVTI_OPTIONS=", text, ": ", e.what(), "."));
  }
}

std::int64_t nanoseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string fileName(unsigned number) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%a_%b_%d_%H_%M_%S_%Y_UTC", &parts);
  return base::str(text, "_", ::getpid(), number ? base::str("_", number) : "", ".pvti");
}

// A line in the making. Numbers and the usual labels need no JSON library.
class Line {
public:
  explicit Line(std::string &room) : text_(room) { text_.clear(); }
  Line &operator<<(std::string_view part) {
    text_ += part;
    return *this;
  }
  Line &operator<<(std::int64_t value) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, std::size_t(end - digits));
    return *this;
  }
  Line &quote(std::string_view label) {
    for (const char c : label)
      if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) // also what is not ASCII
        return *this << json(label).dump(-1, ' ', false, json::error_handler_t::replace);
    return *this << "\"" << label << "\"";
  }
  Line &time(std::int64_t nanoseconds) { // microseconds with three digits
    *this << nanoseconds / 1000;
    const auto rest = nanoseconds % 1000;
    const char digits[] = {'.', char('0' + rest / 100), char('0' + rest / 10 % 10),
                           char('0' + rest % 10)};
    return *this << std::string_view(digits, sizeof digits);
  }

private:
  std::string &text_;
};

// Which process and thread this is, asked once and again after a fork.
struct Whoami {
  unsigned generation = ~0u;
  std::int64_t process = 0, thread = 0;
  std::string name = {};  // ThreadName; stays after a fork
  unsigned namedIn = ~0u; // the file that has it
};
Whoami &whoami() {
  thread_local Whoami me;
  if (me.generation != base::forkGeneration()) {
    me.generation = base::forkGeneration();
    me.process = ::getpid();
    me.thread = ::gettid();
  }
  return me;
}

class Trace {
public:
  Trace() : options_(fromEnvironment()) {}

  bool wants(const std::string &channel) const {
    return options_.enable && (options_.channels.empty() || options_.channels.count(channel));
  }
  bool enabled() const { return options_.enable; }

  // rest: further members, each with a comma before it.
  void write(char phase, std::string_view quotedChannel, std::string_view label,
             std::string_view rest) {
    thread_local std::string room;
    auto &me = whoami();
    Line line(room);
    line << ",\n{\"ph\":\"" << std::string_view(&phase, 1) << "\",\"name\":";
    line.quote(label);
    if (!quotedChannel.empty())
      line << ",\"cat\":" << quotedChannel;
    line << ",\"pid\":" << me.process << ",\"tid\":" << me.thread << rest << ",\"ts\":";
    std::lock_guard<base::ForkMutex> lock(mutex_);
    if (ended_)
      return;
    const auto now = nanoseconds(); // under the lock: events stand in the order of their times
    line.time(now) << "}";
    if (!out_ || me.generation != generation_)
      open();
    if (!me.name.empty() && me.namedIn != files_) {
      appendName("thread_name", me.name);
      me.namedIn = files_;
    }
    room.front() = first_ ? '[' : ',';
    append(room);
    first_ = false;
  }
  void close() {
    std::lock_guard<base::ForkMutex> lock(mutex_);
    if (!out_)
      return;
    if (generation_ == base::forkGeneration())
      append("\n]\n");
    else
      out_->forget();
    out_.reset();
  }
  void end() { // what is destroyed after this leaves no marks
    close();
    std::lock_guard<base::ForkMutex> lock(mutex_);
    ended_ = true;
  }
  void nameProcess(const std::string &name) {
    std::lock_guard<base::ForkMutex> lock(mutex_);
    processName_ = name;
    if (out_ && !ended_ && generation_ == base::forkGeneration())
      appendName("process_name", name);
  }
  std::string name() {
    std::lock_guard<base::ForkMutex> lock(mutex_);
    return out_ && generation_ == base::forkGeneration() ? out_->path() : std::string();
  }

private:
  void open() {
    if (out_)
      out_->forget(); // a child does not write on in its parent's file
    const auto name = options_.directory + "/" + fileName(files_);
    base::makeFolderOf(name);
    out_ = std::make_unique<TraceFile>(name);
    generation_ = base::forkGeneration();
    ++files_;
    first_ = true;
    if (!processName_.empty())
      appendName("process_name", processName_);
  }
  void appendName(const char *what, const std::string &name) {
    const auto &me = whoami();
    std::string text;
    Line line(text);
    line << (first_ ? "[" : ",") << "\n{\"ph\":\"M\",\"name\":\"" << what
         << "\",\"pid\":" << me.process << ",\"tid\":" << me.thread << ",\"args\":{\"name\":";
    line.quote(name) << "}}";
    append(text);
    first_ = false;
  }
  // A day of training is not lost because there is no room for its trace.
  void append(std::string_view text) {
    try {
      out_->append(text);
    } catch (const std::exception &problem) {
      ended_ = true;
      base::sayOnce(base::str(problem.what(), " It ends here."));
    }
  }
  const Options options_;
  base::ForkMutex mutex_;
  std::unique_ptr<TraceFile> out_;
  std::string processName_; // Client
  unsigned files_ = 0, generation_ = 0;
  bool first_ = true, ended_ = false;
};

// It stays until the process is gone: engines in global variables end after it is completed.
Trace &trace() {
  static Trace *const instance = [] {
    auto *made = new Trace;
    std::atexit([] { trace().end(); });
    return made;
  }();
  return *instance;
}

// Channels of all translation units, by name.
struct Channels {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<TraceChannel::State>> byName;
  std::shared_ptr<TraceChannel::State> get(const std::string &name, bool enabled) {
    std::lock_guard<std::mutex> lock(mutex);
    auto &state = byName[name];
    if (!state)
      state = std::make_shared<TraceChannel::State>(name, enabled);
    return state;
  }
};
Channels &channels() {
  static auto *const instance = new Channels; // stays, as the trace does
  return *instance;
}

void record(const TraceChannel *channel, char phase, std::string_view label,
            const Metadata &metadata) {
  if (!channel || !channel->isEnabled())
    return;
  std::string rest;
  if (phase == 'i')
    rest = ",\"s\":\"t\""; // an instant of this thread
  if (!metadata.text().empty()) {
    const bool isJson = metadata.format() == Metadata::Format::JSON;
    rest += ",\"args\":{\"metadata\":" +
            (isJson ? json::parse(metadata.text()) : json(metadata.text()))
                .dump(-1, ' ', false, json::error_handler_t::replace) +
            "}";
  }
  trace().write(phase, channel->quotedName(), label, rest);
}

} // namespace

Metadata createJsonMetadata(const std::string &text) {
  if (!json::accept(text))
    throw std::invalid_argument("createJsonMetadata: this is no JSON: " + text);
  return Metadata(text, Metadata::Format::JSON);
}

TraceChannel::TraceChannel(const std::string &name, bool enabled)
    : state_(channels().get(name, enabled)) {}
const std::string &TraceChannel::name() const { return state_->name; }
const std::string &TraceChannel::quotedName() const { return state_->quoted; }
bool TraceChannel::isEnabled() const {
  if (!state_->enabled.load(std::memory_order_relaxed))
    return false;
  auto wanted = state_->wanted.load(std::memory_order_relaxed);
  if (wanted < 0)
    state_->wanted = wanted = trace().wants(state_->name);
  return wanted;
}
void TraceChannel::enable() { state_->enabled = true; }
void TraceChannel::disable() { state_->enabled = false; }

TraceChannel traceDrivers("drivers"), tracePoplar("poplar");

void enableTraceChannel(TraceChannel *channel) { channel->enable(); }
void disableTraceChannel(TraceChannel *channel) { channel->disable(); }
bool checkTraceChannel(const TraceChannel *channel) { return channel->isEnabled(); }
void enableTraceChannel(const std::string &name) { TraceChannel(name).enable(); }
void disableTraceChannel(const std::string &name) { TraceChannel(name).disable(); }
bool checkTraceChannel(const std::string &name) { return TraceChannel(name).isEnabled(); }
std::vector<std::string> listTraceChannels() {
  auto &all = channels();
  std::lock_guard<std::mutex> lock(all.mutex);
  std::vector<std::string> names;
  for (const auto &entry : all.byName)
    names.push_back(entry.first);
  return names;
}

Tracepoint::Tracepoint(TraceChannel *channel, const char *label) {
  if (channel && channel->isEnabled()) {
    record(channel, 'B', label, Metadata());
    open_ = std::make_unique<Open>(Open{*channel, label});
  }
}
Tracepoint::Tracepoint(TraceChannel *channel, const std::string &label)
    : Tracepoint(channel, label.c_str()) {}
Tracepoint::Tracepoint(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  if (channel && channel->isEnabled()) {
    record(channel, 'B', label, metadata);
    open_ = std::make_unique<Open>(Open{*channel, label});
  }
}
Tracepoint::Tracepoint(TraceChannel *channel, const char *label, std::size_t length,
                       const Metadata *metadata)
    : Tracepoint(channel, std::string(label, length), metadata ? *metadata : Metadata()) {}
Tracepoint::~Tracepoint() {
  if (!open_)
    return;
  try {
    record(&open_->channel, 'E', open_->label, open_->result);
  } catch (...) { // a trace that cannot be written is no reason to end the program
  }
}
void Tracepoint::result(const Metadata &metadata) {
  if (open_)
    open_->result = metadata;
}
void Tracepoint::begin(TraceChannel *channel, const std::string &label) {
  begin(channel, label, Metadata());
}
void Tracepoint::begin(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, 'B', label, metadata);
}
void Tracepoint::end(TraceChannel *channel, const std::string &label) {
  end(channel, label, Metadata());
}
void Tracepoint::end(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, 'E', label, metadata);
}
void Tracepoint::event(TraceChannel *channel, const std::string &label) {
  event(channel, label, Metadata());
}
void Tracepoint::event(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, 'i', label, metadata);
}

Graph::Graph(std::string name, std::string unit)
    : name_(unit.empty() ? std::move(name) : base::str(name, " [", unit, "]")) {}
Graph::Series Graph::addSeries(const std::string &name) { return Series(name_, name); }
void Graph::Series::add(double value) {
  if (trace().enabled())
    trace().write('C', "", graph_, ",\"args\":" + json{{name_, value}}.dump());
}

template <class T>
Heatmap<T>::Heatmap(std::string name, std::vector<T> edges, const std::string &unit)
    : name_(unit.empty() ? std::move(name) : base::str(name, " [", unit, "]")),
      edges_(std::move(edges)) {
  bool rising = edges_.size() >= 2;
  for (std::size_t i = 0; i < edges_.size(); ++i)
    rising = rising && std::isfinite(double(edges_[i])) && (i == 0 || edges_[i - 1] < edges_[i]);
  if (!rising)
    throw std::invalid_argument(
        base::str("Heatmap \"", name_, "\": edges are at least two numbers, each above the last."));
}
// Bins are the series of a counter, named by their edges, which any reader of the format can draw.
template <class T> void Heatmap<T>::add(const std::vector<T> &values) {
  if (!trace().enabled())
    return;
  std::vector<std::uint64_t> counts(edges_.size() + 1); // below, the bins, above
  for (const auto value : values)
    if (value == value) // NaN is in no bin
      ++counts[std::size_t(std::upper_bound(edges_.begin(), edges_.end(), value) - edges_.begin())];
  const auto edge = [&](std::size_t i) { return json(edges_[i]).dump(); };
  std::string bins;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool below = i == 0, above = i == edges_.size();
    if ((below || above) && !counts[i])
      continue;
    bins += base::str(bins.empty() ? "" : ",", "\"[", below ? "-inf" : edge(i - 1), ", ",
                      above ? "inf" : edge(i), ")\":", counts[i]);
  }
  trace().write('C', "\"heatmap\"", name_, ",\"args\":{" + bins + "}");
}
template class Heatmap<double>;
template class Heatmap<float>;
template class Heatmap<std::int64_t>;

ThreadName::ThreadName(const std::string &name) {
  auto &me = whoami();
  me.name = name;
  me.namedIn = ~0u;
}
Client::Client(const std::string &name) {
  if (trace().enabled())
    trace().nameProcess(name);
}

bool isTraceEnabled() { return trace().enabled(); }
std::string getCurrentTraceFilename() { return trace().name(); }
void closeTrace() { trace().close(); }

} // namespace pvti
