// SPDX-License-Identifier: MIT
// Many slices of one table: where each of them lies. Shared by the kernels that read slices and
// those that update them.
#pragma once
#include "openipu/Kernel.hpp"
#include "popops/Box.hpp"
#include "popops/kernels/Slice.hpp"
#include <string>

namespace popops::slice {

using kernels::Bounds;
using Request = kernels::SliceRequest;

class Lookups {
public:
  // Throws when the attributes do not fit the operands.
  Lookups(Request request, const openipu::KernelOperand &table, const openipu::KernelOperand &rows,
          const openipu::KernelOperand &offsets, bool rowsAreWritten);

  enum class Found { Slice, Zeros, Nothing };
  struct Place {
    Found found;
    std::int64_t table; // first element, when the slice does not wrap
    bool wraps;
  };

  std::size_t count() const { return groups_ * n_; }
  std::size_t groups() const { return groups_; }
  const Box &box() const { return box_; }
  // Slices of one entry can meet only if they are equal: these have a number, unique over groups.
  bool singleEntries() const { return singleEntries_; }
  std::size_t numEntries() const { return numEntries_; }

  std::int64_t rowOf(std::size_t lookup) const {
    return std::int64_t(lookup / n_) * rowStrides_[0] + std::int64_t(lookup % n_) * rowStrides_[1];
  }
  // Where lookup number i begins; throws for a bad offset if offsets are validated.
  Place find(std::size_t lookup, const std::uint32_t *offsets) const;
  // Number of the entry, or -1.
  std::int64_t findEntry(std::size_t lookup, const std::uint32_t *offsets) const;
  std::int64_t tableOfEntry(std::size_t entry) const;

  // f(box, tableOffset, rowOffset) for the parts of a slice that wraps.
  template <class F>
  void wrapped(std::size_t lookup, const std::uint32_t *offsets, const F &f) const;

private:
  std::int64_t offsetIndex(std::size_t lookup, std::size_t k) const {
    return std::int64_t(lookup / n_) * offsetStrides_[0] +
           std::int64_t(lookup % n_) * offsetStrides_[1] + std::int64_t(k) * offsetStrides_[2];
  }
  // The first element in a sliced dimension.
  Found resolve(std::uint32_t &offset, std::size_t k, std::size_t lookup) const;
  [[noreturn]] void outOfRange(std::uint32_t offset, std::size_t k, std::size_t lookup) const;
  Box boxOf(const std::vector<std::size_t> &shape) const;

  Request request_;
  std::size_t groups_, n_;
  std::vector<std::size_t> tableShape_, sliceShape_;
  std::vector<std::int64_t> tableStrides_, rowStrides_, offsetStrides_; // with groups
  bool rowsAreWritten_, singleEntries_;
  std::size_t numEntries_;
  Box box_;
};

template <class F>
void Lookups::wrapped(std::size_t lookup, const std::uint32_t *offsets, const F &f) const {
  auto k = request_.dims.size();
  std::vector<std::uint32_t> start(k);
  for (std::size_t i = 0; i != k; ++i) {
    start[i] = offsets[offsetIndex(lookup, i)];
    resolve(start[i], i, lookup);
  }
  auto group = std::int64_t(lookup / n_) * tableStrides_[0];
  // Bit i of part: what wraps in dimension i, rather than what does not.
  for (std::size_t part = 0; part != std::size_t(1) << k; ++part) {
    auto shape = sliceShape_;
    std::int64_t table = group, row = rowOf(lookup);
    for (std::size_t i = 0; i != k; ++i) {
      auto dim = request_.dims[i];
      std::size_t first = std::min<std::size_t>(request_.sizes[i], tableShape_[dim] - start[i]);
      bool second = part >> i & 1;
      shape[dim] = second ? request_.sizes[i] - first : first;
      table += second ? 0 : std::int64_t(start[i]) * tableStrides_[dim + 1];
      row += second ? std::int64_t(first) * rowStrides_[dim + 2] : 0;
    }
    auto box = boxOf(shape);
    if (box.elements())
      f(box, table, row);
  }
}

} // namespace popops::slice
