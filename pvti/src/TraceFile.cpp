// SPDX-License-Identifier: MIT
#include "TraceFile.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace pvti {

namespace {

constexpr std::size_t windowBytes = 1 << 20;

[[noreturn]] void fail(const std::string &path, int error) {
  throw std::runtime_error(
      base::str("Cannot write the trace \"", path, "\": ", std::strerror(error), "."));
}

} // namespace

// A file that was opened for writing alone cannot be mapped for it: the same file is opened once
// more.
TraceFile::TraceFile(const std::string &path)
    : path_(path), file_(base::openInPlace(path, base::Begin::Anew)) {
  struct stat info {};
  mapped_ = ::fstat(file_.get(), &info) == 0 && S_ISREG(info.st_mode);
  if (!mapped_)
    return;
  const auto again = base::str("/proc/self/fd/", file_.get());
  base::Descriptor both(::open(again.c_str(), O_RDWR | O_CLOEXEC));
  if (!both)
    fail(path, errno);
  file_ = std::move(both);
}

TraceFile::~TraceFile() {
  const auto size = windowBegin_ + used_;
  const bool cut = mapped_ && own_;
  unmap();
  if (cut && ::ftruncate(file_.get(), static_cast<off_t>(size)) != 0) {
  } // then spaces are left at its end
}

void TraceFile::forget() { own_ = false; }

void TraceFile::unmap() {
  if (window_)
    ::munmap(window_, windowBytes);
  window_ = nullptr;
}

// The window moves on by whole pages. The room is reserved first: writing to a mapping for which
// there is no room would end the process.
void TraceFile::grow(std::size_t bytes) {
  const auto at = windowBegin_ + used_;
  if (bytes > windowBytes / 2)
    fail(path_, EMSGSIZE);
  unmap();
  const auto page = std::size_t(::sysconf(_SC_PAGESIZE));
  const auto begin = at / page * page;
  if (const int error = ::posix_fallocate(file_.get(), static_cast<off_t>(begin), windowBytes))
    fail(path_, error);
  void *window = ::mmap(nullptr, windowBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(),
                        static_cast<off_t>(begin));
  if (window == MAP_FAILED)
    fail(path_, errno);
  window_ = static_cast<char *>(window);
  windowBegin_ = begin;
  used_ = at - begin;
  std::memset(window_ + used_, ' ', windowBytes - used_);
}

void TraceFile::append(std::string_view text) {
  if (!mapped_) {
    for (std::size_t done = 0; done < text.size();) {
      const auto count = ::write(file_.get(), text.data() + done, text.size() - done);
      if (count < 0 && errno != EINTR)
        fail(path_, errno);
      done += count > 0 ? std::size_t(count) : 0;
    }
    return;
  }
  if (!window_ || used_ + text.size() > windowBytes)
    grow(text.size());
  std::memcpy(window_ + used_, text.data(), text.size());
  used_ += text.size();
}

} // namespace pvti
