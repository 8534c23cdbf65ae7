// SPDX-License-Identifier: MIT
// Evenly spaced values, and grids of coordinates made from two such lists.
#pragma once
#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace poplin {

// A constant of `count` values from `left` to `right`, both included.
poplar::Tensor linspace(poplar::Graph &graph, const poplar::Type &type, float left, float right,
                        std::size_t count, const poplar::DebugContext &debugContext = {});

// {x of every point, y of every point}, both [elements of y][elements of x]; views without copies.
std::vector<poplar::Tensor> meshgrid2d(poplar::Graph &graph, poplar::Tensor x, poplar::Tensor y);

} // namespace poplin
