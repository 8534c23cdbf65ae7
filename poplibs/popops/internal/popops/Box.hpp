// SPDX-License-Identifier: MIT
// A box of elements that lies in two memories with different strides: what a slice copies, or an
// update combines. Dimensions are sorted and merged once, so that a walk consists of the longest
// possible runs.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace popops::slice {

class Box {
public:
  struct Dim {
    std::size_t size;
    std::int64_t to, from; // strides in elements
  };

  Box() = default;
  explicit Box(std::vector<Dim> dims) : dims_(std::move(dims)) {
    elements_ = 1;
    for (const auto &dim : dims_)
      elements_ *= dim.size;
    std::erase_if(dims_, [](const Dim &dim) { return dim.size == 1; });
    std::stable_sort(dims_.begin(), dims_.end(),
                     [](const Dim &a, const Dim &b) { return std::abs(a.to) > std::abs(b.to); });
    merge();
    if (dims_.empty())
      dims_.push_back({1, 1, 1});
  }

  std::size_t elements() const { return elements_; }
  std::size_t outer() const { return dims_.front().size; } // what a walk may be split by
  // One run, contiguous on both sides.
  bool plain() const { return dims_.size() == 1 && dims_[0].to == 1 && dims_[0].from == 1; }

  // f(toOffset, fromOffset, n, toStride, fromStride) for every run, of the outermost indices
  // [begin, end) only.
  template <class F> void runs(std::size_t begin, std::size_t end, const F &f) const {
    if (elements_)
      walk(0, begin, end, 0, 0, f);
  }
  template <class F> void runs(const F &f) const { runs(0, outer(), f); }

private:
  void merge() {
    std::vector<Dim> merged;
    for (const auto &dim : dims_) {
      auto n = std::int64_t(dim.size);
      if (!merged.empty() && merged.back().to == n * dim.to && merged.back().from == n * dim.from)
        merged.back() = {merged.back().size * dim.size, dim.to, dim.from};
      else
        merged.push_back(dim);
    }
    dims_ = std::move(merged);
  }
  template <class F>
  void walk(std::size_t depth, std::size_t begin, std::size_t end, std::int64_t to,
            std::int64_t from, const F &f) const {
    const Dim &dim = dims_[depth];
    if (depth + 1 == dims_.size())
      return f(to + std::int64_t(begin) * dim.to, from + std::int64_t(begin) * dim.from,
               end - begin, dim.to, dim.from);
    for (auto i = std::int64_t(begin); i < std::int64_t(end); ++i)
      walk(depth + 1, 0, dims_[depth + 1].size, to + i * dim.to, from + i * dim.from, f);
  }

  std::vector<Dim> dims_;
  std::size_t elements_ = 0;
};

} // namespace popops::slice
