// SPDX-License-Identifier: MIT
// Distances between rows: cdist; and the cosine of their angle. (pairwise_distance is
// torch's composite of a norm.)
#include "core/Places.hpp"
#include "frontend/Reductions.hpp"
#include <algorithm>

namespace poptorch {

namespace {

// |a - b|^2 = |a|^2 + |b|^2 - 2 a b, for many rows: one matrix product instead of all differences.
Value byProduct(Call &c, Value a, Value b) {
  const auto last = std::int64_t(c.rank(a)) - 1;
  auto order = upTo(c.rank(b));
  std::swap(order[std::size_t(last)], order[std::size_t(last - 1)]);
  const Value right = c.m.transpose(b, order);
  const Value squares = c.m.add(c.reduce("ReduceSumSquare", a, {last}, true),
                                c.reduce("ReduceSumSquare", right, {last - 1}, true));
  const Value square = c.m.sub(squares, c.m.mul(c.m.matmul(a, right), 2.0));
  return frontend::rooted(c, c.m.op("Max", {square, c.m.scalar(0, square)}), 2);
}

// y[..., i, j] = |a[..., i, :] - b[..., j, :]| in the p-norm
Values cdist(Call &c) {
  const auto type = c.type();
  const Value a = c.cast(c.in("x1"), DataType::FLOAT), b = c.cast(c.in("x2"), DataType::FLOAT);
  const double p = c.real("p", 2);
  const Shape &as = c.shapeOf(a), &bs = c.shapeOf(b);
  if (count(c.shape()) == 0 || as.back() == 0)
    return {c.full(c.shape(), 0, type)};
  const auto rows = as[as.size() - 2], others = bs[bs.size() - 2];
  const auto mode = c.integer("compute_mode", 0); // 1: always by a product, 2: never
  if (p == 2 && (mode == 1 || (mode == 0 && (rows > 25 || others > 25))))
    return {byProduct(c, a, b)};
  const Value apart = c.m.sub(c.unsqueeze(a, std::int64_t(as.size()) - 1),
                              c.unsqueeze(b, std::int64_t(bs.size()) - 2));
  return {frontend::norm(c, apart, p, {std::int64_t(c.rank(apart)) - 1}, false)};
}

// The distances of all pairs i < j.
Values pdist(Call &c) {
  const Value x = c.cast(c.in("self"), DataType::FLOAT);
  Integers first, second;
  for (std::int64_t i = 0; i < c.shapeOf(x)[0]; ++i)
    for (std::int64_t j = i + 1; j < c.shapeOf(x)[0]; ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  if (first.empty() || c.shapeOf(x)[1] == 0)
    return {c.full(c.shape(), 0, c.type())};
  const auto rows = [&](const Integers &at) {
    return c.m.op("Gather", {x, numbers(c, {std::int64_t(at.size())}, at)},
                  {{"axis", std::int64_t(0)}});
  };
  return {frontend::norm(c, c.m.sub(rows(first), rows(second)), c.real("p", 2), {1}, false)};
}

// The norm of x, at least eps. torch's gradient is that of the norm even where eps is taken.
Value boundedNorm(Call &c, Value x, std::int64_t axis, double eps) {
  Value square = c.reduce("ReduceSumSquare", x, {axis}, true);
  const Value bounded = c.m.op("Max", {square, c.m.scalar(eps * eps, square)});
  if (!differentiates(c))
    return c.m.sqrt(bounded);
  return c.m.sqrt(c.m.add(square, c.m.op("Detach", {c.m.sub(bounded, square)})));
}

// sum(a / |a| * b / |b|)
Values cosineSimilarity(Call &c) {
  auto [a, b] = c.operands("x1", "x2");
  a = asVector(c, a), b = asVector(c, b);
  const Shape shape = broadcastShape(c, c.shapeOf(a), c.shapeOf(b));
  const auto axis = c.axis("dim", shape.size());
  const double eps = c.real("eps", 1e-8);
  const Value x = c.cast(c.broadcast(a, shape), DataType::FLOAT);
  const Value y = c.cast(c.broadcast(b, shape), DataType::FLOAT);
  const Value product =
      c.m.mul(c.m.div(x, boundedNorm(c, x, axis, eps)), c.m.div(y, boundedNorm(c, y, axis, eps)));
  return {c.m.reshape(c.m.reduceSum(product, {axis}, false), c.shape())};
}

} // namespace

void addDistances(Registry &r) {
  for (const char *name : {"cdist", "_cdist_forward"})
    r.add(name, cdist);
  r.add("_euclidean_dist", [](Call &c) -> Values {
    return {byProduct(c, c.cast(c.in("x1"), DataType::FLOAT), c.cast(c.in("x2"), DataType::FLOAT))};
  });
  r.add("_pdist_forward", pdist);
  r.add("cosine_similarity", cosineSimilarity);
}

} // namespace poptorch
