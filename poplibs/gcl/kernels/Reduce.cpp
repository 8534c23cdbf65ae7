// SPDX-License-Identifier: MIT
#include "Reduce.hpp"
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace gcl {

using poplar::TypeId;
using Op = CollectiveOperator;

namespace {

constexpr std::size_t blockSize = 1024;

template <class A> OPENIPU_SIMD void square(A *values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    values[i] *= values[i];
}
// The result may lie where the first operand does.
template <class A> OPENIPU_SIMD void add(A *out, const A *a, const A *b, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    out[i] = a[i] + b[i];
}
template <class A> OPENIPU_SIMD void multiply(A *out, const A *a, const A *b, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    out[i] = A(a[i] * b[i]);
}
template <class A> OPENIPU_SIMD void least(A *out, const A *a, const A *b, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    out[i] = b[i] < a[i] ? b[i] : a[i];
}
template <class A> OPENIPU_SIMD void greatest(A *out, const A *a, const A *b, std::size_t n) {
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i)
    out[i] = a[i] < b[i] ? b[i] : a[i];
}
template <class A> OPENIPU_SIMD void divide(A *sum, std::size_t n, A by) {
  for (std::size_t i = 0; i < n; ++i)
    sum[i] /= by;
}

template <class From, class To>
void convert(const From *__restrict from, To *__restrict to, std::size_t n) {
  if constexpr (std::is_same_v<From, To>)
    std::memcpy(to, from, n * sizeof(To));
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = To(from[i]);
}

template <class A> void combine(Op op, A *out, const A *a, const A *b, std::size_t n) {
  switch (op) {
  case Op::MUL:
  case Op::LOGICAL_AND: // of zeros and ones
    return multiply(out, a, b, n);
  case Op::MIN:
    return least(out, a, b, n);
  case Op::MAX:
  case Op::LOGICAL_OR:
    return greatest(out, a, b, n);
  default: // squares are taken where elements are loaded
    return add(out, a, b, n);
  }
}

// Memory of type T, arithmetic in A. Integers are summed in 64 bits and wrap when stored.
template <class T, class A> struct Memory {
  using Arithmetic = A;
  using Element = T;
  static void load(const std::byte *from, std::int64_t stride, A *to, std::size_t n) {
    auto *p = reinterpret_cast<const T *>(from);
    if (stride == 1)
      return convert(p, to, n);
    for (std::size_t i = 0; i != n; ++i)
      to[i] = A(p[std::int64_t(i) * stride]);
  }
  static void store(const A *from, std::byte *to, std::int64_t stride, std::size_t n) {
    auto *p = reinterpret_cast<T *>(to);
    if (stride == 1)
      return convert(from, p, n);
    for (std::size_t i = 0; i != n; ++i)
      p[std::int64_t(i) * stride] = T(from[i]);
  }
  static constexpr std::int64_t bytes = sizeof(T);
};
struct HalfMemory {
  using Arithmetic = float;
  using Element = std::uint16_t;
  static void load(const std::byte *from, std::int64_t stride, float *to, std::size_t n) {
    std::uint16_t packed[blockSize];
    auto *p = reinterpret_cast<const std::uint16_t *>(from);
    for (std::size_t i = 0; stride != 1 && i != n; ++i)
      packed[i] = p[std::int64_t(i) * stride];
    base::halfToFloat(stride == 1 ? p : packed, to, n);
  }
  static void store(const float *from, std::byte *to, std::int64_t stride, std::size_t n) {
    std::uint16_t packed[blockSize];
    auto *p = reinterpret_cast<std::uint16_t *>(to);
    base::floatToHalf(from, stride == 1 ? p : packed, n);
    for (std::size_t i = 0; stride != 1 && i != n; ++i)
      p[std::int64_t(i) * stride] = packed[i];
  }
  static constexpr std::int64_t bytes = 2;
};

// One block of elements: the values of a node of the tree are made in `levels[depth]`, or are read
// where they are.
template <class M> class Block {
public:
  using A = typename M::Arithmetic;
  Block(Op op, const Tree &tree, A *levels, std::size_t at, std::size_t n)
      : op_(op), tree_(tree), levels_(levels), at_(at), n_(n) {}

  const A *value(unsigned begin, unsigned size, unsigned depth) {
    const auto &node = tree_.nodes[next_];
    const auto end = std::min(begin + size, tree_.members);
    if (node.begin == begin && node.end == end) {
      ++next_;
      return node.partial ? reinterpret_cast<const A *>(node.data) + at_ : leaf(node, depth);
    }
    const auto half = size / 2;
    const A *left = value(begin, half, depth);
    if (begin + half >= end)
      return left;
    const A *right = value(begin + half, half, depth + 1);
    combine(op_, level(depth), left, right, n_);
    return level(depth);
  }

private:
  A *level(unsigned depth) { return levels_ + depth * blockSize; }
  const A *leaf(const Node &node, unsigned depth) {
    const auto *from = node.data + std::int64_t(at_) * tree_.fromStride * M::bytes;
    if constexpr (std::is_same_v<A, typename M::Element>)
      if (tree_.fromStride == 1 && op_ != Op::SQUARE_ADD)
        return reinterpret_cast<const A *>(from);
    M::load(from, tree_.fromStride, level(depth), n_);
    if (op_ == Op::SQUARE_ADD)
      square(level(depth), n_);
    return level(depth);
  }

  Op op_;
  const Tree &tree_;
  A *levels_;
  std::size_t at_, n_, next_ = 0;
};

template <class M> void reduceAs(Op op, const Tree &tree, std::byte *partial) {
  using A = typename M::Arithmetic;
  const unsigned first = tree.nodes.front().begin;
  const unsigned size = std::bit_ceil(tree.nodes.back().end - first);
  thread_local std::vector<A> levels;
  levels.resize(std::max(levels.size(), blockSize * std::size_t(std::countr_zero(size) + 2)));
  for (std::size_t at = 0; at < tree.n; at += blockSize) {
    const auto n = std::min(blockSize, tree.n - at);
    const A *sum = Block<M>(op, tree, levels.data(), at, n).value(first, size, 0);
    if (partial) {
      std::memcpy(partial + at * sizeof(A), sum, n * sizeof(A));
      continue;
    }
    if (op == Op::MEAN) {
      if (sum != levels.data())
        std::memcpy(levels.data(), sum, n * sizeof(A));
      divide(levels.data(), n, A(tree.members));
      sum = levels.data();
    }
    for (auto *sink : tree.to)
      M::store(sum, sink + std::int64_t(at) * tree.toStride * M::bytes, tree.toStride, n);
  }
}

template <class Work> auto withMemory(Op op, TypeId type, const Work &work) {
  switch (type) {
  case TypeId::Float:
    return work(Memory<float, float>());
  case TypeId::Half:
    return work(HalfMemory());
  case TypeId::Int:
    return op == Op::MEAN || op == Op::MIN || op == Op::MAX
               ? work(Memory<std::int32_t, std::int64_t>())
               : work(Memory<std::uint32_t, std::uint64_t>());
  case TypeId::UnsignedInt:
    return work(Memory<std::uint32_t, std::uint64_t>());
  default: // bool
    return work(Memory<std::uint8_t, std::uint8_t>());
  }
}

} // namespace

void reduceTree(Op op, TypeId type, const Tree &tree, std::byte *partial) {
  withMemory(op, type, [&](auto memory) { reduceAs<decltype(memory)>(op, tree, partial); });
}

void reduceRun(Op op, TypeId type, const Run &run) {
  thread_local std::vector<Node> nodes;
  nodes.clear();
  for (unsigned m = 0; m < run.from.size(); ++m)
    nodes.push_back({run.from[m], m, m + 1, false});
  reduceTree(op, type,
             {nodes, unsigned(run.from.size()), run.to, run.fromStride, run.toStride, run.n},
             nullptr);
}

std::size_t partialBytes(Op op, TypeId type) {
  return withMemory(op, type,
                    [](auto memory) { return sizeof(typename decltype(memory)::Arithmetic); });
}

std::vector<Range> blocksOf(Range members, unsigned all) {
  std::vector<Range> out;
  while (members.begin < members.end) {
    unsigned size = 1;
    const auto fits = [&](unsigned s) {
      return members.begin % s == 0 && std::min(members.begin + s, all) <= members.end;
    };
    while (size < all && fits(2 * size))
      size *= 2;
    out.push_back({members.begin, std::min(members.begin + size, all)});
    members.begin = out.back().end;
  }
  return out;
}

} // namespace gcl
