// SPDX-License-Identifier: MIT
// For tests: views beside a list of elements that is moved one by one, and random sequences of
// operations on both.
#pragma once
#include "base/Arithmetic.hpp"
#include "tensor/View.hpp"
#include <algorithm>
#include <numeric>
#include <random>

namespace poplar::tensor::oracle {

struct Element {
  VarId var;
  std::int64_t at;
  bool operator==(const Element &) const = default;
};
using Elements = std::vector<Element>;

inline std::size_t product(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

// The oracle: shape and elements in row-major order.
struct Naive {
  Shape shape;
  Elements elements;

  template <class From> Naive remap(Shape to, From from) const {
    Naive out{to, {}};
    std::vector<std::size_t> index(to.size(), 0);
    for (std::size_t n = 0; n < product(to); ++n) {
      std::size_t rest = n;
      for (std::size_t d = to.size(); d-- > 0;) {
        index[d] = rest % to[d];
        rest /= to[d];
      }
      auto source = from(index);
      std::size_t flat = 0;
      for (std::size_t d = 0; d < shape.size(); ++d)
        flat = flat * shape[d] + source[d];
      out.elements.push_back(elements[flat]);
    }
    return out;
  }
};

inline Elements elementsOf(const View &view) {
  Elements out;
  forEachRun(view, [&](const Run &run) {
    for (std::size_t i = 0; i < run.count; ++i)
      out.push_back({run.var, run.offset + std::int64_t(i) * run.stride});
  });
  return out;
}

struct Pair {
  View view;
  Naive naive;
};

inline Pair variable(std::uint32_t id, Shape shape) {
  Pair out{wholeVariable(nullptr, VarId(id), TypeId::Float, shape), {shape, {}}};
  for (std::size_t i = 0; i < product(shape); ++i)
    out.naive.elements.push_back({VarId(id), std::int64_t(i)});
  return out;
}

class Sweep {
public:
  explicit Sweep(unsigned seed) : random_(seed) {}
  std::size_t pick(std::size_t lo, std::size_t hi) { return lo + random_() % (hi - lo + 1); }

  Pair step(const Pair &p) {
    auto rank = p.naive.shape.size();
    auto shape = p.naive.shape;
    unsigned dim = rank ? pick(0, rank - 1) : 0;
    switch (pick(0, 9)) {
    case 0: {
      if (!rank)
        return p;
      auto begin = pick(0, shape[dim] - 1), end = pick(begin + 1, shape[dim]);
      shape[dim] = end - begin;
      return {slice(p.view, begin, end, dim), p.naive.remap(shape, [&](auto i) {
                i[dim] += begin;
                return i;
              })};
    }
    case 1: {
      std::vector<unsigned> perm(rank);
      std::iota(perm.begin(), perm.end(), 0);
      std::shuffle(perm.begin(), perm.end(), random_);
      Shape to;
      for (auto d : perm)
        to.push_back(shape[d]);
      return {dimShuffle(p.view, perm), p.naive.remap(to, [&](auto i) {
                auto s = i;
                for (unsigned d = 0; d < rank; ++d)
                  s[perm[d]] = i[d];
                return s;
              })};
    }
    case 2:
      if (!rank)
        return p;
      return {reverse(p.view, dim), p.naive.remap(shape, [&](auto i) {
                i[dim] = shape[dim] - 1 - i[dim];
                return i;
              })};
    case 3: {
      if (!rank || product(shape) > 600)
        return p;
      auto n = pick(1, 3), size = shape[dim];
      shape[dim] *= n;
      return {broadcast(p.view, n, dim), p.naive.remap(shape, [&](auto i) {
                i[dim] %= size;
                return i;
              })};
    }
    case 4: {
      if (!rank || product(shape) > 600)
        return p;
      auto n = pick(1, 3);
      shape[dim] *= n;
      return {upsample(p.view, n, dim), p.naive.remap(shape, [&](auto i) {
                i[dim] /= n;
                return i;
              })};
    }
    case 5: {
      if (!rank)
        return p;
      auto n = pick(1, 4);
      shape[dim] = base::ceilDiv(shape[dim], n);
      return {subSample(p.view, n, dim), p.naive.remap(shape, [&](auto i) {
                i[dim] *= n;
                return i;
              })};
    }
    case 6:
    case 7: {
      Shape to{1};
      auto rest = product(shape);
      for (std::size_t f = 2; rest > 1; ++f)
        while (rest % f == 0) {
          if (pick(0, 2) == 0)
            to.push_back(f);
          else
            to.back() *= f;
          rest /= f;
        }
      std::shuffle(to.begin(), to.end(), random_);
      return {reshape(p.view, to), {to, p.naive.elements}};
    }
    case 8: {
      if (!rank || product(shape) > 600)
        return p;
      auto other = variable(100 + pick(0, 3), shape);
      auto size = shape[dim];
      auto joined = concat({&p.view, &other.view}, dim);
      auto stacked = p.naive; // two blocks one after the other; the remap picks from either
      stacked.shape.insert(stacked.shape.begin(), 2);
      stacked.elements.insert(stacked.elements.end(), other.naive.elements.begin(),
                              other.naive.elements.end());
      shape[dim] *= 2;
      return {joined, stacked.remap(shape, [&](auto i) {
                auto s = i;
                s[dim] %= size;
                s.insert(s.begin(), i[dim] / size);
                return s;
              })};
    }
    default: {
      auto at = pick(0, rank);
      shape.insert(shape.begin() + at, 1);
      return {expand(p.view, {at}), {shape, p.naive.elements}};
    }
    }
  }

private:
  std::mt19937 random_;
};

} // namespace poplar::tensor::oracle
