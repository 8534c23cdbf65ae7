// SPDX-License-Identifier: MIT
R"codelet(// Casts: floats are truncated; what does not fit becomes the nearest value that does.
namespace popops {

template <class To, class From> To convert(From given) {
  const Computed<From> x = given;
  typedef Computed<To> Type;
  if constexpr (std::is_same<To, bool>::value)
    return x != 0;
  else if constexpr (isFloat<Type> || std::is_same<From, bool>::value)
    return To(x);
  else if constexpr (isFloat<Computed<From>> || sizeof(To) == 1) {
    const double value = x == x ? double(x) : 0;
    const double low = double(std::numeric_limits<To>::min());
    const double high = double(std::numeric_limits<To>::max());
    if (value < low)
      return std::numeric_limits<To>::min();
    return value > high ? std::numeric_limits<To>::max() : To(value);
  } else
    return To(x);
}

template <class From, class To> class Cast1D : public MultiVertex {
public:
  Input<Vector<From, VectorLayout::ONE_PTR>> src;
  Output<Vector<To, VectorLayout::ONE_PTR>> dst;
  const unsigned numElems;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < numElems; i += numWorkers())
      dst[i] = convert<To>(src[i]);
    return true;
  }
};

template <class From, class To> class Cast1DSingleWorker : public Vertex {
public:
  Input<Vector<From, VectorLayout::ONE_PTR>> src;
  Output<Vector<To, VectorLayout::ONE_PTR>> dst;
  const unsigned numElems;
  bool compute() {
    for (unsigned i = 0; i < numElems; ++i)
      dst[i] = convert<To>(src[i]);
    return true;
  }
};

template <class From, class To> class Cast2D : public Vertex {
public:
  Vector<Input<Vector<From, VectorLayout::ONE_PTR>>> src;
  Vector<Output<Vector<To>>> dst;
  bool compute() {
    for (unsigned r = 0; r < dst.size(); ++r)
      for (unsigned i = 0; i < dst[r].size(); ++i)
        dst[r][i] = convert<To>(src[r][i]);
    return true;
  }
};

} // namespace popops
)codelet"
