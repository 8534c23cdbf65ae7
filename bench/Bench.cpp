// SPDX-License-Identifier: MIT
#include "Bench.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <poplar/DeviceManager.hpp>
#include <stdexcept>

namespace bench {

Row::Met met(bool yes) { return yes ? Row::Met::Yes : Row::Met::No; }

static const char *word(Row::Met met) {
  return met == Row::Met::Yes ? "yes" : met == Row::Met::No ? "NO" : "";
}

void print(const std::vector<Row> &rows) {
  std::size_t widest = 4;
  for (const auto &row : rows)
    widest = std::max(widest, row.what.size());
  const int w = static_cast<int>(widest);
  const char *line = "%-*s  %20s  %14s  %7s  %-16s %s\n";
  std::printf(line, w, "what", "ours", "peer", "ratio", "goal", "met");
  std::printf("%s\n", std::string(widest + 72, '-').c_str());
  for (const auto &row : rows)
    std::printf(line, w, row.what.c_str(), row.ours.c_str(), row.peer.c_str(),
                row.ratio > 0 ? fixed(row.ratio, 2).c_str() : "", row.goal.c_str(), word(row.met));
}

double seconds(const std::function<void()> &work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

static double median(std::vector<double> times) {
  const auto middle = times.begin() + times.size() / 2;
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

double medianSeconds(unsigned repeats, const std::function<void()> &work) {
  work();
  std::vector<double> times;
  for (unsigned i = 0; i < repeats; ++i)
    times.push_back(seconds(work));
  return median(times);
}

Pair medianPair(unsigned repeats, const std::function<void()> &ours,
                const std::function<void()> &peer) {
  ours();
  peer();
  std::vector<double> a, b;
  for (unsigned i = 0; i < repeats; ++i) {
    a.push_back(seconds(ours));
    b.push_back(seconds(peer));
  }
  return {median(a), median(b)};
}

std::string fixed(double value, unsigned digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", int(digits), value);
  return text;
}

std::string duration(double s) {
  if (s < 1e-6)
    return fixed(s * 1e9, 0) + " ns";
  if (s < 1e-3)
    return fixed(s * 1e6, 1) + " us";
  return s < 1 ? fixed(s * 1e3, 1) + " ms" : fixed(s, 2) + " s";
}

std::string rate(double bytes, double s) { return fixed(bytes / s / 1e9, 1) + " GB/s"; }

poplar::Device attachIpu() {
  auto manager = poplar::DeviceManager::createDeviceManager();
  for (auto &device : manager.getDevices(poplar::TargetType::IPU, 1))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("No simulated IPU is free. Raise OPENIPU_NUM_IPUS to have more.");
}

void onThreads(std::size_t n, const std::function<void(std::size_t, std::size_t)> &work) {
  const std::size_t threads = base::numThreads();
  base::parallelFor(threads, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    work(n * begin / threads, n * end / threads);
  });
}

} // namespace bench
