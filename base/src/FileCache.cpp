// SPDX-License-Identifier: MIT
#include "base/FileCache.hpp"
#include "base/DescriptorStream.hpp"
#include "base/NewFile.hpp"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>

namespace base {

struct FileCache::Entry {
  std::int64_t seconds = 0, nanoseconds = 0; // when it was last used
  std::string name;
  std::uint64_t bytes = 0;
};

namespace {

// A folder that others may read has entries that others may read.
mode_t modeIn(const Folder &folder) {
  struct stat info {};
  return ::fstat(folder.get(), &info) == 0 ? 0600 | (info.st_mode & 0044) : 0600;
}

} // namespace

FileCache::FileCache(const std::string &folder, std::vector<std::string> endings, std::string mark,
                     const std::string &remedy)
    : folder_(folder, Missing::MakeAll, remedy), endings_(std::move(endings)),
      mark_(std::move(mark)) {
  clearLeftovers(folder_.get());
}

bool FileCache::isEntryName(const std::string &name) const {
  constexpr std::size_t digits = 32;
  return name.size() > digits && name.find_first_not_of("0123456789abcdef") == digits &&
         std::find(endings_.begin(), endings_.end(), name.substr(digits)) != endings_.end();
}

bool FileCache::hasMark(const std::string &name) const {
  std::string why, begin(mark_.size(), 0);
  const Descriptor file = folder_.open(name, why);
  return file && ::pread(file.get(), begin.data(), begin.size(), 0) == ssize_t(begin.size()) &&
         begin == mark_;
}

Descriptor FileCache::find(const std::string &name, std::string &why) const {
  Descriptor file = folder_.open(name, why);
  if (file)
    ::futimens(file.get(), nullptr); // fails in a folder of root's, which is no matter
  return file;
}

void FileCache::store(const std::string &name,
                      const std::function<void(std::ostream &)> &write) const {
  const auto path = folder_.pathOf(name);
  NewFile file(folder_.get(), path);
  DescriptorStream out(file.get());
  try {
    write(out);
  } catch (...) {
    if (!out.error())
      throw;
  }
  out.flush();
  if (out.error())
    failToWrite(path, out.error());
  if (::fchmod(file.get(), modeIn(folder_)) != 0 || !file.moveTo(name))
    failToWrite(path, errno);
}

std::vector<FileCache::Entry> FileCache::entries() const {
  std::vector<Entry> found;
  for (const auto &name : namesIn(folder_.get())) {
    struct stat info {};
    if (isEntryName(name) &&
        ::fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(info.st_mode))
      found.push_back(
          {info.st_mtim.tv_sec, info.st_mtim.tv_nsec, name, std::uint64_t(info.st_size)});
  }
  return found;
}

std::vector<std::string> FileCache::evict(std::uint64_t mostBytes,
                                          const std::string &newest) const {
  const auto bytesOf = [](const std::vector<Entry> &list) {
    std::uint64_t total = 0;
    for (const Entry &entry : list)
      total += entry.bytes;
    return total;
  };
  auto all = entries();
  if (bytesOf(all) <= mostBytes)
    return {};
  std::erase_if(all, [&](const Entry &e) { return !hasMark(e.name); }); // not ours
  const auto age = [&](const Entry &e) {
    return std::tuple(e.name == newest, e.seconds, e.nanoseconds, e.name);
  };
  std::sort(all.begin(), all.end(),
            [&](const Entry &a, const Entry &b) { return age(a) < age(b); });
  std::vector<std::string> removed;
  auto total = bytesOf(all);
  for (auto entry = all.begin(); total > mostBytes; ++entry) {
    ::unlinkat(folder_.get(), entry->name.c_str(), 0);
    removed.push_back(entry->name);
    total -= entry->bytes;
  }
  return removed;
}

} // namespace base
