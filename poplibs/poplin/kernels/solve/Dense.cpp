// SPDX-License-Identifier: MIT
// Gathering operands into plain floats and back.
#include "poplin/Dense.hpp"
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace poplin::dense {

View::View(const openipu::KernelOperand &o)
    : data(o.data), type(o.type), shape(o.shape.begin(), o.shape.end()),
      strides(o.strides.begin(), o.strides.end()) {}

std::size_t View::elements() const {
  return std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<>());
}

bool View::contiguous() const {
  std::int64_t expected = 1;
  for (auto d = rank(); d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= std::int64_t(shape[d]);
  }
  return true;
}

View View::transposed(std::size_t a, std::size_t b) const {
  View v = *this;
  std::swap(v.shape[a], v.shape[b]);
  std::swap(v.strides[a], v.strides[b]);
  return v;
}

View View::dimShuffled(const std::vector<std::size_t> &order) const {
  View v = *this;
  for (std::size_t d = 0; d < order.size(); ++d) {
    v.shape[d] = shape[order[d]];
    v.strides[d] = strides[order[d]];
  }
  return v;
}

View View::reversed(std::size_t dim) const {
  View v = *this;
  if (shape[dim])
    v.data += std::int64_t(shape[dim] - 1) * strides[dim] * std::int64_t(sizeOf(type));
  v.strides[dim] = -strides[dim];
  return v;
}

View View::at(std::size_t index) const {
  View v = *this;
  v.data += std::int64_t(index) * strides[0] * std::int64_t(sizeOf(type));
  v.shape.erase(v.shape.begin());
  v.strides.erase(v.strides.begin());
  return v;
}

std::vector<View> View::leaves(std::size_t rank) const {
  std::vector<View> views{*this};
  while (!views.empty() && views[0].rank() > rank) {
    std::vector<View> next;
    for (const auto &v : views)
      for (std::size_t i = 0; i < v.shape[0]; ++i)
        next.push_back(v.at(i));
    views = std::move(next);
  }
  return views;
}

namespace {

// Calls row(offset of its first element, number of the row) for every row along the last
// dimension, on threads when there is much to do.
template <class Row> void forRows(const View &v, Row &&row) {
  const std::size_t width = v.rank() ? v.shape.back() : 1;
  const std::size_t rows = width ? v.elements() / width : 0;
  base::parallelFor(rows, std::max<std::size_t>(1, 65536 / std::max<std::size_t>(width, 1)),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      for (auto r = begin; r < end; ++r) {
                        std::int64_t offset = 0;
                        auto rest = r;
                        for (auto d = v.rank() ? v.rank() - 1 : 0; d-- > 0;) {
                          offset += std::int64_t(rest % v.shape[d]) * v.strides[d];
                          rest /= v.shape[d];
                        }
                        row(offset, r);
                      }
                    });
}

// Dimensions that lie behind one another become one, so that rows are long.
View joined(const View &v) {
  View out = v;
  out.shape.clear();
  out.strides.clear();
  for (std::size_t d = 0; d < v.rank(); ++d) {
    if (v.shape[d] == 1)
      continue;
    if (!out.shape.empty() && out.strides.back() == v.strides[d] * std::int64_t(v.shape[d])) {
      out.shape.back() *= v.shape[d];
      out.strides.back() = v.strides[d];
    } else {
      out.shape.push_back(v.shape[d]);
      out.strides.push_back(v.strides[d]);
    }
  }
  return out;
}

template <class T> void copyIn(const T *from, std::int64_t stride, std::size_t n, T *to) {
  if (stride == 1)
    std::copy_n(from, n, to);
  else
    for (std::size_t i = 0; i < n; ++i)
      to[i] = from[std::int64_t(i) * stride];
}

[[noreturn]] void wrongType() {
  throw std::runtime_error("A kernel on floats got an operand that is neither float nor half: the "
                           "executable is damaged. Compile it again.");
}

} // namespace

void load(const View &view, float *to) {
  const View v = joined(view);
  const std::size_t width = v.rank() ? v.shape.back() : 1;
  const std::int64_t stride = v.rank() ? v.strides.back() : 1;
  if (v.type == openipu::TypeId::Float)
    return forRows(v, [&](std::int64_t offset, std::size_t r) {
      copyIn(reinterpret_cast<const float *>(v.data) + offset, stride, width, to + r * width);
    });
  if (v.type != openipu::TypeId::Half)
    wrongType();
  forRows(v, [&](std::int64_t offset, std::size_t r) {
    const auto *from = reinterpret_cast<const std::uint16_t *>(v.data) + offset;
    if (stride == 1)
      return base::halfToFloat(from, to + r * width, width);
    std::vector<std::uint16_t> packed(width);
    copyIn(from, stride, width, packed.data());
    base::halfToFloat(packed.data(), to + r * width, width);
  });
}

void store(const float *from, const View &view) {
  const View v = joined(view);
  const std::size_t width = v.rank() ? v.shape.back() : 1;
  const std::int64_t stride = v.rank() ? v.strides.back() : 1;
  if (v.type == openipu::TypeId::Float)
    return forRows(v, [&](std::int64_t offset, std::size_t r) {
      auto *to = reinterpret_cast<float *>(v.data) + offset;
      for (std::size_t i = 0; i < width; ++i)
        to[std::int64_t(i) * stride] = from[r * width + i];
    });
  if (v.type != openipu::TypeId::Half)
    wrongType();
  forRows(v, [&](std::int64_t offset, std::size_t r) {
    auto *to = reinterpret_cast<std::uint16_t *>(v.data) + offset;
    if (stride == 1)
      return base::floatToHalf(from + r * width, to, width);
    std::vector<std::uint16_t> packed(width);
    base::floatToHalf(from + r * width, packed.data(), width);
    for (std::size_t i = 0; i < width; ++i)
      to[std::int64_t(i) * stride] = packed[i];
  });
}

Floats::Floats(const View &view) {
  if (view.type == openipu::TypeId::Float && view.contiguous()) {
    data_ = reinterpret_cast<const float *>(view.data);
    return;
  }
  own_.resize(view.elements());
  load(view, own_.data());
  data_ = own_.data();
}

FloatsOut::FloatsOut(View view) : view_(std::move(view)) {
  if (view_.type == openipu::TypeId::Float && view_.contiguous()) {
    data_ = reinterpret_cast<float *>(view_.data);
    return;
  }
  own_.resize(view_.elements());
  data_ = own_.data();
}

void FloatsOut::flush() const {
  if (!own_.empty())
    store(own_.data(), view_);
}

} // namespace poplin::dense
