// SPDX-License-Identifier: MIT
#include "onnx/bytes.hpp"
#include "base/Arithmetic.hpp"

#include "base/Text.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <popart/error.hpp>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace popart::onnxmodel {

MappedFile::MappedFile(const std::filesystem::path &path)
    : path_(path), file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) { // of a pipe
  struct stat about = {};
  if (file_ < 0 || ::fstat(file_, &about) != 0) {
    const int why = errno;
    if (file_ >= 0)
      ::close(file_);
    throw error("cannot be opened: {}", std::strerror(why));
  }
  if (!S_ISREG(about.st_mode)) {
    ::close(file_);
    throw error("cannot be read: it is no ordinary file");
  }
  size_ = static_cast<std::size_t>(about.st_size);
  written_ = about.st_mtim;
  if (!size_)
    return;
  data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
  if (data_ != MAP_FAILED)
    return;
  const int why = errno;
  ::close(file_);
  throw error("cannot be read: {}", std::strerror(why));
}
MappedFile::~MappedFile() {
  if (size_)
    ::munmap(data_, size_);
  ::close(file_);
}
void MappedFile::requireUnchanged(const void *data) const {
  const auto *p = static_cast<const char *>(data), *begin = bytes().data();
  if (std::less<>()(p, begin) || !std::less<>()(p, begin + size_))
    return;
  struct stat about = {};
  if (::fstat(file_, &about) != 0 || static_cast<std::size_t>(about.st_size) != size_ ||
      about.st_mtim.tv_sec != written_.tv_sec || about.st_mtim.tv_nsec != written_.tv_nsec)
    throw error(base::str("The model file ", path_,
                          " was written to while a session uses its weights. Make the session "
                          "again, and write models to another file that is then renamed."));
}

Bytes Bytes::of(std::string text) {
  auto kept = std::make_shared<const std::string>(std::move(text));
  return {*kept, kept};
}

namespace {

constexpr std::size_t alignment = 64;
std::size_t padded(std::size_t size) { return base::roundUp(size, alignment); }

// Memory in large pages where there are some: half the time of copying gigabytes is spent on
// getting them one small page after the other.
std::shared_ptr<char> block(std::size_t size) {
  void *p = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    throw error("There is no memory for the {} bytes of the model's weights.", size);
  ::madvise(p, size, MADV_HUGEPAGE);
  return {static_cast<char *>(p), [size](char *q) { ::munmap(q, size); }};
}

} // namespace

std::shared_ptr<const void> keep(std::vector<std::string_view> &pieces) {
  std::size_t size = 0;
  for (const auto &piece : pieces)
    size += padded(piece.size());
  if (!size)
    return nullptr;
  const auto all = block(size);
  constexpr std::size_t chunk = std::size_t(4) << 20;
  std::vector<std::pair<std::string_view, char *>> copies; // from, to
  std::size_t at = 0;
  for (auto &piece : pieces) {
    for (std::size_t done = 0; done < piece.size(); done += chunk)
      copies.emplace_back(piece.substr(done, chunk), all.get() + at + done);
    piece = piece.empty() ? piece : std::string_view(all.get() + at, piece.size());
    at += padded(piece.size());
  }
  base::parallelFor(copies.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      std::memcpy(copies[i].second, copies[i].first.data(), copies[i].first.size());
  });
  return all;
}

} // namespace popart::onnxmodel
