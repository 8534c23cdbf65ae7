// SPDX-License-Identifier: MIT
#include "ops/nn/pooling.hpp"

#include <algorithm>

namespace popart::ops {

using poplar::Tensor;

Window poolWindow(const OpView &op, const Shape &x) {
  const Shape field = fieldOf(x);
  const Shape kernel = op.integers("kernel_shape");
  if (kernel.size() != field.size() ||
      std::any_of(kernel.begin(), kernel.end(), [](auto k) { return k < 1; }))
    op.fail("kernel_shape ", ir::text(kernel), " must have one positive number for each of the ",
            field.size(), " spatial dimensions of ", ir::text(x), ".");
  const Window w = windowOf(op, field, kernel);
  for (std::size_t d = 0; d < w.dims(); ++d)
    if (std::max(w.lower[d], w.upper[d] - w.rounding[d]) >= w.extent(d))
      op.fail("pads ", ir::text(w.lower), " and ", ir::text(w.upper),
              " must be smaller than the kernel ", ir::text(kernel),
              ", or windows see padding alone.");
  return w;
}

Shape pooledShape(const Shape &x, const Window &w) { return withField(x[0], x[1], w.output()); }

popnn::pooling::PoolParams poolParams(popnn::PoolingType type, const Shape &x, const Window &w,
                                      const poplar::Type &elements) {
  const auto sizes = [](const Shape &s) { return std::vector<std::size_t>(s.begin(), s.end()); };
  const auto ints = [](const Shape &s) { return std::vector<int>(s.begin(), s.end()); };
  return {type,
          sizes(w.field),
          sizes(w.kernel),
          std::vector<unsigned>(w.strides.begin(), w.strides.end()),
          ints(w.lower),
          ints(w.upper),
          std::size_t(x[1]),
          std::size_t(x[0]),
          elements};
}

namespace {
Tensor side(const Tensor &x, unsigned dim, std::int64_t amount, const Tensor &padding) {
  auto shape = x.shape();
  shape[dim] = std::size_t(amount);
  Tensor t = padding.flatten()[0].reshape(std::vector<std::size_t>(shape.size(), 1));
  for (unsigned d = 0; d < shape.size(); ++d)
    t = t.broadcast(unsigned(shape[d]), d);
  return t;
}
} // namespace

Tensor padded(const Tensor &x, const Window &w, const Tensor &padding) {
  Tensor t = x;
  for (unsigned d = 0; d < w.dims(); ++d) {
    const unsigned dim = d + 2;
    const std::size_t begin = std::size_t(std::max<std::int64_t>(0, -w.lower[d])),
                      end = t.dim(dim) - std::size_t(std::max<std::int64_t>(0, -w.upper[d]));
    t = t.slice(begin, end, dim);
    if (w.lower[d] > 0)
      t = poplar::concat(side(t, dim, w.lower[d], padding), t, dim);
    if (w.upper[d] > 0)
      t = poplar::concat(t, side(t, dim, w.upper[d], padding), dim);
  }
  return t;
}

Tensors windowViewsOfPadded(const Tensor &x, const Window &w) {
  const Shape out = w.output();
  Tensors views{x};
  for (unsigned d = 0; d < w.dims(); ++d) {
    Tensors next;
    for (const auto &t : views)
      for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
        const std::int64_t begin = k * w.dilations[d];
        const std::int64_t end = begin + (out[d] - 1) * w.strides[d] + 1;
        next.push_back(t.slice(std::size_t(begin), std::size_t(end), d + 2)
                           .subSample(unsigned(w.strides[d]), d + 2));
      }
    views = std::move(next);
  }
  return views;
}
Tensors windowViews(const Tensor &x, const Window &w, const Tensor &padding) {
  return windowViewsOfPadded(padded(x, w, padding), w);
}

Attributes poolAttributes(const OpView &op) {
  Attributes out;
  for (const char *name : {"kernel_shape", "strides", "dilations", "pads", "auto_pad", "ceil_mode",
                           "count_include_pad", "first_of_ties"})
    if (op.has(name))
      out.set(name, op.node().attributes.all().at(name));
  return out;
}

} // namespace popart::ops
