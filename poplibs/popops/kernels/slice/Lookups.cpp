// SPDX-License-Identifier: MIT
#include "slice/Lookups.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"

namespace popops::slice {

using openipu::KernelOperand;

static void require(bool fits, const char *what) {
  if (!fits)
    throw poplar::poplar_error(base::str("A slice of this executable does not fit its tensors (",
                                         what, "): the file is damaged. Compile it again."));
}

Lookups::Lookups(Request request, const KernelOperand &table, const KernelOperand &rows,
                 const KernelOperand &offsets, bool rowsAreWritten)
    : request_(std::move(request)), tableStrides_(table.strides.begin(), table.strides.end()),
      rowStrides_(rows.strides.begin(), rows.strides.end()),
      offsetStrides_(offsets.strides.begin(), offsets.strides.end()),
      rowsAreWritten_(rowsAreWritten) {
  const auto &r = request_;
  require(!table.shape.empty() && rows.shape.size() == table.shape.size() + 1, "ranks");
  require(offsets.shape.size() == 3 && r.dims.size() == r.sizes.size() && r.dims.size() < 32 &&
              offsets.shape[2] == r.dims.size(),
          "offsets");
  require(offsets.type == openipu::TypeId::UnsignedInt, "type of offsets");
  groups_ = table.shape[0];
  n_ = rows.shape[1];
  require(rows.shape[0] == groups_ && offsets.shape[0] == groups_ && offsets.shape[1] == n_ &&
              table.type == rows.type,
          "groups, lookups and types");
  tableShape_.assign(table.shape.begin() + 1, table.shape.end());
  sliceShape_.assign(rows.shape.begin() + 2, rows.shape.end());
  auto expected = tableShape_;
  for (std::size_t i = 0; i != r.dims.size(); ++i) {
    require(r.dims[i] < expected.size() && r.sizes[i] <= tableShape_[r.dims[i]], "dimensions");
    expected[r.dims[i]] = r.sizes[i];
  }
  require(expected == sliceShape_, "shapes");
  box_ = boxOf(sliceShape_);
  numEntries_ = groups_;
  singleEntries_ = !r.dims.empty();
  for (std::size_t i = 0; i != r.dims.size(); ++i) {
    numEntries_ *= tableShape_[r.dims[i]];
    singleEntries_ &= r.sizes[i] == 1;
  }
}

Box Lookups::boxOf(const std::vector<std::size_t> &shape) const {
  std::vector<Box::Dim> dims;
  for (std::size_t i = 0; i != shape.size(); ++i) {
    auto table = tableStrides_[i + 1], row = rowStrides_[i + 2];
    dims.push_back({shape[i], rowsAreWritten_ ? row : table, rowsAreWritten_ ? table : row});
  }
  return Box(std::move(dims));
}

void Lookups::outOfRange(std::uint32_t offset, std::size_t k, std::size_t lookup) const {
  auto dim = request_.dims[k];
  throw poplar::application_runtime_error(base::str(
      request_.name, ": index ", lookup % n_,
      groups_ > 1 ? base::str(" of group ", lookup / n_) : "", " is ", offset, ", but dimension ",
      dim, " has ", tableShape_[dim],
      " entries. Indices are validated here (option validateIndices): correct the index, or set "
      "remapOutOfBoundIndices to read entry 0 instead."));
}

Lookups::Found Lookups::resolve(std::uint32_t &offset, std::size_t k, std::size_t lookup) const {
  auto entries = tableShape_[request_.dims[k]], size = std::size_t(request_.sizes[k]);
  bool good = request_.bounds == Bounds::Skip ? offset < entries && offset + size <= entries
                                              : offset < entries;
  if (request_.bounds == Bounds::Clamp && !request_.remap && !request_.padding) {
    auto last = std::int64_t(entries - size);
    offset = std::uint32_t(std::clamp<std::int64_t>(std::int32_t(offset), 0, last));
    return Found::Slice;
  }
  if (good && request_.bounds == Bounds::Clamp)
    offset = std::uint32_t(std::min<std::size_t>(offset, entries - size));
  if (good)
    return Found::Slice;
  if (request_.padding && offset == entries)
    return Found::Zeros;
  if (request_.remap && entries) {
    offset = 0;
    return Found::Slice;
  }
  if (request_.validate)
    outOfRange(offset, k, lookup);
  return Found::Nothing;
}

Lookups::Place Lookups::find(std::size_t lookup, const std::uint32_t *offsets) const {
  Place place{Found::Slice, std::int64_t(lookup / n_) * tableStrides_[0], false};
  for (std::size_t k = 0; k != request_.dims.size(); ++k) {
    auto offset = offsets[offsetIndex(lookup, k)];
    auto dim = request_.dims[k];
    auto found = resolve(offset, k, lookup);
    if (found != Found::Slice) {
      if (place.found != Found::Nothing)
        place.found = found;
      continue;
    }
    place.table += std::int64_t(offset) * tableStrides_[dim + 1];
    place.wraps |= offset + std::size_t(request_.sizes[k]) > tableShape_[dim];
  }
  return place;
}

std::int64_t Lookups::findEntry(std::size_t lookup, const std::uint32_t *offsets) const {
  auto entry = std::int64_t(lookup / n_);
  bool found = true;
  for (std::size_t k = 0; k != request_.dims.size(); ++k) {
    auto offset = offsets[offsetIndex(lookup, k)];
    found &= resolve(offset, k, lookup) == Found::Slice;
    entry = entry * std::int64_t(tableShape_[request_.dims[k]]) + offset;
  }
  return found ? entry : -1;
}

std::int64_t Lookups::tableOfEntry(std::size_t entry) const {
  std::int64_t at = 0;
  for (auto k = request_.dims.size(); k-- != 0;) {
    auto dim = request_.dims[k];
    at += std::int64_t(entry % tableShape_[dim]) * tableStrides_[dim + 1];
    entry /= tableShape_[dim];
  }
  return at + std::int64_t(entry) * tableStrides_[0];
}

} // namespace popops::slice
