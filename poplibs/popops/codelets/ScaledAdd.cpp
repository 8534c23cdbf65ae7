// SPDX-License-Identifier: MIT
R"codelet(// A + b B and its relatives in place on A; products; halves by one float. Computed in float.
namespace popops {

template <class A_, class B_, class S> A_ scaledSum(A_ a, B_ b, S scale, int sign) {
  typedef Computed<A_> T;
  if constexpr (isFloat<T>)
    return A_(T(a) + T(sign) * T(scale) * T(b));
  else
    return A_(wrap(T(a)) + wrap(T(sign)) * wrap(T(scale)) * wrap(T(b)));
}
template <class T, class S> T scaledSums(T a, S scaleA, T b, S scaleB, int sign) {
  return T(float(scaleA) * float(a) + float(sign) * float(scaleB) * float(b));
}

template <class AType, class BType, class S, bool memConstraints>
class ScaledAddSupervisor : public MultiVertex {
public:
  InOut<Vector<AType, VectorLayout::ONE_PTR>> A;
  unsigned size;
  Input<Vector<BType, VectorLayout::ONE_PTR>> B;
  Input<S> scaleB;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      A[i] = scaledSum<AType, BType, S>(A[i], B[i], *scaleB, 1);
    return true;
  }
};

template <class AType, class BType, class S, bool memConstraints>
class ScaledSubtractSupervisor : public MultiVertex {
public:
  InOut<Vector<AType, VectorLayout::ONE_PTR>> A;
  unsigned size;
  Input<Vector<BType, VectorLayout::ONE_PTR>> B;
  Input<S> scaleB;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      A[i] = scaledSum<AType, BType, S>(A[i], B[i], *scaleB, -1);
    return true;
  }
};

template <class AType, class BType, class S, bool memConstraints> class ScaledAdd2D : public Vertex {
public:
  Vector<InOut<Vector<AType>>> A;
  Vector<Input<Vector<BType, VectorLayout::ONE_PTR>>> B;
  Input<S> scaleB;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = scaledSum<AType, BType, S>(A[r][i], B[r][i], *scaleB, 1);
    return true;
  }
};

template <class T, class S, bool memConstraints> class ScaledSubtract2D : public Vertex {
public:
  Vector<InOut<Vector<T>>> A;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> B;
  Input<S> scaleB;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = scaledSum<T, T, S>(A[r][i], B[r][i], *scaleB, -1);
    return true;
  }
};

template <class T, class S, bool memConstraints> class aXPlusbYSupervisor : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> A;
  unsigned size;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  Input<S> scaleA, scaleB;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      A[i] = scaledSums<T, S>(A[i], *scaleA, B[i], *scaleB, 1);
    return true;
  }
};

template <class T, class S, bool memConstraints> class aXMinusbYSupervisor : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> A;
  unsigned size;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  Input<S> scaleA, scaleB;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      A[i] = scaledSums<T, S>(A[i], *scaleA, B[i], *scaleB, -1);
    return true;
  }
};

template <class T, bool memConstraints> class XMinusaXPlusbYSupervisor : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> A;
  unsigned size;
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  Input<T> scaleA, scaleB;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < size; i += numWorkers())
      A[i] = scaledSums<T, float>(A[i], 1 - float(*scaleA), B[i], *scaleB, 1);
    return true;
  }
};

template <class T, class S, bool memConstraints> class aXPlusbY2D : public Vertex {
public:
  Vector<InOut<Vector<T>>> A;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> B;
  Input<S> scaleA, scaleB;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = scaledSums<T, S>(A[r][i], *scaleA, B[r][i], *scaleB, 1);
    return true;
  }
};

template <class T, class S, bool memConstraints> class aXMinusbY2D : public Vertex {
public:
  Vector<InOut<Vector<T>>> A;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> B;
  Input<S> scaleA, scaleB;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = scaledSums<T, S>(A[r][i], *scaleA, B[r][i], *scaleB, -1);
    return true;
  }
};

template <class T, bool memConstraints> class XMinusaXPlusbY2D : public Vertex {
public:
  Vector<InOut<Vector<T>>> A;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> B;
  Input<T> scaleA, scaleB;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = scaledSums<T, float>(A[r][i], 1 - float(*scaleA), B[r][i], *scaleB, 1);
    return true;
  }
};

template <class T> class HadamardProd : public Vertex {
public:
  Vector<InOut<Vector<T>>> A;
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> B;
  bool compute() {
    for (unsigned r = 0; r < A.size(); ++r)
      for (unsigned i = 0; i < A[r].size(); ++i)
        A[r][i] = T(Computed<T>(A[r][i]) * Computed<T>(B[r][i]));
    return true;
  }
};

// The tolerance decides on hardware whether the scale is used as half; here it never is.
template <class T, class S> class ScalarMultiply1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> in1;
  Input<S> in2;
  Output<Vector<T>> out;
  const float tolerance;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < out.size(); i += numWorkers())
      out[i] = T(float(in1[i]) * float(*in2));
    return true;
  }
};

template <class T, class S> class ScalarMultiply1DInplace : public MultiVertex {
public:
  InOut<Vector<T>> in1Out;
  Input<S> in2;
  const float tolerance;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in1Out.size(); i += numWorkers())
      in1Out[i] = T(float(in1Out[i]) * float(*in2));
    return true;
  }
};

template <class T, class S> class ScalarMultiply2D : public Vertex {
public:
  Vector<Input<Vector<T, VectorLayout::ONE_PTR>>> in1;
  Input<S> in2;
  Vector<Output<Vector<T>>> out;
  const float tolerance;
  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned i = 0; i < out[r].size(); ++i)
        out[r][i] = T(float(in1[r][i]) * float(*in2));
    return true;
  }
};

template <class T, class S> class ScalarMultiply2DInplace : public Vertex {
public:
  Vector<InOut<Vector<T>>> in1Out;
  Input<S> in2;
  const float tolerance;
  bool compute() {
    for (unsigned r = 0; r < in1Out.size(); ++r)
      for (unsigned i = 0; i < in1Out[r].size(); ++i)
        in1Out[r][i] = T(float(in1Out[r][i]) * float(*in2));
    return true;
  }
};

} // namespace popops
)codelet"
