// SPDX-License-Identifier: MIT
// Small matrices turned: activations of one memory order beside gradients of another.
#pragma once
#include <cstddef>
#include <cstdint>

namespace poplin::norms {

// to[i * toLd + j] = from[j * fromLd + i], for rows x columns of `to`.
void transpose(const float *from, std::int64_t fromLd, float *to, std::int64_t toLd,
               std::size_t rows, std::size_t columns);

} // namespace poplin::norms
