// SPDX-License-Identifier: MIT
R"codelet(// Reductions on one tile. Half values are combined as float.
#include <cmath>
#include <poplar/Vertex.hpp>

namespace popops {
using namespace poplar;

enum class ReductionSpecialisation {
  DEFAULT,
  SCALAR_OUTPUT_REGIONS,
  SCALAR_OUTPUT_SINGLE_INPUT
};

// The type that a reduction of T computes in.
template <class T> struct Wide { typedef T type; };
template <> struct Wide<half> { typedef float type; };

struct ReduceAdd {
  template <class T> static T init() { return T(0); }
  template <class T> static T update(T a, T x) { return a + x; }
};
struct ReduceSquareAdd {
  template <class T> static T init() { return T(0); }
  template <class T> static T update(T a, T x) { return a + x * x; }
};
struct ReduceMul {
  template <class T> static T init() { return T(1); }
  template <class T> static T update(T a, T x) { return a * x; }
};
template <class T> struct Limits;
template <> struct Limits<float> {
  static float lowest() { return -__builtin_inff(); }
  static float highest() { return __builtin_inff(); }
};
template <> struct Limits<int> {
  static int lowest() { return -2147483647 - 1; }
  static int highest() { return 2147483647; }
};
template <> struct Limits<unsigned> {
  static unsigned lowest() { return 0; }
  static unsigned highest() { return 0xffffffffu; }
};
struct ReduceMax {
  template <class T> static T init() { return Limits<T>::lowest(); }
  template <class T> static T update(T a, T x) { return x > a ? x : a; }
};
struct ReduceMin {
  template <class T> static T init() { return Limits<T>::highest(); }
  template <class T> static T update(T a, T x) { return x < a ? x : a; }
};
struct ReduceAnd {
  template <class T> static T init() { return T(true); }
  template <class T> static T update(T a, T x) { return a && x; }
};
struct ReduceOr {
  template <class T> static T init() { return T(false); }
  template <class T> static T update(T a, T x) { return a || x; }
};
struct ReduceLogAdd {
  template <class T> static T init() { return T(-__builtin_inff()); }
  template <class T> static T update(T a, T x) {
    const T most = a > x ? a : x, least = a > x ? x : a;
    return least == -__builtin_inff() ? most : T(most + log1pf(expf(least - most)));
  }
};

template <bool update, class T> struct Result { typedef Output<T> type; };
template <class T> struct Result<true, T> { typedef InOut<T> type; };

// One output per run of numPartials neighbours.
template <class Op, class P, class O, bool isUpdate>
class ContinuousReduce : public Vertex {
public:
  Input<Vector<P, VectorLayout::ONE_PTR>> partials;
  typename Result<isUpdate, Vector<O, VectorLayout::ONE_PTR>>::type out;
  const unsigned numOutputsM1;
  const unsigned numPartials;
  bool compute() {
    typedef typename Wide<P>::type W;
    for (unsigned o = 0; o <= numOutputsM1; ++o) {
      W sum = Op::template init<W>();
      for (unsigned i = 0; i < numPartials; ++i)
        sum = Op::template update<W>(sum, W(partials[o * numPartials + i]));
      out[o] = O(isUpdate ? W(W(out[o]) + sum) : sum);
    }
    return true;
  }
};

template <class Op, class P, class O, bool isUpdate>
class ScaledContinuousReduce : public Vertex {
public:
  Input<Vector<P, VectorLayout::ONE_PTR>> partials;
  typename Result<isUpdate, Vector<O, VectorLayout::ONE_PTR>>::type out;
  const unsigned numOutputsM1;
  const unsigned numPartials;
  Input<float> k;
  bool compute() {
    typedef typename Wide<P>::type W;
    for (unsigned o = 0; o <= numOutputsM1; ++o) {
      W sum = Op::template init<W>();
      for (unsigned i = 0; i < numPartials; ++i)
        sum = Op::template update<W>(sum, W(partials[o * numPartials + i]));
      const W value = W(sum * *k);
      out[o] = O(isUpdate ? W(W(out[o]) + value) : value);
    }
    return true;
  }
};

// Reduction r takes the next numPartials[r] regions; each holds one or more values per output.
template <class Op, class P, class O, bool isUpdate> struct Regions {
  template <class Out, class In, class Counts>
  static void reduce(const Out &out, const In &partials, const Counts &counts, float k, bool scaled) {
    typedef typename Wide<P>::type W;
    unsigned next = 0;
    for (unsigned r = 0; r < out.size(); next += counts[r], ++r)
      for (unsigned o = 0; o < out[r].size(); ++o) {
        W sum = Op::template init<W>();
        for (unsigned p = next; p < next + counts[r]; ++p)
          for (unsigned i = o; i < partials[p].size(); i += out[r].size())
            sum = Op::template update<W>(sum, W(partials[p][i]));
        const W value = scaled ? W(sum * k) : sum;
        out[r][o] = O(isUpdate ? W(W(out[r][o]) + value) : value);
      }
  }
};

template <class Op, class P, class O, bool isUpdate, ReductionSpecialisation S>
class Reduce : public Vertex {
public:
  Vector<typename Result<isUpdate, Vector<O>>::type> out;
  Vector<Input<Vector<P>>> partials;
  Vector<unsigned short> numPartials;
  bool compute() {
    Regions<Op, P, O, isUpdate>::reduce(out, partials, numPartials, 1, false);
    return true;
  }
};

template <class Op, class P, class O, bool isUpdate, ReductionSpecialisation S>
class ScaledReduce : public Vertex {
public:
  Vector<typename Result<isUpdate, Vector<O>>::type> out;
  Vector<Input<Vector<P>>> partials;
  Vector<unsigned short> numPartials;
  Input<float> k;
  bool compute() {
    Regions<Op, P, O, isUpdate>::reduce(out, partials, numPartials, *k, true);
    return true;
  }
};

// One output from one region.
template <class Op, class P, class O, bool isUpdate>
class Reduce<Op, P, O, isUpdate, ReductionSpecialisation::SCALAR_OUTPUT_SINGLE_INPUT>
    : public Vertex {
public:
  typename Result<isUpdate, Vector<O, VectorLayout::ONE_PTR>>::type out;
  Input<Vector<P, VectorLayout::ONE_PTR>> partials;
  const unsigned numPartials;
  bool compute() {
    typedef typename Wide<P>::type W;
    W sum = Op::template init<W>();
    for (unsigned i = 0; i < numPartials; ++i)
      sum = Op::template update<W>(sum, W(partials[i]));
    out[0] = O(isUpdate ? W(W(out[0]) + sum) : sum);
    return true;
  }
};

} // namespace popops
)codelet"
