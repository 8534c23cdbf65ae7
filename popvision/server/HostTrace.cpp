// SPDX-License-Identifier: MIT
#include "HostTrace.hpp"
#include "base/Text.hpp"
#include "EventScanner.hpp"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <unordered_map>

namespace popvision {

namespace {

using nlohmann::json;

class Builder {
public:
  explicit Builder(HostTrace &trace) : trace_(trace) {}
  void add(const RawEvent &raw);
  void finish();

private:
  struct Open {
    HostThread *thread;
    std::vector<std::uint32_t> stack;
    bool unordered = false; // has events that came with their duration
  };
  Open &threadOf(const RawEvent &raw);
  std::uint32_t text(std::string_view content);
  std::uint32_t details(std::string_view args);
  void begin(const RawEvent &raw, std::int64_t time);
  void end(const RawEvent &raw, std::int64_t time);
  void whole(const RawEvent &raw, std::int64_t time);
  void instant(const RawEvent &raw, std::int64_t time);
  void counter(const RawEvent &raw, std::int64_t time);
  void metadata(const RawEvent &raw);
  void run(const RawEvent &raw, std::int64_t process, const HostEvent &event);
  static void nest(std::vector<HostEvent> &events);

  HostTrace &trace_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<HostThread>> threads_;
  std::map<const HostThread *, Open> open_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::map<std::pair<std::int64_t, std::string>, std::size_t> counters_;
  std::map<std::int64_t, std::string> processes_;
  std::string key_;
  Open *last_ = nullptr;
  std::int64_t first_ = INT64_MAX, end_ = INT64_MIN;
};

Builder::Open &Builder::threadOf(const RawEvent &raw) {
  if (last_ && last_->thread->process == raw.process && last_->thread->thread == raw.thread)
    return *last_;
  auto &thread = threads_[{raw.process, raw.thread}];
  if (!thread)
    thread = std::make_unique<HostThread>(HostThread{raw.process, raw.thread, "", {}});
  last_ = &open_[thread.get()];
  last_->thread = thread.get();
  return *last_;
}

std::uint32_t Builder::text(std::string_view content) {
  key_.assign(content);
  const auto found = index_.find(key_);
  if (found != index_.end())
    return found->second;
  const auto number = std::uint32_t(trace_.texts.size());
  trace_.texts.push_back(unescape(content));
  index_.emplace(key_, number);
  return number;
}

std::uint32_t Builder::details(std::string_view args) {
  if (args.empty() || args == "{}" || !json::accept(args))
    return noDetails;
  trace_.details.emplace_back(args);
  return std::uint32_t(trace_.details.size() - 1);
}

void Builder::begin(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.stack.push_back(std::uint32_t(open.thread->events.size()));
  open.thread->events.push_back({time, -2, text(raw.name), text(raw.category),
                                 std::uint32_t(open.stack.size() - 1), details(raw.args)});
}

// The innermost one, as the format says; Poplar's runs say at their end what they cost.
void Builder::end(const RawEvent &raw, std::int64_t time) {
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

void Builder::whole(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.unordered = true;
  const auto duration = std::int64_t(std::max(0.0, raw.duration) * 1000);
  open.thread->events.push_back(
      {time, duration, text(raw.name), text(raw.category), 0, details(raw.args)});
  end_ = std::max(end_, time + duration);
  run(raw, raw.process, open.thread->events.back());
}

void Builder::instant(const RawEvent &raw, std::int64_t time) {
  auto &open = threadOf(raw);
  open.thread->events.push_back({time, -1, text(raw.name), text(raw.category),
                                 std::uint32_t(open.stack.size()), details(raw.args)});
}

void Builder::counter(const RawEvent &raw, std::int64_t time) {
  const auto args = json::parse(raw.args, nullptr, false);
  if (!args.is_object())
    return;
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

void Builder::metadata(const RawEvent &raw) {
  const auto args = json::parse(raw.args, nullptr, false);
  if (!args.is_object() || !args.contains("name") || !args["name"].is_string())
    return;
  if (raw.name == "thread_name")
    threadOf(raw).thread->name = args["name"].get<std::string>();
  else if (raw.name == "process_name")
    processes_[raw.process] = args["name"].get<std::string>();
}

void Builder::run(const RawEvent &raw, std::int64_t process, const HostEvent &event) {
  if (event.details == noDetails || raw.args.find("ipuSeconds") == std::string_view::npos)
    return;
  const auto args = json::parse(raw.args, nullptr, false);
  const auto at = "/metadata/ipuSeconds"_json_pointer;
  const double seconds =
      args.contains(at) && args.at(at).is_number() ? args.at(at).get<double>() : -1;
  if (seconds >= 0 && seconds < 1e9)
    trace_.runs.push_back({process, event.start, event.duration, seconds});
}

void Builder::add(const RawEvent &raw) {
  if (raw.phase == 'M')
    return metadata(raw);
  if (!raw.timed)
    return;
  const auto time = std::int64_t(std::llround(raw.timestamp * 1000));
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
void Builder::nest(std::vector<HostEvent> &events) {
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

void Builder::finish() {
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
  for (auto &run : trace_.runs)
    run.start -= first_;
  for (const auto &[process, name] : processes_)
    trace_.processNames.push_back(base::str(process, " ", name));
}

struct Mapping {
  Mapping(const std::string &path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat info {};
    if (file < 0 || ::fstat(file, &info) != 0) {
      const int error = errno;
      if (file >= 0)
        ::close(file);
      throw std::runtime_error(
          base::str("Cannot read trace \"", path, "\": ", std::strerror(error), "."));
    }
    size = std::size_t(info.st_size);
    if (S_ISREG(info.st_mode) && size)
      data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    ::close(file);
    if (data == MAP_FAILED || !data)
      throw std::runtime_error(base::str("\"", path, "\" is not a trace: it ",
                                         size ? "cannot be mapped" : "is empty", "."));
  }
  ~Mapping() { ::munmap(data, size); }
  void *data = nullptr;
  std::size_t size = 0;
};

constexpr std::size_t piece =
    16 << 20; // what has been read is given back to the system in such pieces

std::shared_ptr<const HostTrace> parse(std::string_view text, const std::string &path,
                                       Mapping *mapping) {
  auto trace = std::make_shared<HostTrace>();
  trace->path = path;
  EventScanner scanner(text);
  if (!scanner.begin())
    throw std::runtime_error(
        base::str("\"", path, "\" is not a trace: it is no list of trace events. ",
                  "Give a file that a program with PVTI_OPTIONS wrote, or one of Chrome."));
  Builder builder(*trace);
  std::size_t given = 0;
  for (RawEvent raw; scanner.next(raw);) {
    builder.add(raw);
    if (mapping && scanner.position() - given > 2 * piece) {
      ::madvise(static_cast<char *>(mapping->data) + given, piece, MADV_DONTNEED);
      given += piece;
    }
  }
  builder.finish();
  trace->complete = scanner.complete();
  return trace;
}

} // namespace

std::shared_ptr<const HostTrace> parseHostTrace(std::string_view text, const std::string &path) {
  return parse(text, path, nullptr);
}

std::shared_ptr<const HostTrace> readHostTrace(const std::string &path) {
  Mapping mapping(path);
  return parse({static_cast<const char *>(mapping.data), mapping.size}, path, &mapping);
}

} // namespace popvision
