// SPDX-License-Identifier: MIT
R"codelet(// Binary operators on a vector and one value.
namespace popops {

template <expr::BinaryOpType op, class T> class BroadcastScalar1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> data;
  Output<Vector<Result<BinaryOf<op>, T>>> out;
  Input<T> B;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = apply<BinaryOf<op>>(data[i], *B);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BroadcastScalar1DInPlace : public MultiVertex {
public:
  InOut<Vector<T>> data;
  Input<T> B;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < data.size(); i += numWorkers())
      data[i] = apply<BinaryOf<op>>(T(data[i]), *B);
    return true;
  }
};

// The result has another type than the data: computed in float.
template <expr::BinaryOpType op, class In, class Out>
class BroadcastScalar2Types1D : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR>> data;
  Output<Vector<Out>> out;
  Input<In> B;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = Out(BinaryOf<op>::of(Computed<In>(data[i]), Computed<In>(*B)));
    return true;
  }
};

template <expr::BinaryOpType op, class In, class Out>
class BroadcastScalar2Types2DData : public Vertex {
public:
  Vector<Input<Vector<In, VectorLayout::ONE_PTR>>> data;
  Vector<Output<Vector<Out>>> out;
  Input<In> B;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = Out(BinaryOf<op>::of(Computed<In>(data[r][i]), Computed<In>(*B)));
    return true;
  }
};

template <expr::BinaryOpType op, class In, class Out>
class BroadcastScalar1DRelationalOpDualOutput : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR>> data;
  Output<Vector<Out>> out, outInv;
  Input<In> B;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers()) {
      const bool holds = apply<BinaryOf<op>>(data[i], *B);
      out[i] = Out(holds);
      outInv[i] = Out(!holds);
    }
    return true;
  }
};

// One value for all regions.
template <expr::BinaryOpType op, class T> class BroadcastScalar2DData : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> data;
  Vector<Output<Vector<Result<BinaryOf<op>, T>>>> out;
  Input<T> B;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = apply<BinaryOf<op>>(data[r][i], *B);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BroadcastScalar2DDataInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> data;
  Input<T> B;
  bool compute() {
    for (unsigned r = 0; r < data.size(); ++r)
      for (unsigned i = 0; i < data[r].size(); ++i)
        data[r][i] = apply<BinaryOf<op>>(T(data[r][i]), *B);
    return true;
  }
};

// One value for each region.
template <expr::BinaryOpType op, class T> class BroadcastScalar2D : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> data;
  Vector<Output<Vector<Result<BinaryOf<op>, T>>>> out;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = apply<BinaryOf<op>>(data[r][i], B[r]);
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BroadcastScalar2DInPlace : public Vertex {
public:
  Vector<InOut<Vector<T>>> data;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  bool compute() {
    for (unsigned r = 0; r < data.size(); ++r)
      for (unsigned i = 0; i < data[r].size(); ++i)
        data[r][i] = apply<BinaryOf<op>>(T(data[r][i]), B[r]);
    return true;
  }
};

} // namespace popops
)codelet"
