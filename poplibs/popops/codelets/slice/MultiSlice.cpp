// SPDX-License-Identifier: MIT
R"codelet(// Many entries of a table of which this tile holds numBaseElements from baseOffset on; other
// offsets are someone else's. Entries are regions of regionSize elements.
#include <poplar/Vertex.hpp>

namespace popops {
using namespace poplar;

// Workers share the offsets; with splitSingleRegion each takes its elements of every region instead.
struct RegionPart {
  unsigned begin, end;
  RegionPart(bool split, unsigned worker, unsigned workers, unsigned each, unsigned all) {
    if (!each)
      each = (all + workers - 1) / workers;
    begin = split ? worker * each : 0;
    end = split && begin + each < all ? begin + each : all;
  }
};

template <class T> class MultiSlice : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  Input<Vector<T, VectorLayout::ONE_PTR>> baseT;
  InOut<Vector<T, VectorLayout::ONE_PTR>> subT;
  const unsigned baseOffset;
  const unsigned numBaseElements;
  const unsigned short regionSize;
  const bool indicesAreSorted;
  const bool splitSingleRegion;
  const unsigned maxElementsPerWorker;
  bool compute(unsigned worker) {
    const RegionPart part(splitSingleRegion, worker, numWorkers(), maxElementsPerWorker, regionSize);
    for (unsigned o = splitSingleRegion ? 0 : worker; o < offsets.size();
         o += splitSingleRegion ? 1 : numWorkers()) {
      const unsigned entry = offsets[o] - baseOffset;
      for (unsigned j = part.begin; entry < numBaseElements && j < part.end; ++j)
        subT[o * regionSize + j] = baseT[entry * regionSize + j];
    }
    return true;
  }
};

template <class T> class MultiUpdate : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  InOut<Vector<T, VectorLayout::ONE_PTR>> baseT;
  Input<Vector<T, VectorLayout::ONE_PTR>> subT;
  const unsigned baseOffset;
  const unsigned numBaseElements;
  const unsigned short regionSize;
  const bool indicesAreSorted;
  const bool splitSingleRegion;
  const unsigned maxElementsPerWorker;
  bool compute(unsigned worker) {
    const RegionPart part(splitSingleRegion, worker, numWorkers(), maxElementsPerWorker, regionSize);
    for (unsigned o = splitSingleRegion ? 0 : worker; o < offsets.size();
         o += splitSingleRegion ? 1 : numWorkers()) {
      const unsigned entry = offsets[o] - baseOffset;
      for (unsigned j = part.begin; entry < numBaseElements && j < part.end; ++j)
        baseT[entry * regionSize + j] = subT[o * regionSize + j];
    }
    return true;
  }
};

template <class T> struct SummedAs { typedef T type; };
template <> struct SummedAs<half> { typedef float type; };
template <> struct SummedAs<int> { typedef unsigned type; }; // wraps around

template <Operation op, class T> T combined(T to, T from) {
  typedef typename SummedAs<T>::type S;
  if (op == Operation::MAX)
    return to < from ? from : to;
  return op == Operation::MUL ? T(S(to) * S(from)) : T(S(to) + S(from));
}

// Each worker owns a part of the entries, so that repeated offsets do not meet.
struct Entries {
  unsigned begin, end;
  Entries(unsigned worker, unsigned workers, unsigned each, unsigned all) {
    if (!each)
      each = (all + workers - 1) / workers;
    begin = worker * each;
    end = worker + 1 == workers ? all : begin + each;
  }
  bool has(unsigned entry) const { return begin <= entry && entry < end; }
};

template <class T, bool subword, Operation op> class MultiUpdateOp : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  Input<Vector<T, VectorLayout::ONE_PTR>> subT;
  InOut<Vector<T, VectorLayout::ONE_PTR>> baseT;
  const unsigned short regionSize;
  const bool indicesAreSorted;
  const unsigned baseOffset;
  const unsigned numBaseElements;
  const unsigned maxElementsPerWorker;
  bool compute(unsigned worker) {
    const Entries mine(worker, numWorkers(), maxElementsPerWorker, numBaseElements);
    for (unsigned o = 0; o < offsets.size(); ++o) {
      const unsigned entry = offsets[o] - baseOffset;
      for (unsigned j = 0; entry < numBaseElements && mine.has(entry) && j < regionSize; ++j) {
        const unsigned at = entry * regionSize + j;
        baseT[at] = combined<op, T>(baseT[at], subT[o * regionSize + j]);
      }
    }
    return true;
  }
};

template <class T, class S, bool subword, Operation op>
class ScaledMultiUpdateOp : public MultiVertex {
public:
  Input<Vector<unsigned>> offsets;
  Input<S> scale;
  Input<Vector<T, VectorLayout::ONE_PTR>> subT;
  InOut<Vector<T, VectorLayout::ONE_PTR>> baseT;
  const unsigned short regionSize;
  const bool indicesAreSorted;
  const unsigned baseOffset;
  const unsigned numBaseElements;
  const unsigned maxElementsPerWorker;
  bool compute(unsigned worker) {
    typedef typename SummedAs<T>::type A;
    const A factor = A(S(scale));
    const Entries mine(worker, numWorkers(), maxElementsPerWorker, numBaseElements);
    for (unsigned o = 0; o < offsets.size(); ++o) {
      const unsigned entry = offsets[o] - baseOffset;
      for (unsigned j = 0; entry < numBaseElements && mine.has(entry) && j < regionSize; ++j) {
        const unsigned at = entry * regionSize + j;
        baseT[at] = T(A(T(baseT[at])) + factor * A(T(subT[o * regionSize + j])));
      }
    }
    return true;
  }
};

} // namespace popops
)codelet"
