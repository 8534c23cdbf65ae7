// SPDX-License-Identifier: MIT
R"codelet(// One-hot rows, tests for NaN, histograms, sorting on one tile, and the index of a ring.
#include <poplar/Vertex.hpp>

namespace popops {
using namespace poplar;

template <class I, class T> class EncodeOneHot : public SupervisorVertex {
public:
  Input<Vector<I>> indices;
  Output<Vector<T>> out; // a row for each index
  const unsigned outLength;
  bool compute() {
    const unsigned row = indices.size() ? out.size() / indices.size() : 0;
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = T(0);
    for (unsigned i = 0; i < indices.size(); ++i)
      if (unsigned(indices[i]) < row)
        out[i * row + unsigned(indices[i])] = T(1);
    return true;
  }
};

template <class I, class T> class EncodeOneHotCustomValues : public Vertex {
public:
  Input<Vector<I>> indices;
  Output<Vector<T>> out;
  Input<T> On;
  Input<T> Off;
  const unsigned outLength;
  bool compute() {
    const unsigned row = indices.size() ? out.size() / indices.size() : 0;
    for (unsigned i = 0; i < out.size(); ++i)
      out[i] = *Off;
    for (unsigned i = 0; i < indices.size(); ++i)
      if (unsigned(indices[i]) < row)
        out[i * row + unsigned(indices[i])] = *On;
    return true;
  }
};

inline bool isOdd(float x, bool inf) { return inf ? x - x != 0 : x != x; }

template <class T, bool orInf> class HasNaNOrInf1D : public MultiVertex {
public:
  Input<Vector<T>> in;
  InOut<float> outSetIfFound;
  bool compute(unsigned worker) {
    for (unsigned i = worker; i < in.size(); i += numWorkers())
      if (isOdd(float(in[i]), orInf))
        outSetIfFound = 1.0f;
    return true;
  }
};

template <class T, bool orInf> class HasNaNOrInf2D : public Vertex {
public:
  Vector<Input<Vector<T>>> in;
  Output<bool> out;
  bool compute() {
    bool found = false;
    for (unsigned r = 0; r < in.size(); ++r)
      for (unsigned i = 0; i < in[r].size(); ++i)
        found = found || isOdd(float(in[r][i]), orInf);
    out = found;
    return true;
  }
};

// The number of limits that are not above x.
template <class Limits> unsigned binOf(float x, const Limits &limits) {
  unsigned bin = 0;
  while (bin < limits.size() && !(x < float(limits[bin])))
    ++bin;
  return bin;
}

template <class T, bool absolute, bool byLimits> class Histogram1D : public MultiVertex {
public:
  Input<Vector<T>> data;
  Output<Vector<float, VectorLayout::ONE_PTR>> histogram;
  Input<Vector<T>> limits;
  bool compute(unsigned worker) {
    if (worker != 0)
      return true;
    for (unsigned b = 0; b <= limits.size(); ++b)
      histogram[b] = 0;
    for (unsigned i = 0; i < data.size(); ++i) {
      const float x = float(data[i]);
      histogram[binOf(absolute && x < 0 ? -x : x, limits)] += 1;
    }
    return true;
  }
};

template <class T, bool absolute> class Histogram2D : public Vertex {
public:
  Vector<Input<Vector<T>>> data;
  Output<Vector<float, VectorLayout::ONE_PTR>> histogram;
  Input<Vector<T>> limits;
  bool compute() {
    for (unsigned b = 0; b <= limits.size(); ++b)
      histogram[b] = 0;
    for (unsigned r = 0; r < data.size(); ++r)
      for (unsigned i = 0; i < data[r].size(); ++i) {
        const float x = float(data[r][i]);
        histogram[binOf(absolute && x < 0 ? -x : x, limits)] += 1;
      }
    return true;
  }
};

// Ascending. swap(i, j) exchanges elements; less(i, j) compares them.
template <class Less, class Swap> void heapSort(unsigned n, const Less &less, const Swap &swap) {
  auto sink = [&](unsigned at, unsigned end) {
    for (unsigned child = 2 * at + 1; child < end; at = child, child = 2 * at + 1) {
      if (child + 1 < end && less(child, child + 1))
        ++child;
      if (!less(at, child))
        return;
      swap(at, child);
    }
  };
  for (unsigned i = n / 2; i-- > 0;)
    sink(i, n);
  for (unsigned end = n; end-- > 1;) {
    swap(0, end);
    sink(0, end);
  }
}

template <class T> class HeapSortVertex : public Vertex {
public:
  InOut<Vector<T>> out;
  bool compute() {
    heapSort(
        out.size(), [&](unsigned i, unsigned j) { return out[i] < out[j]; },
        [&](unsigned i, unsigned j) {
          const T t = out[i];
          out[i] = out[j];
          out[j] = t;
        });
    return true;
  }
};

template <class K, class V> class HeapSortVertexKV : public Vertex {
public:
  InOut<Vector<K>> key;
  InOut<Vector<V>> value;
  bool compute() {
    heapSort(
        key.size(), [&](unsigned i, unsigned j) { return key[i] < key[j]; },
        [&](unsigned i, unsigned j) {
          const K k = key[i];
          key[i] = key[j];
          key[j] = k;
          const V v = value[i];
          value[i] = value[j];
          value[j] = v;
        });
    return true;
  }
};

} // namespace popops
)codelet"
