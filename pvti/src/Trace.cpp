// SPDX-License-Identifier: MIT
// One file per process, one event per line, written as they come: what a program that was killed
// leaves behind lacks only the closing bracket, which readers of the format do not need.
#include "base/DescriptorStream.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "pvti/pvti.hpp"
#include <atomic>
#include <chrono>
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
  State(std::string text, bool on) : name(std::move(text)), enabled(on) {}
  const std::string name;
  std::atomic<bool> enabled;
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

std::int64_t microseconds() {
  using namespace std::chrono;
  return duration_cast<std::chrono::microseconds>(steady_clock::now().time_since_epoch()).count();
}

std::string fileName(unsigned number) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  std::strftime(text, sizeof text, "%a_%b_%d_%H_%M_%S_%Y_UTC", &parts);
  return base::str(text, "_", ::getpid(), number ? base::str("_", number) : "", ".pvti.json");
}

class Trace {
public:
  Trace() : options_(fromEnvironment()) {}
  ~Trace() { close(); }

  bool wants(const std::string &channel) const {
    return options_.enable && (options_.channels.empty() || options_.channels.count(channel));
  }
  bool enabled() const { return options_.enable; }

  void write(json event) {
    event["pid"] = ::getpid();
    event["tid"] = ::gettid();
    event["ts"] = microseconds();
    const auto line = event.dump(-1, ' ', false, json::error_handler_t::replace);
    std::lock_guard<std::mutex> lock(mutex_);
    if (!out_)
      open();
    *out_ << separator_ << line << std::flush;
    separator_ = ",\n";
  }
  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!out_)
      return;
    *out_ << "\n]\n" << std::flush;
    out_.reset();
    file_ = base::Descriptor();
    name_.clear();
  }
  std::string name() {
    std::lock_guard<std::mutex> lock(mutex_);
    return name_;
  }

private:
  void open() {
    const auto name = options_.directory + "/" + fileName(files_);
    base::makeFolderOf(name);
    file_ = base::openInPlace(name, base::Begin::Anew);
    out_ = std::make_unique<base::DescriptorStream>(file_.get());
    ++files_;
    name_ = name;
    separator_ = "[\n";
  }
  const Options options_;
  std::mutex mutex_;
  base::Descriptor file_;
  std::unique_ptr<base::DescriptorStream> out_;
  std::string name_;
  const char *separator_ = "";
  unsigned files_ = 0;
};

Trace &trace() {
  static Trace instance;
  return instance;
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
  static Channels instance;
  return instance;
}

void record(const TraceChannel *channel, const char *phase, const std::string &label,
            const Metadata &metadata) {
  if (!channel || !channel->isEnabled())
    return;
  json event{{"ph", phase}, {"cat", channel->name()}, {"name", label}};
  if (*phase == 'i')
    event["s"] = "t"; // an instant of this thread
  if (!metadata.text().empty())
    event["args"]["metadata"] = metadata.format() == Metadata::Format::JSON
                                    ? json::parse(metadata.text())
                                    : json(metadata.text());
  trace().write(std::move(event));
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
bool TraceChannel::isEnabled() const { return state_->enabled && trace().wants(state_->name); }
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

Tracepoint::Tracepoint(TraceChannel *channel, const std::string &label)
    : Tracepoint(channel, label, Metadata()) {}
Tracepoint::Tracepoint(TraceChannel *channel, const std::string &label, const Metadata &metadata)
    : channel_(*channel), label_(label) {
  begin(&channel_, label_, metadata);
}
Tracepoint::~Tracepoint() {
  try {
    end(&channel_, label_);
  } catch (...) { // a trace that cannot be written is no reason to end the program
  }
}
void Tracepoint::begin(TraceChannel *channel, const std::string &label) {
  begin(channel, label, Metadata());
}
void Tracepoint::begin(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, "B", label, metadata);
}
void Tracepoint::end(TraceChannel *channel, const std::string &label) {
  end(channel, label, Metadata());
}
void Tracepoint::end(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, "E", label, metadata);
}
void Tracepoint::event(TraceChannel *channel, const std::string &label) {
  event(channel, label, Metadata());
}
void Tracepoint::event(TraceChannel *channel, const std::string &label, const Metadata &metadata) {
  record(channel, "i", label, metadata);
}

Graph::Graph(std::string name, std::string unit)
    : name_(unit.empty() ? std::move(name) : base::str(name, " [", unit, "]")) {}
Graph::Series Graph::addSeries(const std::string &name) { return Series(name_, name); }
void Graph::Series::add(double value) {
  if (trace().enabled())
    trace().write(json{{"ph", "C"}, {"name", graph_}, {"args", {{name_, value}}}});
}

std::string getCurrentTraceFilename() { return trace().name(); }
void closeTrace() { trace().close(); }

} // namespace pvti
