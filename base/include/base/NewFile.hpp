// SPDX-License-Identifier: MIT
// Files and folders that exist for a while only. Their names cannot be foreseen, they are made
// exclusively, and they are locked while their maker lives: what a killed process leaves behind is
// told from what is in use, and is cleared by the next process that makes one in the same place.
#pragma once
#include "base/Folder.hpp"

namespace base {

// A file on its way: vanishes with the object unless it was moved to its place.
class NewFile {
public:
  NewFile(int folder, const std::string &pathForMessages, mode_t mode = 0600); // FileError
  ~NewFile();
  NewFile(const NewFile &) = delete;
  int get() const { return fd_.get(); }
  bool moveTo(const std::string &name); // in the same folder, over what is there; false with errno

private:
  int folder_;
  std::string name_;
  Descriptor fd_;
};

// A private folder under TMPDIR that vanishes with the object.
class TemporaryFolder {
public:
  TemporaryFolder(); // FileError, UnsafeError
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  std::string file(const std::string &name) const { return path_ + "/" + name; }
  const std::string &path() const { return path_; }

private:
  Folder place_;
  std::string path_;
  Descriptor lock_;
};

// Removes the files that dead processes of this user have left in a folder.
void clearLeftovers(int folder);

[[noreturn]] void failToWrite(const std::string &path, int error); // FileError

} // namespace base
