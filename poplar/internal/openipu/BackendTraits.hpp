// SPDX-License-Identifier: MIT
// What a backend likes, for choices that are made before it runs: how tensors are stored when a
// graph is built, where variables lie. A program that was made for one backend runs on every other,
// only perhaps slower.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace poplar {
class Target;
}

namespace poplar::openipu {

// Which dimension of a convolution's activations lies side by side in memory.
enum class ActivationOrder : std::uint8_t {
  ByLanes,     // images where they fill more of a vector than channels would, else channels
  ChannelsLast // channels, whatever their number
};

struct BackendTraits {
  std::size_t floatLanes = 16; // floats that are computed at once, if they lie together
  std::size_t alignment = 64;  // bytes, of a variable
  // Whether results of kernels may lie where an operand is that ends with them, if the kernel's own
  // rule allows it (openipu/Overwrite.hpp).
  bool overwrites = true;
  ActivationOrder activations = ActivationOrder::ByLanes;
};

// Those of the backend that runs programs of this target.
const BackendTraits &traitsOf(const poplar::Target &target);

std::vector<std::string> backendNames(); // sorted

} // namespace poplar::openipu

namespace openipu = poplar::openipu;
