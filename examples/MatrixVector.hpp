// SPDX-License-Identifier: MIT
// What the matrix-vector examples share: the numbers, and running y = A x with its cycles counted.
#pragma once
#include "Example.hpp"
#include <cstdint>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

struct MatrixVector {
  std::size_t rows, columns;
  std::vector<float> matrix, vector, product; // product: computed here in double precision

  MatrixVector(std::size_t rows, std::size_t columns)
      : rows(rows), columns(columns), matrix(rows * columns), vector(columns), product(rows) {
    for (std::size_t i = 0; i < matrix.size(); ++i)
      matrix[i] = static_cast<float>(i * 37 % 101) / 101 - 0.5f;
    for (std::size_t i = 0; i < columns; ++i)
      vector[i] = static_cast<float>(i * 13 % 29) / 29;
    for (std::size_t r = 0; r < rows; ++r) {
      double sum = 0;
      for (std::size_t c = 0; c < columns; ++c)
        sum += static_cast<double>(matrix[r * columns + c]) * vector[c];
      product[r] = static_cast<float>(sum);
    }
  }
};

struct Run {
  bool right;
  std::uint64_t cycles;
};

// Runs `multiply`, which reads a and x and writes y, and compares y with the product known above.
inline Run runMatrixVector(const poplar::Device &device, poplar::Graph &graph,
                           poplar::program::Sequence multiply, const poplar::Tensor &a,
                           const poplar::Tensor &x, const poplar::Tensor &y,
                           const MatrixVector &numbers) {
  poplar::Tensor cycles =
      poplar::cycleCount(graph, multiply, 0, poplar::SyncType::INTERNAL, "cycles");
  graph.createHostWrite("a", a);
  graph.createHostWrite("x", x);
  graph.createHostRead("y", y);
  graph.createHostRead("cycles", cycles);

  poplar::Engine engine(graph, multiply);
  engine.load(device);
  const auto &m = numbers.matrix;
  const auto &v = numbers.vector;
  engine.writeTensor("a", m.data(), m.data() + m.size());
  engine.writeTensor("x", v.data(), v.data() + v.size());
  engine.run();

  std::vector<float> got(numbers.rows);
  Run run;
  engine.readTensor("y", got.data(), got.data() + got.size());
  engine.readTensor("cycles", &run.cycles, &run.cycles + 1);
  run.right = isNear(got, numbers.product, 1e-4f);
  return run;
}
