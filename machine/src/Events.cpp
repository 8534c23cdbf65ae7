// SPDX-License-Identifier: MIT
#include "machine/Events.hpp"
#include "base/NewFile.hpp"
#include "base/Text.hpp"
#include "Json.hpp"
#include "LeaseFile.hpp"
#include "machine/Discovery.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace machine {
namespace {

constexpr std::size_t mostRecords = 100;

std::vector<std::string> recordsIn(const base::Folder &folder) {
  std::vector<std::string> names;
  for (const auto &name : base::namesIn(folder.get()))
    if (name.starts_with("event-") && name.ends_with(".json"))
      names.push_back(name);
  std::ranges::sort(names); // by time
  return names;
}

// 20250102T030405.123456Z
std::string timestamp() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  const std::time_t seconds = micros / 1'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char date[32], text[48];
  std::strftime(date, sizeof date, "%Y%m%dT%H%M%S", &utc);
  std::snprintf(text, sizeof text, "%s.%06dZ", date, int(micros % 1'000'000));
  return text;
}

Json texts(const std::vector<unsigned> &numbers) {
  auto out = Json::array();
  for (const unsigned number : numbers)
    out.push_back(std::to_string(number));
  return out;
}

Json hostsOf(const Domain &domain, const std::vector<unsigned> &numbers) {
  auto out = Json::array();
  for (const auto &ipu : domain.ipus)
    if (std::ranges::find(numbers, ipu.number) != numbers.end() && !ipu.host.empty() &&
        std::ranges::find(out, Json(ipu.host)) == out.end())
      out.push_back(ipu.host);
  return out;
}

Json jsonOf(const Event &event, const std::string &path, const std::string &time) {
  const auto domain = activeDomain();
  return {{"event record path", path},
          {"timestamp", time},
          {"severity", event.severity},
          {"command line", ownCommandLine()},
          {"pid", std::to_string(::getpid())},
          {"attached ipus", texts(event.attached)},
          {"specific ipus", texts(event.specific)},
          {"attached ipu hosts", hostsOf(domain, event.attached)},
          {"specific ipu hosts", hostsOf(domain, event.specific)},
          {"partition", domain.partition.name},
          {"description", event.description}};
}

} // namespace

void recordEvent(const Event &event) {
  try {
    const auto folder = runtimeFolder();
    const auto time = timestamp();
    const auto name = base::str("event-", time, "-", ::getpid(), ".json");
    const auto text = jsonOf(event, folder.pathOf(name), time)
                          .dump(2, ' ', false, Json::error_handler_t::replace);
    auto names = recordsIn(folder);
    for (std::size_t i = 0; i + mostRecords <= names.size(); ++i)
      ::unlinkat(folder.get(), names[i].c_str(), 0);
    base::NewFile file(folder.get(), folder.pathOf(name));
    if (::write(file.get(), text.data(), text.size()) == ssize_t(text.size()))
      file.moveTo(name);
  } catch (const std::exception &) {
  }
}

std::string eventRecords() {
  const auto folder = runtimeFolder();
  auto all = Json::array();
  for (const auto &name : recordsIn(folder)) {
    std::string why, text;
    const auto file = folder.open(name, why);
    if (!file || !base::readAll(file.get(), text))
      continue;
    if (auto record = Json::parse(text, nullptr, false); record.is_object())
      all.push_back(std::move(record));
  }
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace machine
