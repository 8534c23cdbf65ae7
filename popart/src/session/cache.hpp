// SPDX-License-Identifier: MIT
// Compiled models in a folder, by content hash: <folder>/<hash>.popef. Files appear whole or not at
// all, so processes may share the folder; what was used longest ago goes when they take up more
// than OPENIPU_CACHE_LIMIT bytes. Nothing that goes wrong here stops a session: it compiles.
#pragma once
#include "session/format.hpp"
#include <filesystem>
#include <functional>

namespace popart::session {

class Cache {
public:
  explicit Cache(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path fileOf(const std::string &hash) const {
    return folder_ / (hash + ".popef");
  }
  // What is stored under the hash; nothing, with a warning, if the file is damaged.
  std::optional<Stored> find(const std::string &hash) const;
  void store(const ToStore &what) const;

  // From OPENIPU_CACHE_LIMIT: bytes, or with K, M, G or T behind; 10 GB if it is not set.
  static std::uint64_t limit();

private:
  void evict(const std::filesystem::path &newest) const;
  std::filesystem::path folder_;
};

// Writes beside the file, then renames; popart::error, with nothing left behind, if it cannot.
void writeWhole(const std::filesystem::path &file,
                const std::function<void(std::ostream &)> &write);

} // namespace popart::session
