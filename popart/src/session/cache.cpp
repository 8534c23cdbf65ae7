// SPDX-License-Identifier: MIT
#include "session/cache.hpp"

#include "base/Text.hpp"
#include "session/log.hpp"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <popart/error.hpp>
#include <unistd.h>

namespace popart::session {

namespace fs = std::filesystem;

namespace {

constexpr const char *unfinished = ".partial";

// A name that no other thread or process uses.
fs::path partialName(const fs::path &file) {
  static std::atomic<unsigned> count = 0;
  return file.string() + base::str('.', ::getpid(), '.', count++, unfinished);
}

std::string lastProblem() { return errno ? std::strerror(errno) : "unknown reason"; }

bool hasEnding(const fs::path &path, const char *ending) { return path.extension() == ending; }

} // namespace

void writeWhole(const fs::path &file, const std::function<void(std::ostream &)> &write) {
  std::error_code problem;
  if (file.has_parent_path())
    fs::create_directories(file.parent_path(), problem);
  if (problem)
    throw error(
        base::str("The folder ", file.parent_path(), " cannot be made: ", problem.message(), "."));
  const auto part = partialName(file);
  errno = 0;
  std::ofstream out(part, std::ios::binary | std::ios::trunc);
  const auto failed = [&](const std::string &why) {
    fs::remove(part, problem);
    return error(base::str("The file ", file, " cannot be written: ", why, "."));
  };
  try {
    if (out)
      write(out);
    out.close();
  } catch (...) {
    if (!out) // whatever the writer made of it
      throw failed(lastProblem());
    fs::remove(part, problem);
    throw;
  }
  if (!out)
    throw failed(lastProblem());
  fs::rename(part, file, problem);
  if (problem)
    throw failed(problem.message());
}

std::uint64_t Cache::limit() {
  constexpr std::uint64_t byDefault = 10'000'000'000;
  const char *given = std::getenv("OPENIPU_CACHE_LIMIT");
  if (!given || !*given)
    return byDefault;
  char *end = nullptr;
  errno = 0;
  const double number = std::strtod(given, &end);
  const char *units = "KMGT";
  const char *unit = *end ? std::strchr(units, *end) : nullptr;
  const bool good =
      end != given && !errno && number >= 0 && number < 1e15 && (!*end || (unit && !end[1]));
  if (!good) {
    log().warn("OPENIPU_CACHE_LIMIT is \"", given,
               "\", which is no number of bytes such as 500M or 10G; 10G are used.");
    return byDefault;
  }
  double bytes = number;
  for (auto i = unit ? unit - units + 1 : 0; i > 0; --i)
    bytes *= 1000;
  return bytes < 1e18 ? static_cast<std::uint64_t>(bytes) : ~std::uint64_t(0);
}

std::optional<Stored> Cache::find(const std::string &hash) const {
  const auto file = fileOf(hash);
  std::ifstream in(file, std::ios::binary);
  if (!in)
    return std::nullopt;
  try {
    auto stored = readStored(in);
    if (stored.hash != hash || !stored.interface || !stored.executable)
      throw error("it belongs to another model");
    std::error_code ignored;
    fs::last_write_time(file, fs::file_time_type::clock::now(), ignored); // used just now
    return stored;
  } catch (const std::exception &e) {
    log().warn("The cached executable ", file.string(), " is not used: ", e.what(),
               ". The model is compiled again.");
    return std::nullopt;
  }
}

void Cache::store(const ToStore &what) const {
  const auto file = fileOf(what.hash);
  try {
    writeWhole(file, [&](std::ostream &out) { writeStored(out, what); });
    evict(file);
  } catch (const std::exception &e) {
    log().warn("The executable is not cached: ", e.what());
  }
}

void Cache::evict(const fs::path &newest) const {
  struct Entry {
    fs::file_time_type used;
    fs::path path;
    std::uint64_t bytes;
  };
  std::vector<Entry> entries;
  std::uint64_t total = 0;
  std::error_code gone; // another process may be faster
  const auto old = fs::file_time_type::clock::now() - std::chrono::hours(24);
  for (const auto &entry : fs::directory_iterator(folder_, gone)) {
    const auto used = entry.last_write_time(gone);
    if (gone)
      continue;
    if (hasEnding(entry.path(), unfinished) && used < old) // of a process that died
      fs::remove(entry.path(), gone);
    if (!hasEnding(entry.path(), ".popef"))
      continue;
    const auto bytes = entry.file_size(gone);
    if (gone)
      continue;
    total += bytes;
    entries.push_back({used, entry.path(), bytes});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::tie(a.used, a.path) < std::tie(b.used, b.path);
  });
  const auto most = limit();
  for (const auto &entry : entries) {
    if (total <= most)
      return;
    if (entry.path == newest)
      continue;
    fs::remove(entry.path, gone);
    total -= entry.bytes;
    log().info("Cached executable ", entry.path.string(), " removed: the cache is full.");
  }
  if (total > most) {
    fs::remove(newest, gone);
    log().warn("The executable has ", total, " bytes and OPENIPU_CACHE_LIMIT allows ", most,
               ": it is not cached.");
  }
}

} // namespace popart::session
