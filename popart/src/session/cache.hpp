// SPDX-License-Identifier: MIT
// Compiled models in a folder, by content hash: <folder>/<hash>.popef. Files appear whole or not at
// all, so processes may share the folder; what was used longest ago goes when they take up more
// than OPENIPU_CACHE_LIMIT bytes. What goes wrong with a file stops no session, which compiles.
// What is wrong with the folder does: a cachePath that is none, or one that other users may write
// to, for executables are code (base/FileCache.hpp).
#pragma once
#include "base/FileCache.hpp"
#include "session/format.hpp"
#include <filesystem>
#include <functional>

namespace popart::session {

class Cache {
public:
  // Makes the folder. popart::error if that fails, or other users may write to it.
  explicit Cache(const std::filesystem::path &folder);

  std::filesystem::path fileOf(const std::string &hash) const;
  // What is stored under the hash; nothing, with a warning, if the file is damaged.
  std::optional<Stored> find(const std::string &hash) const;
  void store(const ToStore &what) const;

  // From OPENIPU_CACHE_LIMIT: bytes, or with K, M, G or T behind; 10 GB if it is not set.
  static std::uint64_t limit();

private:
  base::FileCache files_;
};

// base/OutputFile.hpp with popart::error: for every call that writes, and those that promise to
// make the folder.
void makeFolderOf(const std::filesystem::path &file);
void writeWhole(const std::filesystem::path &file,
                const std::function<void(std::ostream &)> &write);

} // namespace popart::session
