// SPDX-License-Identifier: MIT
// y = A x with one vertex per row. Every tile that holds a row needs the whole of x, and a tile
// with one row keeps one of its six workers busy: example 06 does better.
#include "RowPerVertex.hpp"

int main() {
  poplar::Device device = attachIpu();
  const MatrixVector numbers(256, 4096);
  const Run run = multiplyByRows(device, numbers);
  std::cout << numbers.rows << " x " << numbers.columns << ": " << run.cycles << " cycles\n";
  return verdict(run.right && run.cycles > 0, "matrix-vector product, a vertex per row");
}
