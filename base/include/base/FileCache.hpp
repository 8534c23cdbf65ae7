// SPDX-License-Identifier: MIT
// Files that processes keep for later in a folder, which they may share with other things: an entry
// is called by 32 hexadecimal digits and a known ending, and begins with a known mark. Only such
// files of trusted users are read, counted and thrown out. Entries appear whole or not at all.
#pragma once
#include "base/Folder.hpp"
#include <cstdint>
#include <functional>
#include <ostream>

namespace base {

class FileCache {
public:
  // The folder is made if it is missing; `remedy` is Folder's. Clears what dead processes left.
  FileCache(const std::string &folder, std::vector<std::string> endings, std::string mark,
            const std::string &remedy);
  const Folder &folder() const { return folder_; }

  // Open for reading and noted as used just now. Nothing if it is missing, or if it is not to be
  // trusted, and then `why` says why.
  Descriptor find(const std::string &name, std::string &why) const;
  // FileError, with nothing left behind, if it cannot be written.
  void store(const std::string &name, const std::function<void(std::ostream &)> &write) const;
  // Removes what was used longest ago, `newest` last, until no more than so many bytes are left.
  // Returns the names of what was removed.
  std::vector<std::string> evict(std::uint64_t mostBytes, const std::string &newest) const;

private:
  struct Entry;
  std::vector<Entry> entries() const;
  bool isEntryName(const std::string &name) const;
  bool hasMark(const std::string &name) const;
  Folder folder_;
  std::vector<std::string> endings_;
  std::string mark_;
};

} // namespace base
