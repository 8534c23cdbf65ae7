// SPDX-License-Identifier: MIT
#include "codelet/Cache.hpp"
#include "base/Bytes.hpp"
#include "base/Environment.hpp"
#include "base/Log.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include "codelet/Process.hpp"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <sys/stat.h>

namespace poplar::codelet {

using base::ByteReader;
using base::ByteWriter;
using base::FormatError;

namespace {

const base::Logger &logger() {
  static const base::Logger instance("POPLAR", "PO", "CODELETS");
  return instance;
}

std::string defaultDirectory() {
  if (const char *chosen = std::getenv("OPENIPU_CACHE_DIR"); chosen && *chosen)
    return chosen;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && *cache)
    return base::str(cache, "/openipu/codelets");
  const char *home = std::getenv("HOME");
  return home && *home ? base::str(home, "/.cache/openipu/codelets") : std::string();
}

std::uint64_t sizeLimit() {
  constexpr std::uint64_t megabyte = 1024 * 1024, most = 1 << 24; // 16 TB
  try {
    return base::numberFromEnvironment("OPENIPU_CACHE_MAX_MB", 256, 0, most) * megabyte;
  } catch (const std::invalid_argument &error) {
    throw CompileError(error.what());
  }
}

bool describe(const std::string &path, Dependency &d) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0)
    return false;
  d.path = path;
  d.size = std::uint64_t(s.st_size);
  d.modified = std::int64_t(s.st_mtim.tv_sec) * 1000000000 + s.st_mtim.tv_nsec;
  return true;
}

std::string hashOfFile(const std::string &path) {
  std::string bytes;
  return readFile(path, bytes) ? contentHashOf({bytes}) : std::string();
}

bool unchanged(const Dependency &known) {
  Dependency now;
  if (!describe(known.path, now) || now.size != known.size)
    return false;
  return now.modified == known.modified || hashOfFile(known.path) == known.hash;
}

constexpr std::string_view magic = "OpenIPU codelet cache 1\n";

} // namespace

std::string contentHashOf(const std::vector<std::string> &parts) {
  std::uint64_t a = 0xcbf29ce484222325ull, b = 0x9ae16a3b2f90404full;
  for (const std::string &p : parts) {
    const std::uint64_t size = p.size(); // so that {"ab","c"} and {"a","bc"} differ
    a = base::hashBytes(p.data(), p.size(), base::hashBytes(&size, sizeof size, a));
    b = base::hashBytes(p.data(), p.size(), base::hashBytes(&size, sizeof size, b));
  }
  return base::hex(a) + base::hex(b);
}

std::vector<Dependency> describeFiles(const std::vector<std::string> &paths) {
  std::vector<Dependency> files;
  for (const std::string &path : paths) {
    Dependency d;
    if (!describe(path, d))
      continue;
    d.modified = reliableTime(path);
    d.hash = hashOfFile(path);
    files.push_back(std::move(d));
  }
  return files;
}

Dependency identityOf(const std::string &program) {
  Dependency d;
  describe(program, d);
  return d;
}

Cache::Cache() : limit_(sizeLimit()) {
  const auto directory = defaultDirectory();
  if (directory.empty())
    return;
  try {
    files_.emplace(directory, std::vector<std::string>{".module", ".key"}, std::string(magic),
                   "set OPENIPU_CACHE_DIR to a folder of your own");
  } catch (const base::UnsafeError &) {
    throw; // what lies there may be another user's code
  } catch (const FileError &e) {
    logger().warn("codelets are not cached: ", e.what());
  }
}

std::optional<std::string> Cache::read(const std::string &name) const {
  if (!files_)
    return std::nullopt;
  std::string bytes, why;
  const base::Descriptor file = files_->find(name, why);
  try {
    if (!file && why.empty())
      return std::nullopt;
    if (!file || !base::readAll(file.get(), bytes))
      throw FormatError(file ? "it cannot be read" : why);
    const auto body = std::string_view(bytes).substr(std::min(bytes.size(), magic.size()));
    if (bytes.compare(0, magic.size(), magic) != 0)
      throw FormatError("it does not begin as one");
    ByteReader in(body);
    const auto sum = in.number<std::uint64_t>();
    std::string payload(body.substr(8));
    if (base::hashBytes(payload.data(), payload.size()) != sum)
      throw FormatError("its checksum is wrong");
    return payload;
  } catch (const FormatError &e) {
    logger().warn("ignoring cache entry ", files_->folder().pathOf(name), ": ", e.what());
    return std::nullopt;
  }
}

void Cache::write(const std::string &name, const std::string &payload) const {
  if (!files_)
    return;
  ByteWriter sum;
  sum.number(base::hashBytes(payload.data(), payload.size()));
  try {
    files_->store(name, [&](std::ostream &out) { out << magic << sum.take() << payload; });
    files_->evict(limit_, name);
  } catch (const FileError &e) {
    logger().warn("codelet not cached: ", e.what());
  }
}

std::optional<Module> Cache::findModule(const std::string &contentHash) const {
  const auto bytes = read(contentHash + ".module");
  if (!bytes)
    return std::nullopt;
  try {
    Module module = parseModule(*bytes);
    return module.contentHash == contentHash ? std::optional(std::move(module)) : std::nullopt;
  } catch (const FormatError &e) {
    logger().warn("ignoring damaged cache entry ", contentHash, ".module: ", e.what());
    return std::nullopt;
  }
}

void Cache::storeModule(const Module &module) const {
  write(module.contentHash + ".module", serialise(module));
}

std::optional<std::string> Cache::findRequest(const std::string &key,
                                              const std::string &compiler) const {
  const auto bytes = read(key + ".key");
  if (!bytes)
    return std::nullopt;
  try {
    ByteReader in(*bytes);
    const std::string knownCompiler = in.text(), hash = in.text();
    if (!compiler.empty() && compiler != knownCompiler)
      return std::nullopt;
    for (auto n = in.count(24); n > 0; --n) {
      Dependency d;
      d.path = in.text();
      d.size = in.number<std::uint64_t>();
      d.modified = in.number<std::int64_t>();
      d.hash = in.text();
      if (!unchanged(d))
        return std::nullopt;
    }
    for (auto n = in.count(16); n > 0; --n) {
      Lookup l;
      l.folder = in.text();
      l.modified = in.number<std::int64_t>();
      l.names = in.text();
      if (!unchanged(l))
        return std::nullopt;
    }
    in.expectEnd();
    return hash;
  } catch (const FormatError &) {
    return std::nullopt;
  }
}

void Cache::storeRequest(const std::string &key, const std::string &compiler,
                         const std::string &contentHash, const Inputs &inputs) const {
  ByteWriter out;
  out.text(compiler);
  out.text(contentHash);
  out.list(inputs.files, [&](const Dependency &d) {
    out.text(d.path);
    out.number(d.size);
    out.number(d.modified);
    out.text(d.hash);
  });
  out.list(inputs.lookups, [&](const Lookup &l) {
    out.text(l.folder);
    out.number(l.modified);
    out.text(l.names);
  });
  write(key + ".key", out.take());
}

} // namespace poplar::codelet
