// SPDX-License-Identifier: MIT
// Compiled to archive.gp by popc before the program runs.
#include <poplar/Vertex.hpp>

template <typename T> class Square : public poplar::Vertex {
public:
  poplar::InOut<poplar::Vector<T>> data;
  void compute() {
    for (auto &x : data)
      x = x * x;
  }
};
template class Square<int>;
