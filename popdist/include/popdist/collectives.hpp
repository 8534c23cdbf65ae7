// SPDX-License-Identifier: MIT
// Values of the host, such as losses, between instances. All instances of the communicator call
// them with as many elements. Outside poprun there is one instance, and nothing to do.
#ifndef POPDIST_COLLECTIVES_HPP
#define POPDIST_COLLECTIVES_HPP
#include "popdist/backend.hpp"
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace popdist {
namespace collectives {

namespace detail {
std::size_t members(CommunicatorId communicator);
void broadcast(void *data, std::size_t bytes, unsigned root, CommunicatorId communicator);
void allGather(const void *data, std::size_t bytes, void *all, CommunicatorId communicator);
} // namespace detail

// Those of the root, an instance of the communicator, everywhere.
template <class T>
void broadcast(T *data, std::size_t elements, unsigned root = 0,
               CommunicatorId communicator = defaultCommunicatorId) {
  static_assert(std::is_trivially_copyable<T>::value, "plain values");
  detail::broadcast(data, elements * sizeof(T), root, communicator);
}
// Those of every instance, one after the other.
template <class T>
std::vector<T> allGather(const T *data, std::size_t elements,
                         CommunicatorId communicator = defaultCommunicatorId);
// Their sum, in order of instances, everywhere.
template <class T>
void allReduceSum(T *data, std::size_t elements,
                  CommunicatorId communicator = defaultCommunicatorId);

} // namespace collectives
} // namespace popdist

#include "popdist/collectives_impl.hpp"
#endif
