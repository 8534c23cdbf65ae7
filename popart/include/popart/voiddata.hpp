// SPDX-License-Identifier: MIT
// Host memory with a description, owned by the caller.
#ifndef POPART_VOIDDATA_HPP
#define POPART_VOIDDATA_HPP
#include <popart/tensorinfo.hpp>

namespace popart {

// Memory that is only read.
class ConstVoidData {
public:
  ConstVoidData() = default;
  ConstVoidData(const void *d, const TensorInfo &i) : data(d), info(i) {}
  const void *data = nullptr;
  TensorInfo info; // type and shape
};

// Memory that is written.
class MutableVoidData {
public:
  MutableVoidData() = default;
  MutableVoidData(void *d, const TensorInfo &i) : data(d), info(i) {}
  void *data = nullptr;
  TensorInfo info; // type and shape
};

} // namespace popart
#endif
