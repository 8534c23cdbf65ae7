// SPDX-License-Identifier: MIT
#include "popops/Reduce.hpp"
#include "Session.hpp"
#include <base/Threads.hpp>
#include <limits>
#include <poputil/exceptions.hpp>
#include <sstream>

using namespace poplar;
using popops::Operation;

namespace {

double identityOf(Operation op, Type type) {
  switch (op) {
  case Operation::MUL:
  case Operation::LOGICAL_AND:
    return 1;
  case Operation::MIN:
    return type == INT            ? std::numeric_limits<int>::max()
           : type == UNSIGNED_INT ? double(std::numeric_limits<unsigned>::max())
                                  : INFINITY;
  case Operation::MAX:
    return type == INT ? std::numeric_limits<int>::lowest() : type == UNSIGNED_INT ? 0 : -INFINITY;
  case Operation::LOG_ADD:
    return -INFINITY;
  default:
    return 0;
  }
}

double combine(Operation op, double a, double x) {
  switch (op) {
  case Operation::ADD:
    return a + x;
  case Operation::SQUARE_ADD:
    return a + x * x;
  case Operation::MUL:
    return a * x;
  case Operation::MIN:
    return std::min(a, x);
  case Operation::MAX:
    return std::max(a, x);
  case Operation::LOGICAL_AND:
    return a && x;
  case Operation::LOGICAL_OR:
    return a || x;
  case Operation::LOG_ADD:
    return a == -INFINITY ? x : std::log(std::exp(a) + std::exp(x));
  }
  return 0;
}

// values: row-major elements of `shape`.
Doubles reference(const Doubles &values, const Shape &shape, const Shape &dims, Operation op,
                  Type type) {
  std::vector<bool> reduced(shape.size());
  for (auto d : dims)
    reduced[d] = true;
  std::size_t outputs = 1;
  for (std::size_t d = 0; d < shape.size(); ++d)
    outputs *= reduced[d] ? 1 : shape[d];
  Doubles out(outputs, identityOf(op, type));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i, at = 0, scale = 1;
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (!reduced[d]) {
        at += rest % shape[d] * scale;
        scale *= shape[d];
      }
      rest /= shape[d];
    }
    out[at] = combine(op, out[at], values[i]);
  }
  return out;
}

// Row-major elements of a view, from the values of the variable behind it.
Doubles viewed(const Tensor &view, const Doubles &variable) {
  Doubles out;
  for (const auto &region : view.getVarRegions())
    for (std::size_t i = region.interval.begin(); i < region.interval.end(); ++i)
      out.push_back(variable[i]);
  return out;
}

struct Case {
  std::size_t output;
  Doubles expected;
  double relative, absolute;
};

// Many reductions in one engine.
struct Sweep {
  explicit Sweep(unsigned tiles = 16) : s(tiles) {}
  void check(const Tensor &out, Doubles expected, double relative, double absolute) {
    cases.push_back({s.output(out), std::move(expected), relative, absolute});
  }
  void run() {
    s.run();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      SCOPED_TRACE("case " + std::to_string(i));
      expectClose(s.values(cases[i].output), cases[i].expected, cases[i].relative,
                  cases[i].absolute);
      if (testing::Test::HasFatalFailure())
        return;
    }
  }
  Session s;
  std::vector<Case> cases;
};

Doubles inputFor(Session &s, Operation op, Type type, std::size_t n) {
  if (type == BOOL)
    return s.integers(n, 0, 1);
  if (type == INT)
    return op == Operation::MUL ? s.integers(n, -1, 1) : s.integers(n, -50, 50);
  if (type == UNSIGNED_INT)
    return s.integers(n, 1, op == Operation::MUL ? 1 : 50);
  return op == Operation::MUL ? s.random(n, 0.9, 1.1) : s.random(n);
}

TEST(Reduce, AgreesWithALoopForAllOperationsTypesAndDimensions) {
  Sweep sweep;
  auto &s = sweep.s;
  const Shape shape{3, 5, 4, 7};
  const std::vector<Shape> dimSets{{0},       {1},          {2},      {3},    {0, 1},
                                   {1, 2},    {2, 3},       {0, 3},   {0, 2}, {1, 3},
                                   {0, 1, 3}, {0, 1, 2, 3}, {3, 1, 0}};
  struct Pair {
    Operation op;
    Type in, out;
  };
  std::vector<Pair> pairs;
  for (auto op : {Operation::ADD, Operation::MUL, Operation::SQUARE_ADD, Operation::LOG_ADD})
    for (auto in : {FLOAT, HALF})
      for (auto out : {FLOAT, HALF})
        pairs.push_back({op, in, out});
  for (auto op : {Operation::ADD, Operation::MUL, Operation::SQUARE_ADD})
    pairs.push_back({op, INT, INT});
  for (auto op : {Operation::MIN, Operation::MAX})
    for (auto type : {FLOAT, HALF, INT, UNSIGNED_INT})
      pairs.push_back({op, type, type});
  pairs.push_back({Operation::LOGICAL_AND, BOOL, BOOL});
  pairs.push_back({Operation::LOGICAL_OR, BOOL, BOOL});
  for (const auto &p : pairs) {
    auto values = s.stored(p.in, inputFor(s, p.op, p.in, count(shape)));
    auto in = s.input(p.in, shape, values);
    for (const auto &dims : dimSets) {
      auto out = popops::reduce(s.graph, in, p.out, dims, p.op, s.prog);
      ASSERT_EQ(out.elementType(), p.out);
      double relative = p.out == HALF ? 1e-3 : 1e-5;
      sweep.check(out, reference(values, shape, dims, p.op, p.in), relative, relative);
    }
  }
  sweep.run();
}

TEST(Reduce, WorksOnViewsOfAnyOrder) {
  Sweep sweep;
  auto &s = sweep.s;
  for (auto type : {FLOAT, HALF, INT}) {
    const Shape shape{6, 10, 8};
    auto values = s.stored(type, inputFor(s, Operation::ADD, type, count(shape)));
    auto t = s.input(type, shape, values);
    std::vector<Tensor> views{t.dimShuffle({2, 0, 1}),
                              t.dimShuffle({1, 2, 0}),
                              t.reverse(1),
                              t.reverse(2).reverse(0),
                              t.slice(1, 5, 0).slice(2, 9, 1).slice(1, 6, 2),
                              t.subSample(2, 1).subSample(3, 2),
                              t.slice(0, 1, 0).broadcast(4, 0),
                              t.slice(3, 4, 2).broadcast(3, 2),
                              concat(t.slice(3, 6, 0), t.slice(0, 3, 0)),
                              t.reshape({60, 8}).transpose(),
                              t.dimShuffle({2, 1, 0}).slice(2, 7, 0).reverse(0)};
    for (const auto &view : views)
      for (unsigned d = 0; d < view.rank(); ++d)
        for (auto op : {Operation::ADD, Operation::MAX}) {
          auto out = popops::reduce(s.graph, view, {d}, op, s.prog);
          sweep.check(out, reference(viewed(view, values), view.shape(), {d}, op, type), 1e-3,
                      1e-3);
        }
    std::vector<std::size_t> all{0, 1, 2};
    for (std::size_t v = 0; v < 9; ++v)
      sweep.check(popops::reduce(s.graph, views[v], FLOAT == type ? FLOAT : type, all,
                                 Operation::MIN, s.prog),
                  reference(viewed(views[v], values), views[v].shape(), all, Operation::MIN, type),
                  0, 0);
  }
  sweep.run();
}

TEST(Reduce, WritesIntoViewsScalesAndUpdates) {
  Sweep sweep;
  auto &s = sweep.s;
  const Shape shape{9, 12};
  for (auto type : {FLOAT, HALF})
    for (auto op : {Operation::ADD, Operation::SQUARE_ADD, Operation::LOG_ADD})
      for (bool update : {false, true})
        for (bool useScale : {false, true}) {
          auto values = s.stored(type, s.random(108));
          auto old = s.stored(type, s.random(24));
          auto in = s.input(type, shape, values);
          auto target = s.input(type, {12, 2}, old);
          auto out = target.slice(1, 2, 1).reshape({12}).reverse(0);
          auto params =
              useScale ? popops::ReduceParams(op, update, s.graph.addConstant(FLOAT, {1}, 0.25f))
                       : popops::ReduceParams(op, update);
          if (useScale)
            s.graph.setTileMapping(params.scale, 0);
          popops::reduceWithOutput(s.graph, in, out, {0}, params, s.prog);
          auto expected = reference(values, shape, {0}, op, type);
          Doubles whole = old;
          for (std::size_t i = 0; i < 12; ++i) {
            const double before = old[2 * (11 - i) + 1];
            double result = expected[i] * (useScale ? 0.25 : 1) + (update ? before : 0);
            if (op == Operation::LOG_ADD) { // all of it is logarithms
              const double scaled = expected[i] + (useScale ? 0.25 : 0);
              result = update ? std::log(std::exp(scaled) + std::exp(before)) : scaled;
            }
            whole[2 * (11 - i) + 1] = result;
          }
          double tolerance = type == HALF ? 2e-3 : 1e-5;
          sweep.check(target, whole, tolerance, tolerance);
        }
  sweep.run();
}

TEST(Reduce, LargeAndOddShapesAgree) {
  Sweep sweep(64);
  auto &s = sweep.s;
  const std::vector<std::pair<Shape, Shape>> cases{
      {{300001}, {0}},           {{1000, 301}, {0}},        {{301, 1000}, {1}},
      {{2, 70000}, {1}},         {{70000, 2}, {0}},         {{70000, 3}, {1}},
      {{70000, 3}, {0}},         {{40, 50, 60}, {1}},       {{40, 50, 60}, {0, 2}},
      {{5000, 33}, {0}},         {{17, 5000}, {0}},         {{1, 201}, {0}},
      {{20, 30, 40, 5}, {1, 3}}, {{20, 30, 40, 5}, {0, 2}}, {{3, 1, 9000, 2}, {2}},
      {{260, 1000}, {0}}};
  for (auto type : {FLOAT, HALF})
    for (const auto &[shape, dims] : cases) {
      auto values = s.stored(type, s.random(count(shape)));
      auto in = s.input(type, shape, values);
      sweep.check(popops::reduce(s.graph, in, FLOAT, dims, Operation::ADD, s.prog),
                  reference(values, shape, dims, Operation::ADD, type), 1e-5, 1e-4);
      sweep.check(popops::reduce(s.graph, in, dims, Operation::MAX, s.prog),
                  reference(values, shape, dims, Operation::MAX, type), 0, 0);
    }
  sweep.run();
}

TEST(Reduce, EmptyInputsGiveTheIdentityAndSingleElementsAreCopied) {
  Sweep sweep;
  auto &s = sweep.s;
  auto empty = s.graph.addVariable(FLOAT, {3, 0, 2}, VariableMappingMethod::LINEAR);
  sweep.check(popops::reduce(s.graph, empty, {1}, Operation::ADD, s.prog), Doubles(6, 0.0), 0, 0);
  sweep.check(popops::reduce(s.graph, empty, {1}, Operation::MUL, s.prog), Doubles(6, 1.0), 0, 0);
  sweep.check(popops::reduce(s.graph, empty, {1}, Operation::MAX, s.prog), Doubles(6, -INFINITY), 0,
              0);
  sweep.check(popops::reduce(s.graph, empty, {0}, Operation::ADD, s.prog), {}, 0, 0);
  EXPECT_THROW(popops::reduce(s.graph, empty, {1}, Operation::LOG_ADD, s.prog),
               poputil::poplibs_error);
  auto one = s.input(FLOAT, {2, 1, 3}, {1, 2, 3, 4, 5, -6});
  sweep.check(popops::reduce(s.graph, one, {1}, Operation::ADD, s.prog), {1, 2, 3, 4, 5, -6}, 0, 0);
  sweep.check(popops::reduce(s.graph, one, HALF, {1}, Operation::SQUARE_ADD, s.prog),
              {1, 4, 9, 16, 25, 36}, 0, 0);
  sweep.check(popops::reduce(s.graph, one, {}, Operation::MAX, s.prog), {1, 2, 3, 4, 5, -6}, 0, 0);
  EXPECT_THROW(popops::reduce(s.graph, one, {1}, Operation::LOG_ADD, s.prog),
               poputil::poplibs_error);
  auto scalar = s.input(INT, {}, {7});
  sweep.check(popops::reduce(s.graph, scalar, {}, Operation::ADD, s.prog), {7}, 0, 0);
  sweep.run();
}

TEST(Reduce, OneElementForEachOutputIsACopyOfTheProgram) {
  Session s;
  const auto text = [&](auto &&reduce) {
    program::Sequence prog;
    reduce(prog);
    std::ostringstream out;
    dumpProgram(s.graph, prog, out);
    return out.str();
  };
  auto one = s.input(FLOAT, {2, 1, 3}, {1, 2, 3, 4, 5, -6});
  const auto copied = text([&](auto &p) { popops::reduce(s.graph, one, {1}, Operation::ADD, p); });
  EXPECT_NE(copied.find("Copy"), std::string::npos) << copied;
  const auto squared =
      text([&](auto &p) { popops::reduce(s.graph, one, {1}, Operation::SQUARE_ADD, p); });
  EXPECT_EQ(squared.find("Copy"), std::string::npos) << squared;
  // Onto itself the other way round: what is read must not be what was just written.
  popops::reduceWithOutput(s.graph, one, one.reverse(2).squeeze({1}), {1}, Operation::MAX, s.prog);
  const auto reversed = s.output(one);
  s.run();
  EXPECT_EQ(s.values(reversed), (Doubles{3, 2, 1, -6, 5, 4}));
}

TEST(Reduce, SumsOfAMillionPositiveFloatsKeepSevenDigits) {
  Sweep sweep(64);
  auto &s = sweep.s;
  auto values = s.stored(FLOAT, s.random(1000000, 0, 1));
  auto in = s.input(FLOAT, {1000000}, values);
  auto total = reference(values, {1000000}, {0}, Operation::ADD, FLOAT);
  sweep.check(popops::reduce(s.graph, in, {0}, Operation::ADD, s.prog), total, 2e-7, 0);
  auto table = in.reshape({100000, 10});
  sweep.check(popops::reduce(s.graph, table, {0}, Operation::ADD, s.prog),
              reference(values, {100000, 10}, {0}, Operation::ADD, FLOAT), 2e-7, 0);
  auto wide = in.reshape({500, 2000});
  sweep.check(popops::reduce(s.graph, wide, {0}, Operation::ADD, s.prog),
              reference(values, {500, 2000}, {0}, Operation::ADD, FLOAT), 5e-7, 0);
  sweep.run();
}

TEST(Reduce, ResultsDoNotDependOnTheNumberOfThreads) {
  auto runWith = [](unsigned threads) {
    base::setNumThreads(threads);
    Session s(64);
    auto in = s.input(FLOAT, {300, 1000}, s.random(300000));
    auto a = s.output(popops::reduce(s.graph, in, {0}, Operation::ADD, s.prog));
    auto b = s.output(popops::reduce(s.graph, in, {0, 1}, Operation::ADD, s.prog));
    s.run();
    auto all = s.values(a);
    all.push_back(s.values(b)[0]);
    return all;
  };
  auto before = base::numThreads();
  auto one = runWith(1), three = runWith(3);
  base::setNumThreads(before);
  EXPECT_EQ(one, three);
}

TEST(Reduce, AccumulationInHalfFollowsTheOptions) {
  Session s;
  // 2048 + 1 is 2048 in half, so a sum of ones stops growing there; eight bits are lost on the way.
  auto in = s.input(HALF, {4096, 2}, Doubles(8192, 1.0));
  auto exact = s.output(popops::reduce(s.graph, in, {0}, Operation::ADD, s.prog));
  auto narrow = s.output(popops::reduce(s.graph, in.subSample(2, 1), {0}, Operation::MUL, s.prog,
                                        {}, {{"accumType.inVertex", "half"}}));
  auto tiny = s.input(HALF, {3000}, Doubles(3000, 0.1));
  auto inHalf =
      s.output(popops::reduce(s.graph, tiny, {0}, Operation::ADD, s.prog, {},
                              {{"accumType.inVertex", "half"}, {"accumType.interTile", "half"}}));
  auto inFloat = s.output(popops::reduce(s.graph, tiny, {0}, Operation::ADD, s.prog));
  auto ignored =
      s.output(popops::reduce(s.graph, tiny, FLOAT, {0}, Operation::ADD, s.prog, {},
                              {{"accumType.inVertex", "half"}, {"accumType.interTile", "half"}}));
  s.run();
  double sum = 3000 * Session::stored(HALF, {0.1})[0];
  EXPECT_EQ(s.values(exact)[0], 4096);
  EXPECT_EQ(s.values(narrow)[0], 1);
  EXPECT_NEAR(s.values(inFloat)[0], sum, 0.13); // the nearest half
  EXPECT_NEAR(s.values(inHalf)[0], sum, 3);     // not far from it
  EXPECT_NE(s.values(inHalf)[0], s.values(inFloat)[0]);
  EXPECT_NEAR(s.values(ignored)[0], sum, 1e-3); // the output is float
}

TEST(Reduce, ManyAtOnceGiveWhatEachGives) {
  Session s;
  auto a = s.stored(FLOAT, s.random(600)), b = s.stored(HALF, s.random(70));
  auto ta = s.input(FLOAT, {20, 30}, a), tb = s.input(HALF, {7, 10}, b);
  std::vector<popops::SingleReduceOp> ops;
  ops.emplace_back(ta, Shape{0}, Operation::ADD, "a");
  ops.emplace_back(tb, Shape{1}, Operation::MAX);
  ops.emplace_back(tb, Shape{0, 1}, Operation::SQUARE_ADD, FLOAT, "c");
  ops.emplace_back(ta.transpose(), Shape{0}, Operation::MIN);
  std::vector<Tensor> outs;
  popops::reduceMany(s.graph, ops, outs, s.prog);
  ASSERT_EQ(outs.size(), 4u);
  std::vector<std::size_t> read;
  for (auto &out : outs)
    read.push_back(s.output(out));
  s.run();
  expectClose(s.values(read[0]), reference(a, {20, 30}, {0}, Operation::ADD, FLOAT), 1e-5, 1e-5);
  expectClose(s.values(read[1]), reference(b, {7, 10}, {1}, Operation::MAX, HALF), 0, 0);
  expectClose(s.values(read[2]), reference(b, {7, 10}, {0, 1}, Operation::SQUARE_ADD, HALF), 1e-5);
  expectClose(s.values(read[3]), reference(a, {20, 30}, {1}, Operation::MIN, FLOAT), 0, 0);
  outs.resize(2);
  EXPECT_THROW(popops::reduceMany(s.graph, ops, outs, s.prog), poputil::poplibs_error);
}

TEST(Reduce, ComputeSetsAreExecutedByTheCaller) {
  Session s;
  auto values = s.random(100);
  auto in = s.input(FLOAT, {10, 10}, values);
  std::vector<ComputeSet> css;
  auto out = popops::reduce(s.graph, in, {1}, Operation::ADD, css, "rows");
  auto other = s.graph.addVariable(HALF, {10}, VariableMappingMethod::LINEAR);
  popops::reduceWithOutput(s.graph, in, other, {0}, Operation::ADD, css);
  ASSERT_FALSE(css.empty());
  for (auto cs : css)
    s.prog.add(program::Execute(cs));
  auto a = s.output(out), b = s.output(other);
  s.run();
  expectClose(s.values(a), reference(values, {10, 10}, {1}, Operation::ADD, FLOAT), 1e-5, 1e-5);
  expectClose(s.values(b), reference(values, {10, 10}, {0}, Operation::ADD, FLOAT), 1e-3, 1e-3);
}

TEST(Reduce, MapsAnOutputThatHasNoTiles) {
  Session s;
  auto in = s.input(FLOAT, {3, 2}, {1, 2, 3, 4, 5, 6});
  auto out = s.graph.addVariable(FLOAT, {2}, "out");
  popops::reduceWithOutput(s.graph, in, out, {0}, Operation::ADD, s.prog);
  EXPECT_EQ(s.run(out), (Doubles{9, 12}));
}

TEST(Reduce, IgnoresDimensionsOfOneElementInTheOutput) {
  Session s;
  auto in = s.input(FLOAT, {1, 3, 2}, {1, 2, 3, 4, 5, 6});
  const auto filled = [&](std::vector<std::size_t> shape) {
    return s.graph.addVariable(FLOAT, shape, VariableMappingMethod::LINEAR);
  };
  auto all = filled({1}), some = filled({2, 1}), same = filled({2});
  popops::reduceWithOutput(s.graph, in, all, {0, 1, 2}, Operation::MAX, s.prog);
  popops::reduceWithOutput(s.graph, in, some, {1}, Operation::ADD, s.prog);
  popops::reduceWithOutput(s.graph, in, same, {1}, Operation::ADD, s.prog);
  EXPECT_THROW(popops::reduceWithOutput(s.graph, in, filled({3}), {1}, Operation::ADD, s.prog),
               poputil::poplibs_error);
  EXPECT_EQ(s.run(poplar::concat({all, some.flatten(), same})), (Doubles{6, 9, 12, 9, 12}));
}

TEST(Reduce, RefusesWhatItCannotDo) {
  Session s;
  auto f = s.graph.addVariable(FLOAT, {4, 5}, VariableMappingMethod::LINEAR);
  auto i = s.graph.addVariable(INT, {4, 5}, VariableMappingMethod::LINEAR);
  auto half = s.graph.addVariable(HALF, {1}, VariableMappingMethod::LINEAR);
  auto out = s.graph.addVariable(FLOAT, {4}, VariableMappingMethod::LINEAR);
  using poputil::poplibs_error;
  EXPECT_THROW(popops::reduce(s.graph, f, {2}, Operation::ADD, s.prog), poplibs_error);
  EXPECT_THROW(popops::reduceWithOutput(s.graph, f, out, {0}, Operation::ADD, s.prog),
               poplibs_error);
  EXPECT_THROW(popops::reduce(s.graph, f, {0}, {Operation::ADD, false, half}, s.prog),
               poplibs_error);
  EXPECT_THROW(popops::reduce(s.graph, f, {0}, {Operation::ADD, true}, s.prog), poplibs_error);
  EXPECT_THROW(popops::reduceWithOutput(s.graph, f, out, {1}, {Operation::MAX, true}, s.prog),
               poplibs_error);
  EXPECT_THROW(popops::reduce(s.graph, i, FLOAT, {0}, Operation::ADD, s.prog), poplibs_error);
  EXPECT_THROW(popops::reduce(s.graph, f, {0}, Operation::LOGICAL_AND, s.prog), poplibs_error);
  EXPECT_THROW(popops::reduce(s.graph, f, {0}, Operation::ADD, s.prog, {}, {{"accumType", "half"}}),
               invalid_option);
  EXPECT_THROW(
      popops::reduce(s.graph, f, {0}, Operation::ADD, s.prog, {}, {{"accumType.inVertex", "int"}}),
      invalid_option);
}

TEST(Reduce, OperationsAreReadAndWrittenAsWords) {
  std::stringstream text;
  text << Operation::SQUARE_ADD;
  Operation op = Operation::ADD;
  text >> op;
  EXPECT_EQ(op, Operation::SQUARE_ADD);
  std::stringstream wrong("PLUS");
  EXPECT_THROW(wrong >> op, poputil::poplibs_error);
}

} // namespace
