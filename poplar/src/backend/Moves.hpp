// SPDX-License-Identifier: MIT
// Copies and tensors of an image with variables replaced by their places: offsets in the memory of
// a replica (arenaOffset), whatever a backend makes of them.
#pragma once
#include "executable/Image.hpp"
#include "openipu/BoundStep.hpp"
#include <vector>

namespace poplar::backend {

using openipu::ByteLoop;
using openipu::PackedMoves;
using openipu::RawMove;
using openipu::reversed;
using openipu::rowMajor;
using openipu::throughBuffer;

// `none` is a host buffer with base 0.
RawMove resolve(const executable::Move &move, const executable::Image &image);
std::vector<RawMove> resolve(const std::vector<executable::Move> &moves,
                             const executable::Image &image);

// The moves that pack a view into a row-major buffer that starts at byte 0 of the destination.
std::vector<RawMove> packingMoves(const tensor::View &view, const executable::Image &image);
openipu::BoundTensor bind(const tensor::View &view, const executable::Image &image);

} // namespace poplar::backend
