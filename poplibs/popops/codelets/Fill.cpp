// SPDX-License-Identifier: MIT
R"codelet(// Fill: one value everywhere. Iota: counting from an offset in each region.
namespace popops {

template <class T> class Fill : public Vertex {
public:
  T in;
  Output<Vector<T>> out;
  bool compute() {
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = in;
    return true;
  }
};

template <class T> class Fill2d : public Vertex {
public:
  T in;
  Vector<Output<Vector<T>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = in;
    return true;
  }
};

template <class T> class Iota : public Vertex {
public:
  Vector<Output<Vector<T>>> out;
  Input<Vector<T, VectorLayout::ONE_PTR>> offsets;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = T(offsets[r] + T(i));
    return true;
  }
};

} // namespace popops
)codelet"
