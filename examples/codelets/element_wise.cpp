// SPDX-License-Identifier: MIT
// Element-wise operators on one worker's share of two tensors, for each element type instantiated
// below.
#include <poplar/Vertex.hpp>

using namespace poplar;

template <typename T> class Add : public Vertex {
public:
  Input<Vector<T>> a;
  Input<Vector<T>> b;
  Output<Vector<T>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = a[i] + b[i];
    return true;
  }
};

template <typename T> class Multiply : public Vertex {
public:
  Input<Vector<T>> a;
  Input<Vector<T>> b;
  Output<Vector<T>> out;

  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = a[i] * b[i];
    return true;
  }
};

template <typename T> class Scale : public Vertex {
public:
  InOut<Vector<T>> data;
  T factor;

  bool compute() {
    for (auto &x : data)
      x = x * factor;
    return true;
  }
};

template class Add<float>;
template class Add<int>;
template class Multiply<float>;
template class Multiply<int>;
template class Scale<float>;
