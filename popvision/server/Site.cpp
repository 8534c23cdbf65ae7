// SPDX-License-Identifier: MIT
#include "Site.hpp"
#include "base/Text.hpp"
#include "HostTrace.hpp"
#include <algorithm>
#include <stdexcept>
#include <sys/stat.h>

namespace popvision {

namespace fs = std::filesystem;

namespace {

constexpr int maxDepth = 6;           // of folders below the one that was given
constexpr std::size_t maxFound = 256; // a folder that holds more is not one of reports

bool isTrace(const fs::path &path) {
  const auto name = path.filename().string();
  return name.ends_with(".pvti") || name.ends_with(".pvti.json") || name.ends_with(".trace.json") ||
         name.ends_with(".perfetto.json");
}

// An engine with a name writes its profile one folder below the debug information.
std::string debugBeside(const fs::path &profile) {
  const auto folder = fs::absolute(profile).parent_path();
  std::error_code ignored;
  for (const auto &at : {folder, folder.parent_path()})
    for (const char *name : {"debug.cbor", "debug.json"})
      if (fs::is_regular_file(at / name, ignored))
        return (at / name).string();
  return "";
}

Files filesOf(const fs::path &profile) {
  Files files;
  const auto folder = fs::absolute(profile).lexically_normal().parent_path();
  files.profile = profile.string();
  files.debug = debugBeside(profile);
  files.name = folder.filename().string();
  const auto above = folder.parent_path().filename().string();
  if ((files.name == "training" || files.name == "inference") && !above.empty())
    files.name = above + "/" + files.name;
  std::error_code ignored;
  for (const char *name : {"framework.json", "app.json"})
    if (fs::is_regular_file(folder / name, ignored))
      files.texts.push_back((folder / name).string());
  return files;
}

void findBelow(Found &found, const fs::path &folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at.depth() >= maxDepth)
      at.disable_recursion_pending();
    if (at->path().filename() == "profile.pop" || isTrace(at->path()))
      paths.push_back(at->path());
    if (paths.size() > maxFound)
      throw std::runtime_error(base::str("\"", folder.string(), "\" holds more than ", maxFound,
                                         " reports and traces. Give the ones to look at."));
  }
  std::sort(paths.begin(), paths.end());
  for (const auto &path : paths)
    if (isTrace(path))
      found.traces.push_back(path.string());
    else
      found.reports.push_back(filesOf(path));
}

std::uint64_t stampOf(const std::string &path) {
  struct stat info {};
  if (path.empty() || ::stat(path.c_str(), &info) != 0)
    return 0;
  const std::uint64_t parts[] = {std::uint64_t(info.st_mtim.tv_sec),
                                 std::uint64_t(info.st_mtim.tv_nsec), std::uint64_t(info.st_size),
                                 std::uint64_t(info.st_ino)};
  return base::hashBytes(parts, sizeof parts) >> 11 | 1; // a number that JavaScript holds exactly
}

// Loads what has changed since the last time; an error is kept as long as its file is.
template <class Slot, class Load> auto fresh(Slot &slot, std::uint64_t stamp, Load load) {
  std::lock_guard<std::mutex> lock(slot.mutex);
  if (slot.stamp != stamp || (!slot.value && slot.error.empty())) {
    slot.stamp = stamp;
    slot.error.clear();
    try {
      slot.value = load();
    } catch (const std::exception &e) {
      slot.value = nullptr;
      slot.error = e.what();
    }
  }
  if (!slot.value)
    throw std::runtime_error(slot.error);
  return slot.value;
}

} // namespace

Found find(const std::vector<std::string> &paths) {
  Found found;
  for (const auto &path : paths) {
    const auto before = found.reports.size() + found.traces.size();
    std::error_code error;
    if (fs::is_directory(path, error))
      findBelow(found, path);
    else if (!fs::exists(path, error))
      throw std::runtime_error(base::str("There is no file or folder \"", path, "\"."));
    else if (isTrace(path) || path.ends_with(".json"))
      found.traces.push_back(path);
    else
      found.reports.push_back(filesOf(path));
    if (before == found.reports.size() + found.traces.size())
      throw std::runtime_error(base::str(
          "\"", path, "\" has no profile.pop and no trace in it. Set POPLAR_ENGINE_OPTIONS='",
          R"({"autoReport.all":"true"})", "' or PVTI_OPTIONS='", R"({"enable":"true"})",
          "' and run the program again."));
  }
  return found;
}

// A report that is given twice is there twice: it may be compared with itself.
Site::Site(std::vector<std::string> paths) : paths_(std::move(paths)) {
  auto found = find(paths_);
  for (auto &files : found.reports)
    reports_.emplace_back(std::move(files));
  for (auto &path : found.traces)
    traces_.emplace_back(std::move(path));
}
Site::~Site() = default;

void Site::lookAgain() const {
  Found found;
  try {
    found = find(paths_);
  } catch (const std::exception &) { // a folder may be gone, or have become too full: as it was
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  for (auto &files : found.reports)
    if (std::ranges::none_of(reports_, [&](auto &r) { return r.files.profile == files.profile; }))
      reports_.emplace_back(std::move(files));
  for (auto &path : found.traces)
    if (std::ranges::none_of(traces_, [&](auto &t) { return t.files == path; }))
      traces_.emplace_back(std::move(path));
}

std::size_t Site::numReports() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reports_.size();
}
std::size_t Site::numTraces() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return traces_.size();
}
Site::ReportSlot &Site::reportAt(std::size_t index) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return reports_.at(index);
}
Site::TraceSlot &Site::traceAt(std::size_t index) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return traces_.at(index);
}

// The debug information may have come after the profile.
std::shared_ptr<const Model> Site::report(std::size_t index) const {
  auto &slot = reportAt(index);
  const auto files = filesOf(slot.files.profile);
  return fresh(slot, stampOf(files.profile) ^ stampOf(files.debug),
               [&] { return std::make_shared<const Model>(files); });
}

std::shared_ptr<const HostTrace> Site::trace(std::size_t index) const {
  auto &slot = traceAt(index);
  return fresh(slot, stampOf(slot.files), [&] { return readHostTrace(slot.files); });
}

std::uint64_t Site::stamp() const {
  std::uint64_t sum = 0;
  const auto add = [&](const std::string &path) {
    sum = (sum * 31 + stampOf(path)) & ((std::uint64_t(1) << 53) - 1);
  };
  for (std::size_t i = 0; i < numReports(); ++i)
    add(files(i).profile);
  for (std::size_t i = 0; i < numTraces(); ++i)
    add(traceFile(i));
  return sum;
}

} // namespace popvision
