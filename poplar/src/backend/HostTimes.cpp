// SPDX-License-Identifier: MIT
#include "backend/HostTimes.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstdio>
#include <iostream>
#include <numeric>
#include <sstream>

namespace poplar::backend {

namespace step = executable::step;

HostTimes::HostTimes(std::shared_ptr<const executable::Image> image, std::string file)
    : image_(std::move(image)), file_(std::move(file)), steps_(image_->steps.size()) {}

// What a step does; steps that only have a kind are told by it.
static std::string titleOf(const executable::Image &image, const executable::Step &step) {
  return executable::match(
      step, [&](const step::Execute &s) { return image.computeSets[s.set].name; },
      [&](const step::HostToDevice &s) { return "from host: " + image.streams[s.stream].handle; },
      [&](const step::DeviceToHost &s) { return "to host: " + image.streams[s.stream].handle; },
      [](const step::Copy &) { return std::string("copy"); },
      [](const step::Kernel &s) { return s.name; }, [](const step::Print &s) { return s.title; },
      [](const auto &) { return std::string(); });
}

HostTimes::~HostTimes() {
  std::vector<std::uint32_t> order(steps_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::erase_if(order, [&](auto s) { return !steps_[s].calls; });
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return steps_[a].time > steps_[b].time; });
  base::TextStream out;
  out << "      total ms     calls   us a call    least us  step\n";
  for (auto s : order) {
    using Microseconds = std::chrono::duration<double, std::micro>;
    const double us = Microseconds(steps_[s].time).count();
    char line[80];
    std::snprintf(line, sizeof line, "%14.3f %9llu %11.3f %11.3f  ", us / 1e3,
                  (unsigned long long)steps_[s].calls, us / double(steps_[s].calls),
                  Microseconds(steps_[s].least).count());
    const auto &step = image_->steps[s];
    const auto title = titleOf(*image_, step);
    out << line << title << (title.empty() ? "" : " ") << step.name;
    const auto &done = steps_[s];
    if (done.onHost)
      out << " (on the host: " << base::thousands(done.there) << " bytes there, "
          << base::thousands(done.back) << " back)";
    out << '\n';
  }
  if (file_ == "-")
    std::cerr << out.str();
  else
    try {
      base::writeWhole(file_, out.str());
    } catch (const base::FileError &) {
      // The engine goes; nobody is left to be told.
    }
}

} // namespace poplar::backend
