// SPDX-License-Identifier: MIT
// Compiled codelets on disk: $OPENIPU_CACHE_DIR or ~/.cache/openipu/codelets. Two kinds of files:
// `<key>.key` says which module a request (source text, flags, target) had, which files it included
// and where they were looked for; `<hash>.module` is the module. A request hits when every included
// file still has its size and time, or its content, and would still be the one that is found
// (Lookups.hpp). Entries carry a checksum, and a damaged one, or one that another user made, is
// just a miss. At most $OPENIPU_CACHE_MAX_MB (default 256) are kept; the least recently used files
// go first. A folder that others may write to is refused (base/FileCache.hpp).
#pragma once
#include "base/FileCache.hpp"
#include "codelet/Lookups.hpp"
#include "codelet/Module.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace poplar::codelet {

struct Dependency {
  std::string path;
  std::uint64_t size = 0;
  std::int64_t modified = 0; // nanoseconds
  std::string hash;
};

// Records the present state of the files.
std::vector<Dependency> describeFiles(const std::vector<std::string> &paths);

// The same of a program: without its hash, so that any change counts.
Dependency identityOf(const std::string &program);

// All that a result depends on beside the request itself.
struct Inputs {
  std::vector<Dependency> files;
  std::vector<Lookup> lookups;
};

std::string contentHashOf(const std::vector<std::string> &parts); // 32 hex digits

class Cache {
public:
  Cache(); // an unusable folder makes a cache that always misses; base::UnsafeError
  std::optional<Module> findModule(const std::string &contentHash) const;
  // Content hash for a request, when its files are unchanged and the compiler is the same (or
  // absent).
  std::optional<std::string> findRequest(const std::string &key, const std::string &compiler) const;
  void storeModule(const Module &module) const;
  void storeRequest(const std::string &key, const std::string &compiler,
                    const std::string &contentHash, const Inputs &inputs) const;

private:
  std::optional<std::string> read(const std::string &name) const;
  void write(const std::string &name, const std::string &bytes) const;
  std::uint64_t limit_; // bytes
  std::optional<base::FileCache> files_;
};

} // namespace poplar::codelet
