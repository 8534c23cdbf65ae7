// SPDX-License-Identifier: MIT
// Operands of a kernel as plain row-major floats, for operators whose arithmetic reads every value
// many times: gather (and widen halves) once, compute, scatter once.
#pragma once
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplin::dense {

// A strided window onto an operand. Cheap to copy; the operand must outlive it.
struct View {
  std::byte *data = nullptr;
  openipu::TypeId type = openipu::TypeId::Float;
  std::vector<std::size_t> shape;
  std::vector<std::int64_t> strides; // elements

  View() = default;
  explicit View(const openipu::KernelOperand &operand);
  std::size_t rank() const { return shape.size(); }
  std::size_t elements() const;
  bool contiguous() const;
  View transposed(std::size_t a, std::size_t b) const;
  View dimShuffled(const std::vector<std::size_t> &order) const;
  View reversed(std::size_t dim) const;
  View at(std::size_t index) const; // along the first dimension, which disappears
  // Leading dimensions as one list of sub-views of `rank` dimensions, in row-major order.
  std::vector<View> leaves(std::size_t rank) const;
};

// Float or Half elements in row-major order of the view.
void load(const View &from, float *to);
void store(const float *from, const View &to);

// The elements of a float or half operand: the operand's own memory where that serves.
class Floats {
public:
  Floats() = default;
  explicit Floats(const View &view);
  explicit Floats(const openipu::KernelOperand &operand) : Floats(View(operand)) {}
  Floats(Floats &&) = default; // the vector's memory does not move with it
  Floats &operator=(Floats &&) = default;
  Floats(const Floats &) = delete;
  Floats &operator=(const Floats &) = delete;
  const float *data() const { return data_; }
  const float &operator[](std::size_t i) const { return data_[i]; }

private:
  std::vector<float> own_;
  const float *data_ = nullptr;
};

// Room for a result in floats: the operand's own memory, or a buffer that flush() stores.
class FloatsOut {
public:
  FloatsOut() = default;
  explicit FloatsOut(View view);
  explicit FloatsOut(const openipu::KernelOperand &operand) : FloatsOut(View(operand)) {}
  FloatsOut(FloatsOut &&) = default;
  FloatsOut &operator=(FloatsOut &&) = default;
  FloatsOut(const FloatsOut &) = delete;
  FloatsOut &operator=(const FloatsOut &) = delete;
  float *data() const { return data_; }
  void flush() const;

private:
  View view_;
  std::vector<float> own_;
  float *data_ = nullptr;
};

} // namespace poplin::dense
