// SPDX-License-Identifier: MIT
// Many elements become one. A whole tensor becomes a tensor of one element [1], as Paddle has it.
#include "frontend/Reductions.hpp"
#include "core/Call.hpp"

namespace paddleipu {

namespace {

struct Axes {
  Integers axes;
  bool keep;
};

Axes axesOf(Call &c, Value x, const char *name, const char *keep) {
  const Integers given = c.integers(name);
  const bool all = c.flag("reduce_all") || given.empty();
  return {all ? frontend::allAxes(c.rank(x)) : frontend::axesOf(c, given, c.rank(x)), c.flag(keep)};
}
Value oneAtLeast(Call &c, Value v) { return c.rank(v) == 0 ? c.m.reshape(v, {1}) : v; }

void reduction(Call &c, const char *type) {
  const Value x = c.in("X");
  const auto a = axesOf(c, x, "dim", "keep_dim");
  c.out("Out", oneAtLeast(c, c.rank(x) == 0 ? x : c.reduce(type, x, a.axes, a.keep)));
}

// Of equal extremes each has the whole gradient.
void extremum(Call &c, const char *type) {
  const Value x = c.in("X");
  const auto a = axesOf(c, x, "dim", "keep_dim");
  c.out("Out", oneAtLeast(c, frontend::extreme(c, type, x, a.axes, a.keep, frontend::Ties::Whole)));
}

// Of truths: the smallest or the largest one.
void quantifier(Call &c, const char *type) {
  const Value x = c.cast(c.cast(c.in("X"), DataType::BOOL), DataType::INT32);
  const auto a = axesOf(c, x, "dim", "keep_dim");
  c.out("Out", c.cast(oneAtLeast(c, c.reduce(type, x, a.axes, a.keep)), DataType::BOOL), 0,
        VarType::BOOL);
}

void logsumexp(Call &c) {
  const Value x = c.in("X");
  const auto a =
      axesOf(c, x, c.given("axis") ? "axis" : "dim", c.given("keepdim") ? "keepdim" : "keep_dim");
  c.out("Out", oneAtLeast(c, c.reduce("ReduceLogSumExp", x, a.axes, a.keep)));
}

void sum(Call &c) {
  const Values all = c.ins("X");
  Value out = all[0];
  for (std::size_t i = 1; i < all.size(); ++i)
    out = c.m.add(out, all[i]);
  c.out("Out", out);
}

void extremePlace(Call &c, const char *type) {
  Value x = c.in("X");
  const bool whole = c.flag("flatten");
  if (whole)
    x = c.flat(x);
  const auto axis = whole ? 0 : c.axis("axis", -1, c.rank(x));
  const Value y =
      c.m.op(type, {x}, {{"axis", axis}, {"keepdims", std::int64_t(c.flag("keepdims"))}});
  const auto told = c.integer("dtype", -1);
  c.out("Out", oneAtLeast(c, c.cast(y, DataType::INT32)), 0,
        told == VarType::INT32 ? VarType::INT32 : VarType::INT64);
}

void cumsum(Call &c) {
  Value x = c.in("X");
  if (c.flag("flatten"))
    x = c.flat(x);
  c.out("Out", c.m.op("CumSum", {x},
                      {{"axis", c.axis("axis", -1, c.rank(x))},
                       {"exclusive", std::int64_t(c.flag("exclusive"))},
                       {"reverse", std::int64_t(c.flag("reverse"))}}));
}

// The p-th root of the sum of powers along an axis.
Value norm(Call &c, Value x, double p, std::int64_t axis, bool keep) {
  const Value y = frontend::norm(c, x, p, {axis}, keep, frontend::Ties::Whole);
  return oneAtLeast(c, c.cast(y, c.m.type(x)));
}
void pNorm(Call &c) {
  Value x = c.in("X");
  const bool whole = c.flag("asvector");
  if (whole)
    x = c.flat(x);
  const auto axis = whole ? 0 : c.axis("axis", -1, c.rank(x));
  c.out("Out", norm(c, x, c.real("porder", 2), axis, c.flag("keepdim")));
}
void dist(Call &c) {
  const Value apart = c.flat(c.m.sub(c.in("X"), c.in("Y")));
  c.out("Out", norm(c, apart, c.real("p", 2), 0, false));
}

// Of gradient clipping: the sum of squares.
void squaredNorm(Call &c) {
  const Value x = c.floating(c.in("X"));
  c.out("Out", c.m.reshape(c.sum(c.m.square(x)), {1}));
}

} // namespace

void addReductions(Registry &r) {
  r.add("mean", [](Call &c) { c.out("Out", c.m.reshape(c.mean(c.in("X")), {1})); });
  r.add("sum", sum);
  r.add("reduce_sum", [](Call &c) { reduction(c, "ReduceSum"); });
  r.add("reduce_mean", [](Call &c) { reduction(c, "ReduceMean"); });
  r.add("reduce_max", [](Call &c) { extremum(c, "ReduceMax"); });
  r.add("reduce_min", [](Call &c) { extremum(c, "ReduceMin"); });
  r.add("reduce_prod", [](Call &c) { reduction(c, "ReduceProd"); });
  r.add("reduce_all", [](Call &c) { quantifier(c, "ReduceMin"); });
  r.add("reduce_any", [](Call &c) { quantifier(c, "ReduceMax"); });
  r.add("logsumexp", logsumexp);
  r.add("arg_max", [](Call &c) { extremePlace(c, "ArgMax"); });
  r.add("arg_min", [](Call &c) { extremePlace(c, "ArgMin"); });
  r.add("cumsum", cumsum);
  r.add("p_norm", pNorm);
  r.add("dist", dist);
  r.add("squared_l2_norm", squaredNorm);
}

} // namespace paddleipu
