// SPDX-License-Identifier: MIT
R"codelet(// Binary operators on two vectors.
namespace popops {

template <expr::BinaryOpType op, class T> class BinaryOp1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in1, in2;
  Output<Vector<Result<BinaryOf<op>, T>>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = apply<BinaryOf<op>>(in1[i], in2[i]);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BinaryOp1DInPlace : public MultiVertex {
public:
  InOut<Vector<T>> in1Out;
  Input<Vector<T, VectorLayout::ONE_PTR>> in2;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in1Out.size(); i += numWorkers())
      in1Out[i] = apply<BinaryOf<op>>(T(in1Out[i]), in2[i]);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BinaryOp2D : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> in1, in2;
  Vector<Output<Vector<Result<BinaryOf<op>, T>>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = apply<BinaryOf<op>>(in1[r][i], in2[r][i]);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BinaryOp2DInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> in2;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = apply<BinaryOf<op>>(T(in1Out[r][i]), in2[r][i]);
    return true;
  }
};

} // namespace popops
)codelet"
