// SPDX-License-Identifier: MIT
// A file that grows by whole lines and is in order whenever the process ends, however it ends: it
// is written through a shared mapping, so what was appended belongs to the kernel at once and no
// call is made for it. The room ahead is filled with spaces, which readers of JSON skip.
#pragma once
#include "base/OutputFile.hpp"
#include <string>
#include <string_view>

namespace pvti {

class TraceFile {
public:
  explicit TraceFile(const std::string &path); // base::FileError, base::UnsafeError
  ~TraceFile();                                // cuts off the room ahead
  TraceFile(const TraceFile &) = delete;
  TraceFile &operator=(const TraceFile &) = delete;
  const std::string &path() const { return path_; }
  void append(std::string_view text); // std::runtime_error when the disk is full
  void forget();                      // in a forked child: the file is the parent's

private:
  void grow(std::size_t bytes);
  void unmap();
  std::string path_;
  base::Descriptor file_; // what is mapped, or for a pipe written to
  bool mapped_ = false, own_ = true;
  char *window_ = nullptr;
  std::size_t windowBegin_ = 0, used_ = 0; // in the file; used_: in the window
};

} // namespace pvti
