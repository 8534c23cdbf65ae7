// SPDX-License-Identifier: MIT
// Whether something that can be called is empty: a null pointer to a function, or a std::function
// without one. Whatever cannot be compared with nullptr is never empty.
#pragma once
#include <cstddef>

namespace poplar {
namespace openipu {

template <class F> auto isEmptyCallable(const F &f, int) -> decltype(bool(f == nullptr)) {
  return f == nullptr;
}
template <class F> bool isEmptyCallable(const F &, long) { return false; }

} // namespace openipu
} // namespace poplar
