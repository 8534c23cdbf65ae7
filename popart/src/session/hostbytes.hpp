// SPDX-License-Identifier: MIT
// The values of a weight on the host. Models have gigabytes of them, so bytes are shared with
// whoever made them (the parsed model, a mapped file) until somebody writes. Those that are lent
// are written where they are.
#pragma once
#include "ir/hosttensor.hpp"
#include <memory>
#include <string_view>

namespace popart::session {

class HostBytes {
public:
  HostBytes() = default;
  explicit HostBytes(const ir::HostTensor &values); // shared
  static HostBytes copyOf(std::string_view bytes);
  static HostBytes lent(void *data, std::size_t size, std::shared_ptr<void> owner);

  const char *data() const { return data_; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

  // Bytes of one's own: with the values they had, or new ones of a size, whose contents are
  // anything.
  char *writable();
  char *overwrite(std::size_t size);
  // Those of another; into the memory that is lent, if the size is the same.
  void assign(HostBytes values);
  // At least `size` bytes, zero where there were none.
  void grow(std::size_t size);
  // Row-major elements of `info`, shared.
  ir::HostTensor as(const TensorInfo &info) const { return {info, data_, owner_}; }

private:
  bool isMine() const { return lent_ || (mine_ && owner_.use_count() == 1); }
  const char *data_ = "";
  std::size_t size_ = 0;
  std::shared_ptr<const void> owner_;
  bool mine_ = false; // allocated here, so that it may be written while nobody else has it
  bool lent_ = false; // may be written whoever else has it
};

} // namespace popart::session
