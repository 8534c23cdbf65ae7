// SPDX-License-Identifier: MIT
R"codelet(// Unary operators.
namespace popops {

template <expr::UnaryOpType op, class T> class UnaryOp1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in;
  Output<Vector<Result<UnaryOf<op>, T>>> out;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = apply<UnaryOf<op>>(in[i]);
    return true;
  }
};

template <expr::UnaryOpType op, class T> class UnaryOp1DInPlace : public MultiVertex {
public:
  InOut<Vector<T>> inOut;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < inOut.size(); i += numWorkers())
      inOut[i] = apply<UnaryOf<op>>(T(inOut[i]));
    return true;
  }
};

template <expr::UnaryOpType op, class T> class UnaryOp2D : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> in;
  Vector<Output<Vector<Result<UnaryOf<op>, T>>>> out;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = apply<UnaryOf<op>>(in[r][i]);
    return true;
  }
};

template <expr::UnaryOpType op, class T> class UnaryOp2DInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> inOut;
  bool compute() {
    for (unsigned r = 0; r < inOut.size(); ++r)
      for (unsigned i = 0; i < inOut[r].size(); ++i)
        inOut[r][i] = apply<UnaryOf<op>>(T(inOut[r][i]));
    return true;
  }
};

} // namespace popops
)codelet"
