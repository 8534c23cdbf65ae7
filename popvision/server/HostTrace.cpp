// SPDX-License-Identifier: MIT
#include "HostTrace.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "EventScanner.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

namespace popvision {

namespace {

using nlohmann::json;

class TraceBuilder {
public:
  explicit TraceBuilder(HostTrace &trace) : trace_(trace) {}
  void add(const RawEvent &raw);
  void finish();

private:
  struct Open {
    HostThread *thread;
    std::vector<std::uint32_t> stack;
    bool unordered = false; // has events that came with their duration
  };
  // Where something that was seen before is found at once.
  struct Seen {
    std::string name, channel;
    std::uint32_t kind = 0;
    bool known = false;
  };
  Open &threadOf(const RawEvent &raw);
  Open &newThreadOf(const RawEvent &raw);
  std::uint32_t text(std::string_view content);
  std::uint32_t kind(const RawEvent &raw);
  std::uint32_t newKind(const RawEvent &raw);
  std::uint32_t details(std::string_view args);
  void begin(const RawEvent &raw, std::int64_t time);
  void end(const RawEvent &raw, std::int64_t time);
  void whole(const RawEvent &raw, std::int64_t time);
  void instant(const RawEvent &raw, std::int64_t time);
  void counter(const RawEvent &raw, std::int64_t time);
  void heatmap(const RawEvent &raw, const json &bins, std::int64_t time);
  void sortBins(HostHeatmap &map);
  void metadata(const RawEvent &raw);
  void run(const RawEvent &raw, std::int64_t process, const HostEvent &event);
  static void nest(std::vector<HostEvent> &events);

  HostTrace &trace_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<HostThread>> threads_;
  std::map<const HostThread *, Open> open_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> kinds_;
  std::array<Seen, 1024> seen_;
  std::array<Open *, 64> recent_{};
  std::map<std::pair<std::int64_t, std::string>, std::size_t> counters_, heatmaps_;
  std::map<std::int64_t, std::string> processes_;
  std::string key_;
  std::int64_t first_ = INT64_MAX, end_ = INT64_MIN;
};

TraceBuilder::Open &TraceBuilder::threadOf(const RawEvent &raw) {
  auto *&recent = recent_[std::uint64_t(raw.thread) % recent_.size()];
  if (!recent || recent->thread->process != raw.process || recent->thread->thread != raw.thread)
    recent = &newThreadOf(raw);
  return *recent;
}

TraceBuilder::Open &TraceBuilder::newThreadOf(const RawEvent &raw) {
  auto &thread = threads_[{raw.process, raw.thread}];
  if (!thread)
    thread = std::make_unique<HostThread>(HostThread{raw.process, raw.thread, "", {}});
  auto &open = open_[thread.get()];
  open.thread = thread.get();
  return open;
}

static std::uint64_t mixed(std::string_view text) {
  std::uint64_t head = 0, tail = 0;
  const auto size = std::min(text.size(), sizeof head);
  if (size == 0)
    return 0;
  std::memcpy(&head, text.data(), size);
  std::memcpy(&tail, text.data() + text.size() - size, size);
  return (head ^ tail * 31 ^ text.size() << 3) * 0x9e3779b97f4a7c15u;
}

// Few kinds of events make up a trace.
std::uint32_t TraceBuilder::kind(const RawEvent &raw) {
  auto &seen = seen_[(mixed(raw.name) ^ mixed(raw.category) >> 7) >> 54];
  if (!seen.known || seen.name != raw.name || seen.channel != raw.category)
    seen = {std::string(raw.name), std::string(raw.category), newKind(raw), true};
  return seen.kind;
}

std::uint32_t TraceBuilder::newKind(const RawEvent &raw) {
  const HostKind kind{text(raw.name), text(raw.category)};
  const auto [found, added] =
      kinds_.try_emplace({kind.name, kind.channel}, std::uint32_t(trace_.kinds.size()));
  if (added)
    trace_.kinds.push_back(kind);
  return found->second;
}

std::uint32_t TraceBuilder::text(std::string_view content) {
  key_.assign(content);
  const auto found = index_.find(key_);
  if (found != index_.end())
    return found->second;
  const auto number = std::uint32_t(trace_.texts.size());
  trace_.texts.push_back(unescape(content));
  index_.emplace(key_, number);
  return number;
}

std::uint32_t TraceBuilder::details(std::string_view args) {
  if (args.empty() || args == "{}" || !json::accept(args))
    return noDetails;
  trace_.details.emplace_back(args);
  return std::uint32_t(trace_.details.size() - 1);
}

void TraceBuilder::begin(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.stack.push_back(std::uint32_t(open.thread->events.size()));
  open.thread->events.push_back(
      {time, -2, kind(raw), std::uint32_t(open.stack.size() - 1), details(raw.args)});
}

// The innermost one, as the format says; Poplar's runs say at their end what they cost.
void TraceBuilder::end(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  if (open.stack.empty()) {
    ++trace_.unmatched;
    return;
  }
  auto &event = open.thread->events[open.stack.back()];
  open.stack.pop_back();
  event.duration = std::max<std::int64_t>(0, time - event.start);
  if (!raw.args.empty())
    event.details = details(raw.args);
  run(raw, raw.process, event);
}

void TraceBuilder::whole(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.unordered = true;
  const auto duration = std::max<std::int64_t>(0, raw.duration);
  open.thread->events.push_back({time, duration, kind(raw), 0, details(raw.args)});
  end_ = std::max(end_, time + duration);
  run(raw, raw.process, open.thread->events.back());
}

void TraceBuilder::instant(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.thread->events.push_back(
      {time, -1, kind(raw), std::uint32_t(open.stack.size()), details(raw.args)});
}

void TraceBuilder::counter(const RawEvent &raw, std::int64_t time) {
  const auto args = json::parse(raw.args, nullptr, false);
  if (!args.is_object())
    return;
  if (raw.category == "heatmap")
    return heatmap(raw, args, time);
  const auto graph = unescape(raw.name);
  for (const auto &[series, value] : args.items()) {
    if (!value.is_number())
      continue;
    const auto added =
        counters_.emplace(std::pair(raw.process, graph + '\n' + series), trace_.counters.size());
    if (added.second)
      trace_.counters.push_back({graph, series, raw.process, {}, {}});
    auto &counter = trace_.counters[added.first->second];
    counter.times.push_back(time);
    counter.values.push_back(value.get<double>());
  }
}

// "[0, 1.5)", and "inf" on either side.
static std::optional<std::pair<double, double>> binOf(const std::string &text) {
  double from = 0, to = 0;
  int end = 0;
  if (std::sscanf(text.c_str(), "[%lf, %lf)%n", &from, &to, &end) != 2 ||
      std::size_t(end) != text.size() || !(from < to))
    return std::nullopt;
  return std::pair(from, to);
}

// Bins take their places as they come, and are put in order at the end.
void TraceBuilder::heatmap(const RawEvent &raw, const json &bins, std::int64_t time) {
  const auto name = unescape(raw.name);
  const auto added = heatmaps_.emplace(std::pair(raw.process, name), trace_.heatmaps.size());
  if (added.second)
    trace_.heatmaps.push_back({name, raw.process, {}, {}, {}});
  auto &map = trace_.heatmaps[added.first->second];
  map.times.push_back(time);
  auto &column = map.counts.emplace_back(map.bins.size());
  for (const auto &[text, count] : bins.items()) {
    const auto bin = binOf(text);
    if (!bin || !count.is_number())
      continue;
    const auto at =
        std::size_t(std::find(map.bins.begin(), map.bins.end(), *bin) - map.bins.begin());
    if (at == map.bins.size())
      map.bins.push_back(*bin);
    column.resize(map.bins.size());
    column[at] = count.get<double>();
  }
}

void TraceBuilder::sortBins(HostHeatmap &map) {
  std::vector<std::size_t> order(map.bins.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return map.bins[a] < map.bins[b]; });
  const auto bins = map.bins;
  for (std::size_t i = 0; i < order.size(); ++i)
    map.bins[i] = bins[order[i]];
  for (auto &column : map.counts) {
    column.resize(order.size());
    const auto counts = column;
    for (std::size_t i = 0; i < order.size(); ++i)
      column[i] = counts[order[i]];
  }
  for (auto &time : map.times)
    time -= first_;
}

void TraceBuilder::metadata(const RawEvent &raw) {
  const auto args = json::parse(raw.args, nullptr, false);
  if (!args.is_object() || !args.contains("name") || !args["name"].is_string())
    return;
  if (raw.name == "thread_name")
    threadOf(raw).thread->name = args["name"].get<std::string>();
  else if (raw.name == "process_name")
    processes_[raw.process] = args["name"].get<std::string>();
}

void TraceBuilder::run(const RawEvent &raw, std::int64_t process, const HostEvent &event) {
  if (event.details == noDetails || raw.args.find("ipuSeconds") == std::string_view::npos)
    return;
  const auto args = json::parse(raw.args, nullptr, false);
  const auto at = "/metadata/ipuSeconds"_json_pointer;
  const double seconds =
      args.contains(at) && args.at(at).is_number() ? args.at(at).get<double>() : -1;
  if (seconds >= 0 && seconds < 1e9)
    trace_.runs.push_back({process, raw.thread, event.start, event.duration, seconds});
}

void TraceBuilder::add(const RawEvent &raw) {
  if (raw.phase == 'M')
    return metadata(raw);
  if (!raw.timed)
    return;
  const auto time = raw.time;
  ++trace_.numEvents;
  switch (raw.phase) {
  case 'B':
    begin(raw, time);
    break;
  case 'E':
    end(raw, time);
    break;
  case 'X':
    whole(raw, time);
    break;
  case 'i':
  case 'I':
    instant(raw, time);
    break;
  case 'C':
    counter(raw, time);
    break;
  default: // flows, samples, asynchronous events
    --trace_.numEvents;
    return;
  }
  first_ = std::min(first_, time);
  end_ = std::max(end_, time);
}

// Sorts events that came in any order and works out which lies within which.
void TraceBuilder::nest(std::vector<HostEvent> &events) {
  std::stable_sort(events.begin(), events.end(), [](const HostEvent &a, const HostEvent &b) {
    return a.start != b.start ? a.start < b.start : a.duration > b.duration;
  });
  std::vector<std::int64_t> ends;
  for (auto &event : events) {
    while (!ends.empty() && ends.back() <= event.start)
      ends.pop_back();
    event.depth = std::uint32_t(ends.size());
    if (event.duration > 0)
      ends.push_back(event.start + event.duration);
  }
}

void TraceBuilder::finish() {
  if (first_ > end_)
    first_ = end_ = 0;
  trace_.begin = first_;
  trace_.end = end_;
  for (auto &[key, thread] : threads_) {
    for (auto &event : thread->events) {
      if (event.duration == -2) // still open when the file ended
        event.duration = end_ - event.start;
      event.start -= first_;
    }
    if (open_[thread.get()].unordered)
      nest(thread->events);
    trace_.threads.push_back(std::move(*thread));
  }
  for (auto &counter : trace_.counters)
    for (auto &time : counter.times)
      time -= first_;
  for (auto &map : trace_.heatmaps)
    sortBins(map);
  for (auto &run : trace_.runs)
    run.start -= first_;
  for (const auto &[process, name] : processes_)
    trace_.processNames.push_back(base::str(process, " ", name));
}

// The text of a trace, piece by piece. It is read, not mapped: a program that ends cuts its file to
// what it wrote, and who looks at a page of a mapping that is gone is ended.
class Pieces {
public:
  Pieces(const std::string &path, std::size_t bytes)
      : path_(path), piece_(bytes), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    struct stat info {};
    if (!file_ || ::fstat(file_.get(), &info) != 0)
      fail();
    if (!S_ISREG(info.st_mode))
      throw std::runtime_error(base::str("\"", path, "\" is not a trace: it is no file."));
    more();
  }
  std::string_view text() const { return {room_.data() + done_, size_ - done_}; }
  void done(std::size_t bytes) { done_ += bytes; }
  // Adds to the text. False: there is no more, or an event is so long that it is none.
  bool more() {
    constexpr std::size_t longest = 64 << 20;
    if (size_ - done_ > longest)
      return false;
    std::copy(room_.begin() + std::ptrdiff_t(done_), room_.begin() + std::ptrdiff_t(size_),
              room_.begin());
    size_ -= std::exchange(done_, 0);
    room_.resize(std::max(room_.size(), size_ + piece_));
    ssize_t count = 0;
    while ((count = ::read(file_.get(), room_.data() + size_, piece_)) < 0)
      if (errno != EINTR)
        fail();
    size_ += std::size_t(count);
    return count > 0;
  }

private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(
        base::str("Cannot read trace \"", path_, "\": ", std::strerror(errno), "."));
  }
  std::string path_;
  std::size_t piece_;
  base::Descriptor file_;
  std::vector<char> room_;
  std::size_t done_ = 0, size_ = 0;
};

[[noreturn]] void refuse(const std::string &path, std::string_view text) {
  const bool empty = text.empty();
  if (text.starts_with("SQLite format 3"))
    throw std::runtime_error(base::str(
        "\"", path,
        "\" is a database: a .pvti file of the vendor's tools, whose tables are not "
        "published. Record it again with the libpvti of this SDK, which writes trace events, or "
        "export it as a Chrome trace."));
  throw std::runtime_error(base::str(
      "\"", path, "\" is not a trace: it ", empty ? "is empty. " : "is no list of trace events. ",
      "Give a file that a program with PVTI_OPTIONS wrote, or one of Chrome."));
}

// All events of the text; how far they go.
std::size_t scan(EventScanner &scanner, TraceBuilder &builder) {
  auto done = scanner.position();
  for (RawEvent raw; scanner.next(raw); done = scanner.position())
    builder.add(raw);
  return done;
}

} // namespace

std::shared_ptr<const HostTrace> parseHostTrace(std::string_view text, const std::string &path) {
  auto trace = std::make_shared<HostTrace>();
  trace->path = path;
  EventScanner scanner(text);
  if (!scanner.begin())
    refuse(path, text);
  TraceBuilder builder(*trace);
  scan(scanner, builder);
  builder.finish();
  trace->complete = scanner.complete();
  return trace;
}

std::shared_ptr<const HostTrace> readHostTrace(const std::string &path, std::size_t pieceBytes) {
  Pieces pieces(path, pieceBytes);
  auto trace = std::make_shared<HostTrace>();
  trace->path = path;
  EventScanner first(pieces.text());
  if (!first.begin())
    refuse(path, pieces.text());
  pieces.done(first.position());
  TraceBuilder builder(*trace);
  for (bool more = true; more;) {
    EventScanner scanner(pieces.text());
    pieces.done(scan(scanner, builder));
    trace->complete = scanner.complete();
    more = scanner.ranOut() && pieces.more();
  }
  builder.finish();
  return trace;
}

} // namespace popvision
