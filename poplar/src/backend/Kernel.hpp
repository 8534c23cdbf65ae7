// SPDX-License-Identifier: MIT
// Whole-tensor operations of the layers above, by name. A Kernel step of an image names one; the
// engine binds its operands once, at load, and from then on only calls `run`. Libraries register
// theirs with registerKernel before an engine that needs them is loaded.
#pragma once
#include "types/TypeId.hpp"
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace poplar::backend {

// A tensor as a kernel sees it. Views that one set of strides cannot describe arrive gathered, so
// they are contiguous.
struct KernelOperand {
  std::byte *data = nullptr;
  TypeId type = TypeId::Float;
  std::span<const std::size_t> shape;
  std::span<const std::int64_t> strides; // elements, one per dimension
  std::size_t elements = 0;
  bool contiguous = true; // row-major without gaps

  template <class T> T *as() const { return reinterpret_cast<T *>(data); }
};

struct KernelArgs {
  std::span<const KernelOperand> outputs, inputs;
  std::string_view attributes;    // bytes that the kernel's planner wrote
  const void *prepared = nullptr; // what `prepare` returned, if the kernel has one

  template <class T> T *out(std::size_t i) const { return outputs[i].as<T>(); }
  template <class T> const T *in(std::size_t i) const { return inputs[i].as<const T>(); }
};

struct Kernel {
  std::string name; // "popops.add"
  void (*run)(const KernelArgs &args) = nullptr;
  // Optional: turns attributes and operands into whatever `run` wants to have ready; called once
  // per load.
  std::function<const void *(const KernelArgs &args)> prepare;
  std::function<void(const void *prepared)> release;
};

// Thread-safe. The same name again replaces the kernel for engines loaded later.
void registerKernel(Kernel kernel);
// Throws poplar_error with near matches when no library registered the name.
const Kernel &findKernel(const std::string &name);

} // namespace poplar::backend
