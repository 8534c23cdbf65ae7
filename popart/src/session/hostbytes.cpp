// SPDX-License-Identifier: MIT
#include "session/hostbytes.hpp"

#include <algorithm>
#include <cstring>

namespace popart::session {

HostBytes::HostBytes(const ir::HostTensor &values) {
  auto kept = std::make_shared<const ir::HostTensor>(values);
  data_ = static_cast<const char *>(kept->data());
  size_ = kept->bytes();
  owner_ = std::move(kept);
}

HostBytes HostBytes::copyOf(std::string_view bytes) {
  HostBytes out;
  std::memcpy(out.overwrite(bytes.size()), bytes.data(), bytes.size());
  return out;
}

HostBytes HostBytes::lent(void *data, std::size_t size, std::shared_ptr<void> owner) {
  HostBytes out;
  out.data_ = static_cast<const char *>(data);
  out.size_ = size;
  out.owner_ = std::move(owner);
  out.lent_ = true;
  return out;
}

void HostBytes::assign(HostBytes values) {
  if (lent_ && size_ == values.size_)
    std::memmove(writable(), values.data_, size_);
  else
    *this = std::move(values);
}

char *HostBytes::overwrite(std::size_t size) {
  if (!isMine() || size != size_) {
    std::shared_ptr<char[]> fresh(new char[size]); // not cleared: pages come when they are written
    data_ = fresh.get();
    size_ = size;
    owner_ = std::move(fresh);
    mine_ = true;
    lent_ = false;
  }
  return const_cast<char *>(data_);
}

char *HostBytes::writable() {
  if (!isMine()) {
    const HostBytes before = *this;
    std::memcpy(overwrite(before.size_), before.data_, before.size_);
  }
  return const_cast<char *>(data_);
}

void HostBytes::grow(std::size_t size) {
  if (size <= size_)
    return;
  const HostBytes before = *this;
  char *bytes = overwrite(size);
  std::copy_n(before.data_, before.size_, bytes);
  std::fill(bytes + before.size_, bytes + size, 0);
}

} // namespace popart::session
