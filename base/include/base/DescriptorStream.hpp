// SPDX-License-Identifier: MIT
// An output stream onto an open file that remembers why a write failed: std::ofstream leaves that
// to errno and chance. The file stays open, and is the caller's to close.
#pragma once
#include <memory>
#include <ostream>

namespace base {

class DescriptorStream : public std::ostream {
public:
  explicit DescriptorStream(int fd);
  ~DescriptorStream() override;
  int error() const; // errno of the first write that failed, or 0

private:
  class Buffer;
  std::unique_ptr<Buffer> buffer_;
};

} // namespace base
