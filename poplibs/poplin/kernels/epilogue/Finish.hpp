// SPDX-License-Identifier: MIT
// The element-wise end of a product on the host: sums + what is added to them, then a function.
#pragma once
#include "matmul/Micro.hpp"
#include "matmul/Pack.hpp"
#include "openipu/Activation.hpp"
#include "openipu/Kernel.hpp"
#include <vector>

namespace poplin {

using openipu::Activation;

// In place, on floats that lie side by side. Null for None; throws std::runtime_error for a value
// that is none of the enumeration (executables are files).
using ActivationLoop = void (*)(float *data, std::size_t n);
ActivationLoop activationLoop(Activation activation);
// In innermost loops: some are done there, others by a loop.
void setActivation(micro::Finish &finish, Activation activation);

// What is added to the results of a product and done to them; the added matrices are as large as
// the results.
struct Finish {
  Strided add[2];
  unsigned adds = 0;
  Activation activation = Activation::None;

  bool any() const { return adds || activation != Activation::None; }
  Finish at(std::size_t row, std::size_t column) const;
};

// Of a kernel whose first two inputs are a product's: which of those that are added lie where the
// output will (openipu/Overwrite.hpp). Sums that go straight to memory start from these; sums that
// are finished elsewhere read them before they come.
std::vector<std::size_t> heldBy(const openipu::KernelArgs &args);

// What is added at the end comes while the sums are made.
inline void comeNear(const float *data, std::size_t floats) {
  for (std::size_t i = 0; i < floats; i += 16)
    __builtin_prefetch(data + i);
}

// A tile of results, for the innermost loops: rows r of `of`, from a column on. `columns` is what
// exists of the `padded` columns that are computed; what does not lie in whole vectors of floats
// comes by way of `room`, which has space for 2 * maxRows * padded floats.
class TileFinish {
public:
  TileFinish(const Finish &of, std::size_t rows, std::size_t columns, std::size_t padded,
             float *room);
  micro::Finish work;

private:
  const float *pointers_[2][micro::maxRows];
};

// The same without the innermost loops: to = finished sums.
void finishRows(float *sums, std::size_t ld, std::size_t rows, std::size_t columns,
                const Finish &finish, Strided to);

} // namespace poplin
