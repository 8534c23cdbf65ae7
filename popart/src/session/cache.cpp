// SPDX-License-Identifier: MIT
#include "session/cache.hpp"

#include "base/OutputFile.hpp"
#include "session/log.hpp"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ext/stdio_filebuf.h>
#include <popart/error.hpp>

namespace popart::session {

namespace fs = std::filesystem;

namespace {

constexpr const char *ending = ".popef";

// GCC's own: a stream onto an open file.
using OpenFile = __gnu_cxx::stdio_filebuf<char>;

base::FileCache openFolder(const fs::path &folder) {
  try {
    return {folder.string(), {ending}, std::string(fileMark), "choose another cachePath"};
  } catch (const base::FileError &e) {
    throw error(e.what());
  }
}

} // namespace

void makeFolderOf(const fs::path &file) {
  try {
    base::makeFolderOf(file.string());
  } catch (const base::FileError &e) {
    throw error(e.what());
  }
}

void writeWhole(const fs::path &file, const std::function<void(std::ostream &)> &write) {
  try {
    base::writeWhole(file.string(), write);
  } catch (const base::FileError &e) {
    throw error(e.what());
  }
}

Cache::Cache(const fs::path &folder) : files_(openFolder(folder)) {}

fs::path Cache::fileOf(const std::string &hash) const {
  return files_.folder().pathOf(hash + ending);
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
  std::string why;
  base::Descriptor file = files_.find(hash + ending, why);
  if (!file && why.empty())
    return std::nullopt;
  try {
    if (!file)
      throw error(why);
    OpenFile buffer(file.release(), std::ios::in | std::ios::binary);
    std::istream in(&buffer);
    auto stored = readStored(in);
    if (stored.hash != hash || !stored.interface || !stored.executable)
      throw error("it belongs to another model");
    return stored;
  } catch (const std::exception &e) {
    log().warn("The cached executable ", fileOf(hash).string(), " is not used: ", e.what(),
               ". The model is compiled again.");
    return std::nullopt;
  }
}

void Cache::store(const ToStore &what) const {
  const auto name = what.hash + ending;
  try {
    files_.store(name, [&](std::ostream &out) { writeStored(out, what); });
    for (const auto &removed : files_.evict(limit(), name))
      if (removed == name)
        log().warn("The executable is not cached: it is larger than OPENIPU_CACHE_LIMIT allows, ",
                   limit(), " bytes.");
      else
        log().info("Cached executable ", removed, " removed: the cache is full.");
  } catch (const std::exception &e) {
    log().warn("The executable is not cached: ", e.what());
  }
}

} // namespace popart::session
