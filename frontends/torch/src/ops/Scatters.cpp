// SPDX-License-Identifier: MIT
// A tensor with elements or entries replaced by, or combined with, those of another at indices.
// scatter has an index for every element, index_add and its family one for every entry of an axis.
#include "core/Places.hpp"
#include <limits>

namespace poptorch {

namespace {

// Both kinds in one form: `combine(base, updates, how)` writes at the indices.
class Target {
public:
  Target(Call &c, Value self, Value index, bool byElement)
      : c_(c), self_(asVector(c, self)), byElement_(byElement),
        axis_(c.axis("dim", c.rank(self_))) {
    index = checkedIndices(c, index, c.shapeOf(self_)[std::size_t(axis_)]);
    index_ = byElement ? asVector(c, index) : flat(c, index);
  }
  Value self() const { return self_; }
  bool isEmpty() const { return count(c_.shapeOf(index_)) == 0; }

  // Updates of the shape they must have: that of the index, or of self with as many entries.
  Shape updatesShape() const {
    if (byElement_)
      return c_.shapeOf(index_);
    Shape out = c_.shapeOf(self_);
    out[std::size_t(axis_)] = c_.shapeOf(index_)[0];
    return out;
  }
  // A source may be larger than the index; what it does not cover is not used.
  Value updates(Value source) const {
    source = asVector(c_, c_.cast(source, c_.m.type(self_)));
    const Shape to = updatesShape();
    if (!byElement_)
      return c_.m.reshape(source, to);
    for (std::size_t d = 0; d < to.size(); ++d)
      source = c_.slice(source, std::int64_t(d), 0, to[d]);
    return source;
  }

  // how: none, add, mul, max, min. Types that cannot be combined on the device go through INT32.
  Value combine(Value base, Value updates, const std::string &how) const {
    const auto type = c_.m.type(base);
    const bool narrow = how != "none" && !c_.isFloating(base) && type != DataType::INT32;
    if (narrow)
      return c_.cast(
          combine(c_.cast(base, DataType::INT32), c_.cast(updates, DataType::INT32), how), type);
    if (byElement_)
      return c_.m.op("ScatterElements", {base, index_, updates},
                     {{"axis", axis_}, {"reduction", how}});
    return c_.m.op("ScatterReduce", {updates, index_, base},
                   {{"axis", axis_},
                    {"axis_size", c_.shapeOf(base)[std::size_t(axis_)]},
                    {"reduction", how == "add" ? std::string("sum") : how}});
  }
  Value filled(Value base, double value) const {
    return combine(base, c_.full(updatesShape(), value, c_.m.type(base)), "none");
  }

private:
  Call &c_;
  Value self_, index_;
  bool byElement_;
  std::int64_t axis_;
};

Values shaped(Call &c, Value y) { return {c.m.reshape(y, c.shape())}; }

// What never wins against an element of the type, or never changes it.
double neutral(DataType type, const std::string &how) {
  if (how == "prod")
    return 1;
  if (how == "sum" || how == "mean")
    return 0;
  const bool largest = how == "amin";
  switch (type) {
  case DataType::FLOAT:
  case DataType::FLOAT16:
    return largest ? std::numeric_limits<double>::infinity()
                   : -std::numeric_limits<double>::infinity();
  case DataType::INT16:
    return largest ? 32767 : -32768;
  case DataType::INT8:
    return largest ? 127 : -128;
  case DataType::UINT8:
    return largest ? 255 : 0;
  case DataType::BOOL:
    return largest;
  default:
    return largest ? 2147483647.0 : -2147483648.0;
  }
}

const char *combination(Call &c, const std::string &how) {
  if (how == "sum" || how == "mean" || how == "add")
    return "add";
  if (how == "prod" || how == "multiply")
    return "mul";
  if (how == "amax" || how == "amin")
    return how == "amax" ? "max" : "min";
  c.fail("reduce=\"", how, "\" is not one of sum, prod, mean, amax, amin.");
}

// Sums divided by how many there are; integers are rounded down.
Value averaged(Call &c, const Target &target, Value sum, bool includeSelf) {
  const auto type = c.isFloating(sum) ? DataType::FLOAT : DataType::INT32;
  const Shape shape = c.shapeOf(sum);
  Value n = target.combine(c.full(shape, includeSelf, type), c.full(target.updatesShape(), 1, type),
                           "add");
  n = c.m.op("Max", {n, c.m.scalar(1, n)});
  if (c.isFloating(sum))
    return c.m.div(sum, c.cast(n, c.m.type(sum)));
  sum = c.cast(sum, type);
  return c.m.div(c.m.sub(sum, c.m.op("Remainder", {sum, n})), n);
}

Values reduceInto(Call &c, const Target &target, Value source) {
  const auto how = c.text("reduce");
  const bool includeSelf = c.flag("include_self", true);
  const auto combine = combination(c, how);
  if (target.isEmpty())
    return shaped(c, target.self());
  Value base = target.self();
  if (!includeSelf)
    base = target.filled(base, neutral(c.m.type(base), how));
  Value y = target.combine(base, target.updates(source), combine);
  if (how == "mean")
    y = averaged(c, target, y, includeSelf);
  return shaped(c, y);
}

// self[index[i][j]][j] = src[i][j] for the first of two dimensions; or +=, *=
Values scatter(Call &c) {
  const Target target(c, c.in("self"), c.in("index"), true);
  if (target.isEmpty())
    return shaped(c, target.self());
  const std::string how = c.has("reduce") ? combination(c, c.text("reduce")) : "none";
  const auto type = c.m.type(target.self());
  const Value updates = c.has("src") ? target.updates(c.in("src"))
                                     : c.full(target.updatesShape(), c.real("value"), type);
  return shaped(c, target.combine(target.self(), updates, how));
}
Values scatterAdd(Call &c) {
  const Target target(c, c.in("self"), c.in("index"), true);
  if (target.isEmpty())
    return shaped(c, target.self());
  return shaped(c, target.combine(target.self(), target.updates(c.in("src")), "add"));
}
Values scatterReduce(Call &c) {
  return reduceInto(c, Target(c, c.in("self"), c.in("index"), true), c.in("src"));
}

// self[index[k]] (+)= source[k], for entries of any dimension
Values indexAdd(Call &c) {
  const Target target(c, c.in("self"), c.in("index"), false);
  if (target.isEmpty())
    return shaped(c, target.self());
  Value source = target.updates(c.in("source"));
  if (c.real("alpha", 1) != 1)
    source = c.m.mul(source, c.real("alpha"));
  return shaped(c, target.combine(target.self(), source, "add"));
}
Values indexCopy(Call &c) {
  const Target target(c, c.in("self"), c.in("index"), false);
  if (target.isEmpty())
    return shaped(c, target.self());
  return shaped(c, target.combine(target.self(), target.updates(c.in("source")), "none"));
}
Values indexReduce(Call &c) {
  return reduceInto(c, Target(c, c.in("self"), c.in("index"), false), c.in("source"));
}

// Entries at the indices become a value: where a vector of zeros has got ones.
Values indexFill(Call &c) {
  const Value x = asVector(c, c.in("self"));
  const auto axis = c.axis("dim", c.rank(x));
  const auto n = c.shapeOf(x)[std::size_t(axis)];
  const Value index = flat(c, checkedIndices(c, c.in("index"), n, -n)); // torch wraps these
  const auto m = c.shapeOf(index)[0];
  if (m == 0)
    return shaped(c, x);
  const Value chosen = c.m.op(
      "ScatterElements", {c.full({n}, 0, DataType::INT32), index, c.full({m}, 1, DataType::INT32)},
      {{"axis", std::int64_t(0)}});
  Shape shape(c.rank(x), 1);
  shape[std::size_t(axis)] = n;
  const Value mask = c.m.reshape(c.cast(chosen, DataType::BOOL), shape);
  const auto type = c.m.type(x);
  const Value value = c.isTensor("value") ? c.m.reshape(c.cast(c.in("value"), type), {})
                                          : c.m.scalar(c.real("value"), type);
  return shaped(c, c.m.where(mask, value, x));
}

// The flat tensor with elements at indices replaced or added to.
Values put(Call &c) {
  const Value self = c.in("self"), x = flat(c, self);
  const Value at = flat(c, wrapped(c, c.in("index"), c.shapeOf(x)[0]));
  if (c.shapeOf(at)[0] == 0)
    return {self};
  const bool add = c.flag("accumulate");
  const auto type = add && !c.isFloating(x) ? DataType::INT32 : c.m.type(x);
  const Value y =
      c.m.op("ScatterElements", {c.cast(x, type), at, c.cast(flat(c, c.in("source")), type)},
             {{"axis", std::int64_t(0)}, {"reduction", std::string(add ? "add" : "none")}});
  return shaped(c, y);
}

} // namespace

void addScatters(Registry &r) {
  r.add("scatter", scatter);
  r.add("scatter_add", scatterAdd);
  r.add("scatter_reduce", scatterReduce);
  r.add("index_add", indexAdd);
  r.add("index_copy", indexCopy);
  r.add("index_reduce", indexReduce);
  r.add("index_fill", indexFill);
  r.add("put", put);
}

} // namespace poptorch
