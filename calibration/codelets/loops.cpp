// SPDX-License-Identifier: MIT
// Small loops as users write them: streams over arrays, a dot product.
#include <ipudef.h>
#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

using namespace poplar;

template <class T> class Copy : public Vertex {
public:
  Output<Vector<T>> a;
  Input<Vector<T>> b, c;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = b[i];
    return true;
  }
};
template class Copy<float>;

template <class T> class Add : public Vertex {
public:
  Output<Vector<T>> a;
  Input<Vector<T>> b, c;
  bool compute() {
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = b[i] + c[i];
    return true;
  }
};
template class Add<float>;

template <class T> class Triad : public Vertex {
public:
  Output<Vector<T>> a;
  Input<Vector<T>> b, c;
  bool compute() {
    const T s = T(0.4f);
    for (unsigned i = 0; i < a.size(); ++i)
      a[i] = b[i] + s * c[i];
    return true;
  }
};
template class Triad<float>;
template class Triad<half>;

// The same with the tile's vectors.
class TriadFloat2 : public Vertex {
public:
  Output<Vector<float, VectorLayout::SPAN, 8>> a;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> b, c;
  bool compute() {
    float2 *to = reinterpret_cast<float2 *>(&a[0]);
    const float2 *from = reinterpret_cast<const float2 *>(&b[0]),
                 *scaled = reinterpret_cast<const float2 *>(&c[0]);
    const float2 s = {0.4f, 0.4f};
    for (unsigned i = 0; i < a.size() / 2; ++i)
      to[i] = from[i] + s * scaled[i];
    return true;
  }
};

class Dot : public Vertex {
public:
  Input<Vector<float>> a, b;
  Output<float> out;
  bool compute() {
    float sum = 0;
    for (unsigned i = 0; i < a.size(); ++i)
      sum += a[i] * b[i];
    *out = sum;
    return true;
  }
};

class Nothing : public Vertex {
public:
  Output<float> out;
  bool compute() {
    *out = 0;
    return true;
  }
};
