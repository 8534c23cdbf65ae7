// SPDX-License-Identifier: MIT
#include "base/DescriptorStream.hpp"
#include <array>
#include <cerrno>
#include <streambuf>
#include <unistd.h>

namespace base {

class DescriptorStream::Buffer : public std::streambuf {
public:
  explicit Buffer(int fd) : fd_(fd) { setp(buffer_.data(), buffer_.data() + buffer_.size()); }
  int error() const { return error_; }
  bool send(const char *data, std::size_t size) {
    while (size > 0 && !error_) {
      const ssize_t n = ::write(fd_, data, size);
      if (n < 0 && errno != EINTR)
        error_ = errno;
      data += n > 0 ? n : 0;
      size -= n > 0 ? std::size_t(n) : 0;
    }
    return !error_;
  }
  int sync() override {
    const bool good = send(pbase(), std::size_t(pptr() - pbase()));
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return good ? 0 : -1;
  }

private:
  int_type overflow(int_type c) override {
    if (sync() != 0)
      return traits_type::eof();
    return traits_type::eq_int_type(c, traits_type::eof()) ? 0
                                                           : sputc(traits_type::to_char_type(c));
  }
  std::streamsize xsputn(const char *data, std::streamsize size) override {
    if (size < epptr() - pptr())
      return std::streambuf::xsputn(data, size);
    return sync() == 0 && send(data, std::size_t(size)) ? size : 0;
  }
  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {
    const int whence = from == std::ios::beg   ? SEEK_SET
                       : from == std::ios::cur ? SEEK_CUR
                                               : SEEK_END;
    return sync() == 0 ? pos_type(::lseek(fd_, offset, whence)) : pos_type(off_type(-1));
  }
  pos_type seekpos(pos_type position, std::ios::openmode mode) override {
    return seekoff(off_type(position), std::ios::beg, mode);
  }
  int fd_, error_ = 0;
  std::array<char, 1 << 16> buffer_;
};

DescriptorStream::DescriptorStream(int fd)
    : std::ostream(nullptr), buffer_(std::make_unique<Buffer>(fd)) {
  rdbuf(buffer_.get());
}
DescriptorStream::~DescriptorStream() { flush(); }
int DescriptorStream::error() const { return buffer_->error(); }

} // namespace base
