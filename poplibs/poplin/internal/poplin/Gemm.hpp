// SPDX-License-Identifier: MIT
// Matrix products on the host for kernels of any library: c = beta * c + alpha * a * b, for one or
// many matrices, any strides, float or half storage. Sums are kept in float and rounded once when
// c is half. Large products are spread over the pool in pieces that depend on the sizes alone, so
// the result does not depend on the number of threads; inside a parallelFor the product runs on
// the calling thread. Memory for packing is kept per thread: only first calls allocate.
#pragma once
#include "openipu/Activation.hpp"
#include "openipu/TypeId.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace poplin {

// Element (group, row, column) lies at data[group * group + row * row + column * column], strides
// in elements. Strides of a and b may be zero or negative.
struct GemmMatrix {
  void *data = nullptr;
  poplar::TypeId type = poplar::TypeId::Float; // Float or Half
  std::int64_t row = 0, column = 1, group = 0;

  static GemmMatrix of(const float *data, std::int64_t row, std::int64_t column = 1,
                       std::int64_t group = 0) {
    return {const_cast<float *>(data), poplar::TypeId::Float, row, column, group};
  }
  GemmMatrix transposed() const { return {data, type, column, row, group}; }
};

// c = activation(a b + add[0] + add[1]), for products with alpha 1 and beta 0. What is added may
// lie where c does.
struct GemmFinish {
  std::vector<GemmMatrix> add; // as large as c; at most two
  openipu::Activation activation = openipu::Activation::None;
};

// What was made of b, for further products of the same sizes and strides with the same b. Whoever
// owns it says when b has changed.
class KeptMatrix {
public:
  KeptMatrix();
  ~KeptMatrix();
  void forget() { valid_ = false; }

private:
  friend void gemm(const struct Gemm &);
  std::unique_ptr<class KeptFloats> data_;
  bool valid_ = false;
};

struct Gemm {
  std::size_t m = 0, n = 0, k = 0; // c is m x n, a is m x k, b is k x n
  GemmMatrix a, b, c;
  float alpha = 1, beta = 0; // beta 0: c is not read
  std::size_t groups = 1;
  GemmFinish finish{};
  KeptMatrix *kept = nullptr; // if set, b may be arranged once and kept
};

void gemm(const Gemm &product);

} // namespace poplin
