// SPDX-License-Identifier: MIT
R"codelet(// Binary operators on a matrix and a vector: along its rows (inner) or one value per row (outer).
namespace popops {

// For each slice of B: bBroadcastFactor rows of bSliceLen elements.
template <expr::BinaryOpType op, class T> class BroadcastVectorInner1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> B, data;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const unsigned short bSlicesM1;
  const unsigned short bSliceLen;
  const unsigned short bBroadcastFactor;
  bool compute(unsigned worker) {
    for (unsigned s = 0; s <= bSlicesM1; ++s)
      for (unsigned row = worker; row < bBroadcastFactor; row += numWorkers())
        for (unsigned i = 0; i < bSliceLen; ++i) {
          const unsigned at = (s * bBroadcastFactor + row) * bSliceLen + i;
          out[at] = apply<BinaryOf<op>>(data[at], B[s * bSliceLen + i]);
        }
    return true;
  }
};

template <expr::BinaryOpType op, class T> class BroadcastVectorInner1DInPlace : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> B;
  InOut<Vector<T, VectorLayout::ONE_PTR>> data;
  const unsigned short bSlicesM1;
  const unsigned short bSliceLen;
  const unsigned short bBroadcastFactor;
  bool compute(unsigned worker) {
    for (unsigned s = 0; s <= bSlicesM1; ++s)
      for (unsigned row = worker; row < bBroadcastFactor; row += numWorkers())
        for (unsigned i = 0; i < bSliceLen; ++i) {
          const unsigned at = (s * bBroadcastFactor + row) * bSliceLen + i;
          data[at] = apply<BinaryOf<op>>(T(data[at]), B[s * bSliceLen + i]);
        }
    return true;
  }
};

// Rows take the values of B in turn.
template <expr::BinaryOpType op, class T, bool alignment>
class BroadcastVectorOuterByRow1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> B;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const unsigned short columns;
  const unsigned short rows;
  bool compute(unsigned worker) {
    for (unsigned r = worker; r < rows; r += numWorkers())
      for (unsigned i = 0; i < columns; ++i)
        out[r * columns + i] = apply<BinaryOf<op>>(data[r * columns + i], B[r % B.size()]);
    return true;
  }
};

template <expr::BinaryOpType op, class T, bool alignment>
class BroadcastVectorOuterByRow1DInPlace : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> B;
  const unsigned short columns;
  const unsigned short rows;
  bool compute(unsigned worker) {
    for (unsigned r = worker; r < rows; r += numWorkers())
      for (unsigned i = 0; i < columns; ++i)
        data[r * columns + i] = apply<BinaryOf<op>>(T(data[r * columns + i]), B[r % B.size()]);
    return true;
  }
};

template <expr::BinaryOpType op, class T, bool alignment>
class BroadcastVectorOuterByColumn1D : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> B;
  Output<Vector<T, VectorLayout::ONE_PTR>> out;
  const unsigned short columns;
  const unsigned short rows;
  bool compute(unsigned worker) {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = worker; i < columns; i += numWorkers())
        out[r * columns + i] = apply<BinaryOf<op>>(data[r * columns + i], B[r % B.size()]);
    return true;
  }
};

template <expr::BinaryOpType op, class T, bool alignment>
class BroadcastVectorOuterByColumn1DInPlace : public MultiVertex {
public:
  InOut<Vector<T, VectorLayout::ONE_PTR>> data;
  Input<Vector<T>> B;
  const unsigned short columns;
  const unsigned short rows;
  bool compute(unsigned worker) {
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned i = worker; i < columns; i += numWorkers())
        data[r * columns + i] = apply<BinaryOf<op>>(T(data[r * columns + i]), B[r % B.size()]);
    return true;
  }
};

} // namespace popops
)codelet"
