// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "Data.hpp"
#include "pva/pva.hpp"
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <sys/stat.h>

namespace pva {

namespace detail {

std::string readFile(const std::string &path, const std::string &what) {
  errno = 0;
  struct stat info {};
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    throw Error(base::str("Cannot open ", what, " \"", path,
                          "\": it is a directory. Name the file inside it."));
  if (info.st_mode && !S_ISREG(info.st_mode)) // pipes may wait, and devices go on, for ever
    throw Error(base::str("Cannot open ", what, " \"", path,
                          "\": it is no ordinary file. Copy it into one first."));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  if (in.peek() != std::ifstream::traits_type::eof())
    bytes << in.rdbuf();
  if (!in.is_open() || in.bad())
    throw Error(
        base::str("Cannot open ", what, " \"", path, "\": ", std::strerror(errno ? errno : EIO),
                  ". Profiles are written to autoReport.directory when the engine is destroyed."));
  return bytes.str();
}

} // namespace detail

PoplarVersion::PoplarVersion(std::string text, std::string packageHash)
    : text_(std::move(text)), hash_(std::move(packageHash)), numbers_{0, 0, 0} {
  std::istringstream in(text_);
  char dot;
  in >> numbers_[0] >> dot >> numbers_[1] >> dot >> numbers_[2];
}

static std::string entry(const std::map<std::string, std::string> &table, const char *key) {
  auto found = table.find(key);
  return found == table.end() ? std::string() : found->second;
}

PoplarVersion Report::poplarVersion() const {
  return PoplarVersion(entry(data_->meta, "poplarVersion"), entry(data_->meta, "packageHash"));
}
Version Report::version() const { return Version(data_->format); }

InstrumentationSettings Report::instrumentationSettings() const {
  using Settings = InstrumentationSettings;
  const auto compute = entry(data_->meta, "instrumentCompute");
  const char *const levels[] = {"off", "vertex", "tile", "ipu", "device"};
  unsigned level = 0;
  while (level < 5 && compute != levels[level])
    ++level;
  const auto exchange = entry(data_->meta, "instrumentExternalExchange");
  return Settings(Settings::Compute(level), exchange == "off" ? Settings::ExternalExchange::Off
                                            : exchange == "tile"
                                                ? Settings::ExternalExchange::Tile
                                                : Settings::ExternalExchange::Unknown);
}

std::vector<std::pair<std::string, std::string>> Report::engineOptions() const {
  return {data_->options.begin(), data_->options.end()};
}

std::vector<DebugContext> Report::debugContexts() const {
  std::vector<DebugContext> result;
  for (std::uint32_t i = 0; i < data_->debug.size(); ++i)
    result.emplace_back(data_, i);
  return result;
}

std::uint64_t DebugContext::id() const { return data_->debug[index_].id; }
std::uint64_t DebugContext::parentId() const { return data_->debug[index_].parent; }
static std::uint32_t parentOf(const detail::Data &data, std::uint32_t index) {
  return data.contextOf(data.debug[index].parent);
}
bool DebugContext::hasParent() const { return parentOf(*data_, index_) != detail::none; }
DebugContext DebugContext::parent() const {
  const auto found = parentOf(*data_, index_);
  if (found == detail::none)
    throw Error(base::str("Debug context ", id(), " has no parent in the debug information."));
  return DebugContext(data_, found);
}
std::string DebugContext::name() const { return data_->debug[index_].name; }
std::string DebugContext::layer() const { return data_->debug[index_].layer; }
std::string DebugContext::json() const { return data_->debug[index_].json; }
DebugContext::Location DebugContext::location() const {
  const auto &row = data_->debug[index_];
  return {row.file, row.function, row.line};
}

Report openReport(const std::string &profilePath) {
  const auto bytes = detail::readFile(profilePath, "profile");
  return openReportFromMemory(bytes.data(), bytes.size(), profilePath);
}

Report openReport(const std::string &profilePath, const std::string &debugPath) {
  const auto bytes = detail::readFile(profilePath, "profile");
  auto data = detail::load(bytes.data(), bytes.size(), profilePath);
  data->debug = detail::loadDebug(debugPath);
  for (std::uint32_t i = 0; i < data->debug.size(); ++i)
    data->debugIndex.emplace(data->debug[i].id, i);
  return Report(data);
}

Report openReportFromMemory(const void *data, std::size_t size, const std::string &name) {
  return Report(detail::load(data, size, name));
}

} // namespace pva
