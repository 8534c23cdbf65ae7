// SPDX-License-Identifier: MIT
#include "HostViews.hpp"
#include "Views.hpp"
#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>

namespace popvision {

namespace {

constexpr std::uint64_t fewEvents = 200'000; // the page takes these whole

std::int64_t begin(const HostTraces &traces) {
  std::int64_t first = INT64_MAX;
  for (const auto &trace : traces)
    first = std::min(first, trace->begin);
  return traces.empty() ? 0 : first;
}

std::uint64_t numEvents(const HostTraces &traces) {
  std::uint64_t sum = 0;
  for (const auto &trace : traces)
    sum += trace->numEvents;
  return sum;
}

// visit(file, offset of the file on the common axis, thread)
template <class Visit> void eachThread(const HostTraces &traces, Visit visit) {
  const auto first = begin(traces);
  for (std::size_t file = 0; file < traces.size(); ++file)
    for (const auto &thread : traces[file]->threads)
      visit(file, traces[file]->begin - first, thread);
}

// One text table for all files.
class Texts {
public:
  explicit Texts(const HostTraces &traces) {
    for (const auto &trace : traces) {
      std::vector<std::size_t> file;
      for (const auto &text : trace->texts) {
        const auto added = index_.emplace(text, all.size());
        if (added.second)
          all.push_back(text);
        file.push_back(added.first->second);
      }
      byFile_.push_back(std::move(file));
    }
  }
  std::size_t operator()(std::size_t file, std::uint32_t text) const { return byFile_[file][text]; }
  std::vector<std::string> all;

private:
  std::map<std::string, std::size_t> index_;
  std::vector<std::vector<std::size_t>> byFile_;
};

struct Shown {
  std::int64_t start, duration;
  std::size_t name, channel;
  std::uint32_t depth, count, details;
};

// What is narrower than a pixel is one with its neighbours at the same depth.
std::vector<Shown> merged(const HostTrace &trace, const HostThread &thread, std::size_t file,
                          const Texts &texts, std::int64_t from, std::int64_t to,
                          std::int64_t pixel) {
  std::vector<Shown> shown;
  std::vector<std::size_t> last; // by depth: the crowd that may take more
  for (const auto &event : thread.events) {
    const auto length = std::max<std::int64_t>(0, event.duration);
    if (event.start > to)
      break;
    if (event.start + length < from)
      continue;
    if (last.size() <= event.depth)
      last.resize(std::min<std::size_t>(event.depth, 10'000) + 1, SIZE_MAX);
    auto &crowd = last[std::min<std::size_t>(event.depth, last.size() - 1)];
    if (pixel > 0 && length < pixel && crowd != SIZE_MAX &&
        event.start / pixel == shown[crowd].start / pixel) {
      auto &into = shown[crowd];
      into.duration = std::max(into.duration, event.start + length - into.start);
      ++into.count;
      into.details = noDetails;
      continue;
    }
    crowd = pixel > 0 && length < pixel ? shown.size() : SIZE_MAX;
    const auto &kind = trace.kinds[event.kind];
    shown.push_back({event.start, event.duration, texts(file, kind.name), texts(file, kind.channel),
                     event.depth, 1, event.details});
  }
  return shown;
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", 100 * share);
  return text;
}

std::string seconds(double value) {
  char text[32];
  if (value < 1e-3)
    std::snprintf(text, sizeof text, "%.1f us", value * 1e6);
  else if (value < 1)
    std::snprintf(text, sizeof text, "%.2f ms", value * 1e3);
  else
    std::snprintf(text, sizeof text, "%.2f s", value);
  return text;
}

std::string sentence(const view::Verdict &v) {
  if (!v.runs)
    return "No run of an IPU in these traces: nothing to say about who waits.";
  const bool host = hostSeconds(v) > v.ipu;
  const double least = std::max(hostSeconds(v), v.ipu);
  return (host ? "Host-bound: " : "IPU-bound: ") +
         ("between runs and for streams the host works " + seconds(hostSeconds(v)) +
          ", and the modelled IPU takes " + seconds(v.ipu) + " for " + std::to_string(v.runs) +
          (v.runs == 1 ? " run" : " runs") +
          ". Even with everything overlapped the IPU would be busy " +
          percent(least > 0 ? v.ipu / least : 0) + " of the time.") +
         (host ? " Use more loader processes, larger batches or more device iterations."
               : " The host keeps up.");
}

// JSON has no infinity; the page shows edges as they are written.
std::string edge(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// What lies directly within runs, on their threads.
std::int64_t callbacksOf(const HostTraces &traces) {
  std::int64_t sum = 0;
  for (const auto &trace : traces)
    for (const auto &run : trace->runs)
      for (const auto &thread : trace->threads) {
        if (thread.process != run.process || thread.thread != run.thread)
          continue;
        auto at = std::lower_bound(
            thread.events.begin(), thread.events.end(), run.start,
            [](const HostEvent &event, std::int64_t start) { return event.start < start; });
        while (at != thread.events.end() && at->start == run.start && at->duration != run.duration)
          ++at; // what begins with it, around it
        if (at == thread.events.end())
          continue;
        const auto depth = at->depth + 1;
        for (++at; at != thread.events.end() && at->start < run.start + run.duration; ++at)
          sum += at->depth == depth ? std::max<std::int64_t>(0, at->duration) : 0;
      }
  return sum;
}

using Spans = std::map<std::int64_t, std::pair<std::int64_t, std::int64_t>>; // by process

std::int64_t reportsWithin(const HostTraces &traces, const Spans &spans) {
  std::int64_t sum = 0;
  for (const auto &trace : traces)
    for (const auto &thread : trace->threads) {
      const auto span = spans.find(thread.process);
      if (span == spans.end())
        continue;
      std::vector<bool> writes;
      for (const auto &kind : trace->kinds)
        writes.push_back(trace->texts[kind.name] == "write report" &&
                         trace->texts[kind.channel] == "poplar");
      for (const auto &event : thread.events)
        if (writes[event.kind] && trace->begin + event.start >= span->second.first &&
            trace->begin + event.start < span->second.second)
          sum += std::max<std::int64_t>(0, event.duration);
    }
  return sum;
}

} // namespace

view::Verdict verdict(const HostTraces &traces) {
  view::Verdict v;
  Spans spans;
  for (const auto &trace : traces)
    for (const auto &run : trace->runs) {
      ++v.runs;
      v.simulated += double(run.duration) / 1e9;
      v.ipu += run.ipuSeconds;
      const auto start = trace->begin + run.start;
      auto &span = spans.try_emplace(run.process, start, start).first->second;
      span.first = std::min(span.first, start);
      span.second = std::max(span.second, start + run.duration);
    }
  for (const auto &[process, span] : spans)
    v.span += double(span.second - span.first) / 1e9;
  v.callbacks = double(callbacksOf(traces)) / 1e9;
  v.reports = double(reportsWithin(traces, spans)) / 1e9;
  v.between = std::max(0.0, v.span - v.simulated - v.reports);
  v.simulated = std::max(0.0, v.simulated - v.callbacks);
  v.text = sentence(v);
  return v;
}

namespace {

view::HostThread shown(std::size_t file, const HostThread &thread) {
  view::HostThread v{file, thread.process, thread.thread, thread.name, thread.events.size()};
  for (const auto &event : thread.events) {
    v.busy += event.depth == 0 ? std::max<std::int64_t>(0, event.duration) : 0;
    v.depth = std::max<view::Count>(v.depth, event.depth);
  }
  return v;
}

// offset: of the file on the common axis
view::HostCounter shown(const HostCounter &counter, std::int64_t offset) {
  view::HostCounter v{counter.graph, counter.series, counter.process};
  column(v.times, counter.times, [&](auto time) { return time + offset; });
  v.values = counter.values;
  return v;
}

view::HostHeatmap shown(const HostHeatmap &map, std::int64_t offset) {
  view::HostHeatmap v{map.name, map.process};
  for (const auto &[from, to] : map.bins)
    v.bins.insert(v.bins.end(), {edge(from), edge(to)});
  column(v.times, map.times, [&](auto time) { return time + offset; });
  for (const auto &column : map.counts)
    v.counts.insert(v.counts.end(), column.begin(), column.end());
  return v;
}

view::HostThreadEvents shown(const std::vector<Shown> &rows, std::int64_t offset) {
  view::HostThreadEvents v;
  column(v.start, rows, [&](const Shown &s) { return s.start + offset; });
  column(v.duration, rows, [](const Shown &s) { return s.duration; });
  column(v.depth, rows, [](const Shown &s) { return s.depth; });
  column(v.name, rows, [](const Shown &s) { return s.name; });
  column(v.channel, rows, [](const Shown &s) { return s.channel; });
  column(v.count, rows, [](const Shown &s) { return s.count; });
  column(v.details, rows, [](const Shown &s) {
    return s.details == noDetails ? std::int64_t(-1) : std::int64_t(s.details);
  });
  return v;
}

} // namespace

view::Host hostView(const HostTraces &traces) {
  const auto first = begin(traces);
  auto last = first;
  view::Host v;
  for (const auto &trace : traces) {
    const auto offset = trace->begin - first;
    last = std::max(last, trace->end);
    v.files.push_back(
        {trace->path, trace->complete, trace->numEvents, trace->unmatched, trace->processNames});
    for (const auto &counter : trace->counters)
      v.counters.push_back(shown(counter, offset));
    for (const auto &map : trace->heatmaps)
      v.heatmaps.push_back(shown(map, offset));
    for (const auto &run : trace->runs)
      v.ipuRuns.insert(v.ipuRuns.end(),
                       {double(run.start + offset), double(run.duration), run.ipuSeconds});
  }
  eachThread(traces, [&](std::size_t file, std::int64_t, const HostThread &thread) {
    v.threads.push_back(shown(file, thread));
  });
  v.nanoseconds = last - first;
  v.events = numEvents(traces);
  v.verdict = verdict(traces);
  return v;
}

view::HostEvents hostEventsView(const HostTraces &traces, std::int64_t from, std::int64_t to,
                                unsigned pixels) {
  const bool whole = numEvents(traces) <= fewEvents;
  const auto pixel = whole ? 0 : std::max<std::int64_t>(1, (to - from) / std::max(1u, pixels));
  const Texts texts(traces);
  view::HostEvents v{whole, from, to, texts.all};
  eachThread(traces, [&](std::size_t file, std::int64_t offset, const HostThread &thread) {
    v.threads.push_back(
        shown(merged(*traces[file], thread, file, texts, whole ? INT64_MIN / 2 : from - offset,
                     whole ? INT64_MAX / 2 : to - offset, pixel),
              offset));
  });
  return v;
}

view::HostFound hostSearchView(const HostTraces &traces, const std::string &text,
                               std::size_t most) {
  const auto lower = [](std::string s) {
    for (auto &c : s)
      c = char(std::tolower(static_cast<unsigned char>(c)));
    return s;
  };
  const auto wanted = lower(text);
  std::uint64_t count = 0;
  std::vector<std::int64_t> found; // thread, start, duration
  std::size_t thread = 0, file = SIZE_MAX;
  std::vector<bool> matches;
  eachThread(traces, [&](std::size_t inFile, std::int64_t offset, const HostThread &events) {
    if (inFile != file) {
      file = inFile;
      matches.clear();
      for (const auto &kind : traces[file]->kinds)
        matches.push_back(lower(traces[file]->texts[kind.name]).find(wanted) != std::string::npos);
    }
    for (const auto &event : events.events)
      if (matches[event.kind] && ++count && found.size() < 3 * most)
        found.insert(found.end(), {std::int64_t(thread), event.start + offset, event.duration});
    ++thread;
  });
  return {count, found};
}

view::List<view::HostStatistic> hostStatisticsView(const HostTraces &traces, std::int64_t from,
                                                   std::int64_t to) {
  struct Row {
    std::uint64_t count = 0;
    std::int64_t total = 0, most = 0;
  };
  std::map<std::pair<std::string, std::string>, Row> rows;
  eachThread(traces, [&](std::size_t file, std::int64_t offset, const HostThread &thread) {
    std::vector<Row> here(traces[file]->kinds.size());
    for (const auto &event : thread.events) {
      const auto start = std::max(from, event.start + offset);
      const auto end =
          std::min(to, event.start + offset + std::max<std::int64_t>(0, event.duration));
      if (end < start)
        continue;
      auto &row = here[event.kind];
      ++row.count;
      row.total += end - start;
      row.most = std::max(row.most, end - start);
    }
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!here[i].count)
        continue;
      const auto &kind = traces[file]->kinds[i];
      auto &sum = rows[{traces[file]->texts[kind.channel], traces[file]->texts[kind.name]}];
      sum.count += here[i].count;
      sum.total += here[i].total;
      sum.most = std::max(sum.most, here[i].most);
    }
  });
  view::List<view::HostStatistic> list;
  for (const auto &[key, row] : rows)
    list.push_back({key.first, key.second, row.count, row.total, row.most});
  return list;
}

std::string hostDetailsView(const HostTraces &traces, std::size_t file, std::size_t details) {
  return traces.at(file)->details.at(details);
}

std::string hostPerfetto(const HostTraces &traces) {
  const auto first = begin(traces);
  Json json;
  json.array([&] {
    eachThread(traces, [&](std::size_t file, std::int64_t offset, const HostThread &thread) {
      const auto &trace = *traces[file];
      const auto common = [&](const char *phase, double time) {
        json("ph", phase)("pid", thread.process)("tid", thread.thread)("ts", time);
      };
      if (!thread.name.empty())
        json.object([&] {
          common("M", 0);
          json("name", "thread_name").key("args").object([&] { json("name", thread.name); });
        });
      for (const auto &event : thread.events)
        json.object([&] {
          common(event.duration < 0 ? "i" : "X", double(event.start + offset) / 1000);
          json("name", trace.nameOf(event))("cat", trace.channelOf(event));
          if (event.duration >= 0)
            json("dur", double(event.duration) / 1000);
          else
            json("s", "t");
          if (event.details != noDetails)
            json.key("args").raw(trace.details[event.details]);
        });
    });
    for (const auto &trace : traces)
      for (const auto &counter : trace->counters)
        for (std::size_t i = 0; i < counter.times.size(); ++i)
          json.object([&] {
            json("ph", "C")("pid", counter.process)("name", counter.graph);
            json("ts", double(counter.times[i] + trace->begin - first) / 1000);
            json.key("args").object([&] { json(counter.series, counter.values[i]); });
          });
    for (const auto &trace : traces)
      for (const auto &map : trace->heatmaps)
        for (std::size_t i = 0; i < map.times.size(); ++i)
          json.object([&] {
            json("ph", "C")("pid", map.process)("name", map.name)("cat", "heatmap");
            json("ts", double(map.times[i] + trace->begin - first) / 1000);
            json.key("args").object([&] {
              for (std::size_t k = 0; k < map.bins.size(); ++k)
                json("[" + edge(map.bins[k].first) + ", " + edge(map.bins[k].second) + ")",
                     map.counts[i][k]);
            });
          });
  });
  return json.take();
}

} // namespace popvision
