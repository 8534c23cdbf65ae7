// SPDX-License-Identifier: MIT
// The kinds of vertex and field, one small class for each.
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace tour {

// A namespace and template arguments are part of the name: "tour::Power<float,3>".
template <typename T, unsigned N> class Power : public Vertex {
public:
  Input<Vector<T>> in;
  Output<Vector<T>> out;

  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) {
      T result = 1;
      for (unsigned n = 0; n < N; ++n)
        result *= in[i];
      out[i] = result;
    }
    return true;
  }
};
template class Power<float, 2>;
template class Power<float, 3>;

// A field that is not an edge keeps its value from one execution to the next.
class Counter : public Vertex {
public:
  unsigned calls;
  Output<unsigned> out;

  void compute() { *out = ++calls; }
};

// All six workers run this on the same data; each takes every sixth element.
class Negate : public MultiVertex {
public:
  InOut<Vector<float, VectorLayout::ONE_PTR, 8>> data;
  unsigned size;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      data[i] = -data[i];
    return true;
  }
};

// A jagged field: a list of vectors of different lengths.
class RowSums : public Vertex {
public:
  Vector<Input<Vector<float>>> rows;
  Output<Vector<float>> out;

  bool compute() {
    for (unsigned r = 0; r < rows.size(); ++r) {
      float sum = 0;
      for (unsigned i = 0; i < rows[r].size(); ++i)
        sum += rows[r][i];
      out[r] = sum;
    }
    return true;
  }
};

} // namespace tour
