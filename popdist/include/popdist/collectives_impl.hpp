// SPDX-License-Identifier: MIT
#ifndef POPDIST_COLLECTIVES_IMPL_HPP
#define POPDIST_COLLECTIVES_IMPL_HPP
#include "popdist/collectives.hpp"

namespace popdist {
namespace collectives {

template <class T>
std::vector<T> allGather(const T *data, std::size_t elements, CommunicatorId communicator) {
  static_assert(std::is_trivially_copyable<T>::value, "plain values");
  std::vector<T> all(elements * detail::members(communicator));
  detail::allGather(data, elements * sizeof(T), all.data(), communicator);
  return all;
}

template <class T> void allReduceSum(T *data, std::size_t elements, CommunicatorId communicator) {
  const auto all = allGather(data, elements, communicator);
  for (std::size_t i = 0; i < elements; ++i) {
    data[i] = all[i];
    for (std::size_t from = elements + i; from < all.size(); from += elements)
      data[i] += all[from];
  }
}

} // namespace collectives
} // namespace popdist

#endif
