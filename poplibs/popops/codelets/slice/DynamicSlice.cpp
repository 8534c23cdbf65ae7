// SPDX-License-Identifier: MIT
R"codelet(// Slices of neighbouring entries, beginning anywhere and wrapping around; offsets out of range do
// nothing, or mean the first entry if the top bit of numBaseElements is set.
#include <poplar/Vertex.hpp>

namespace popops {
using namespace poplar;

constexpr unsigned remapBit = 0x80000000u;

// Whether there is a slice, and where it begins.
inline bool startOf(unsigned &offset, unsigned numBaseElements) {
  if (offset < (numBaseElements & ~remapBit))
    return true;
  offset = 0;
  return numBaseElements & remapBit;
}

// Columns of a region that a worker copies.
struct Columns {
  unsigned begin, end;
  Columns(unsigned worker, unsigned workers, unsigned size)
      : begin(size * worker / workers), end(size * (worker + 1) / workers) {}
};

template <class T> class DynamicSlice1D : public MultiVertex {
public:
  Input<unsigned> offset;
  Input<Vector<T, VectorLayout::ONE_PTR>> baseT;
  Output<Vector<T, VectorLayout::ONE_PTR>> subT;
  const unsigned numBaseElements;
  const unsigned numSubElements;
  const unsigned regionSize;
  bool compute(unsigned worker) {
    unsigned from = offset, base = numBaseElements & ~remapBit;
    if (!startOf(from, numBaseElements))
      return true;
    const Columns mine(worker, numWorkers(), regionSize);
    for (unsigned i = 0; i < numSubElements; ++i)
      for (unsigned j = mine.begin; j < mine.end; ++j)
        subT[i * regionSize + j] = baseT[(from + i) % base * regionSize + j];
    return true;
  }
};

template <class T> class DynamicUpdateSlice1D : public MultiVertex {
public:
  Input<unsigned> offset;
  InOut<Vector<T, VectorLayout::ONE_PTR>> baseT;
  Input<Vector<T, VectorLayout::ONE_PTR>> subT;
  const unsigned numBaseElements;
  const unsigned numSubElements;
  const unsigned regionSize;
  bool compute(unsigned worker) {
    unsigned to = offset, base = numBaseElements & ~remapBit;
    if (!startOf(to, numBaseElements))
      return true;
    const Columns mine(worker, numWorkers(), regionSize);
    for (unsigned i = 0; i < numSubElements; ++i)
      for (unsigned j = mine.begin; j < mine.end; ++j)
        baseT[(to + i) % base * regionSize + j] = subT[i * regionSize + j];
    return true;
  }
};

// Region r of entry e is baseT[r * numBaseElements + e] and subT[r * numSubElements + e].
template <class T> class DynamicSlice2D : public Vertex {
public:
  Input<unsigned> offset;
  Vector<Input<Vector<T>>> baseT;
  Vector<Output<Vector<T>>> subT;
  const unsigned numBaseElements;
  const unsigned numSubElements;
  const unsigned numRegions;
  bool compute() {
    unsigned from = offset, base = numBaseElements & ~remapBit;
    if (!startOf(from, numBaseElements))
      return true;
    for (unsigned r = 0; r < numRegions; ++r)
      for (unsigned i = 0; i < numSubElements; ++i) {
        auto &to = subT[r * numSubElements + i];
        auto &source = baseT[r * base + (from + i) % base];
        for (unsigned j = 0; j < to.size(); ++j)
          to[j] = source[j];
      }
    return true;
  }
};

template <class T> class DynamicUpdateSlice2D : public Vertex {
public:
  Input<unsigned> offset;
  Vector<InOut<Vector<T>>> baseT;
  Vector<Input<Vector<T>>> subT;
  const unsigned numBaseElements;
  const unsigned numSubElements;
  const unsigned numRegions;
  bool compute() {
    unsigned to = offset, base = numBaseElements & ~remapBit;
    if (!startOf(to, numBaseElements))
      return true;
    for (unsigned r = 0; r < numRegions; ++r)
      for (unsigned i = 0; i < numSubElements; ++i) {
        auto &source = subT[r * numSubElements + i];
        auto &target = baseT[r * base + (to + i) % base];
        for (unsigned j = 0; j < source.size(); ++j)
          target[j] = source[j];
      }
    return true;
  }
};

} // namespace popops
)codelet"
