// SPDX-License-Identifier: MIT
// Vertices by name that broadcast, work on lists of regions, choose and scale: run on one tile
// against plain loops. Each test compiles its vertices together.
#include "popops/NamedVertices.hpp"
#include "Session.hpp"
#include <sstream>

using namespace poplar;

namespace {

const std::string binary = "popops::expr::BinaryOpType::";

struct OneTile : Session {
  explicit OneTile(const std::vector<std::string> &names) : Session(2) {
    std::stringstream source(popops::namedVertices().source(names));
    graph.addCodelets(source);
  }
  Tensor put(Type type, const Doubles &values) { return put(type, {values.size()}, values); }
  Tensor put(Type type, const Shape &shape, const Doubles &values) {
    const auto t = graph.addVariable(type, shape);
    graph.setTileMapping(t, 0);
    set(t, values);
    return t;
  }
  Tensor one(Type type, double value) { return put(type, Shape{}, {value}); }
  VertexRef add(const std::string &name, ArrayRef<Graph::ConnectionDesc> fields,
                const std::vector<std::pair<const char *, unsigned>> &values = {}) {
    const auto cs = graph.addComputeSet();
    const auto v = graph.addVertex(cs, name, fields);
    graph.setTileMapping(v, 0);
    graph.setPerfEstimate(v, 1);
    for (const auto &[field, value] : values)
      graph.setInitialValue(v[field], value);
    prog.add(program::Execute(cs));
    return v;
  }
  // What the tensor must hold after run().
  void expect(const Tensor &t, const Doubles &values) { expected.push_back({output(t), values}); }
  void check() {
    run();
    for (const auto &[handle, wanted] : expected)
      expectClose(values(handle), wanted, 1e-3);
  }
  std::vector<std::pair<std::size_t, Doubles>> expected;
};

Doubles counting(std::size_t n, double from = 1) {
  Doubles values(n);
  std::iota(values.begin(), values.end(), from);
  return values;
}

// data[r][c] op f(r, c).
template <class Of> Doubles matrix(std::size_t rows, std::size_t columns, Of of) {
  Doubles out;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      out.push_back(of(double(r * columns + c + 1), r, c));
  return out;
}

} // namespace

TEST(OperatorVertices, BroadcastVectorsAlongAndAcrossRows) {
  const std::string inner = "popops::BroadcastVectorInner1D<" + binary + "MULTIPLY,half>",
                    innerInPlace = "popops::BroadcastVectorInner1DInPlace<" + binary + "ADD,float>",
                    row = "popops::BroadcastVectorOuterByRow1D<" + binary + "SUBTRACT,float,true>",
                    column = "popops::BroadcastVectorOuterByColumn1DInPlace<" + binary +
                             "MULTIPLY,half,false>";
  OneTile s({inner, innerInPlace, row, column});
  const Doubles b{2, 3, 4, 5, 6, 7};
  // Two slices of three, each against seven rows.
  const auto product = s.put(HALF, Doubles(42));
  s.add(inner, {{"B", s.put(HALF, b)}, {"data", s.put(HALF, counting(42))}, {"out", product}},
        {{"bSlicesM1", 1}, {"bSliceLen", 3}, {"bBroadcastFactor", 7}});
  s.expect(product, matrix(14, 3, [&](double x, auto r, auto c) { return x * b[r / 7 * 3 + c]; }));
  const auto sum = s.put(FLOAT, counting(48));
  s.add(innerInPlace, {{"B", s.put(FLOAT, b)}, {"data", sum}},
        {{"bSlicesM1", 0}, {"bSliceLen", 6}, {"bBroadcastFactor", 8}});
  s.expect(sum, matrix(8, 6, [&](double x, auto, auto c) { return x + b[c]; }));
  // One value per row; the seventh row begins again.
  const auto less = s.put(FLOAT, Doubles(35));
  s.add(row, {{"data", s.put(FLOAT, counting(35))}, {"B", s.put(FLOAT, b)}, {"out", less}},
        {{"columns", 5}, {"rows", 7}});
  s.expect(less, matrix(7, 5, [&](double x, auto r, auto) { return x - b[r % 6]; }));
  const auto scaled = s.put(HALF, counting(24));
  s.add(column, {{"data", scaled}, {"B", s.put(HALF, {2, 10})}}, {{"columns", 8}, {"rows", 3}});
  s.expect(scaled, matrix(3, 8, [&](double x, auto r, auto) { return x * (r % 2 ? 10 : 2); }));
  s.check();
}

TEST(OperatorVertices, BroadcastScalarsOverRegions) {
  const std::string each = "popops::BroadcastScalar2D<" + binary + "DIVIDE,float>",
                    all = "popops::BroadcastScalar2DDataInPlace<" + binary + "MAXIMUM,int>",
                    types = "popops::BroadcastScalar2Types1D<" + binary +
                            "INV_STD_DEV_TO_VARIANCE,half,float>",
                    both = "popops::BroadcastScalar1DRelationalOpDualOutput<" + binary +
                           "GREATER_THAN,float,bool>",
                    plain = "popops::BinaryOp2D<" + binary + "LESS_THAN,half>";
  OneTile s({each, all, types, both, plain});
  const auto quotients = s.put(FLOAT, Doubles(8));
  s.add(each, {{"data", s.put(FLOAT, counting(8)).slices({{0, 3}, {3, 8}})},
               {"B", s.put(FLOAT, {2, 4})},
               {"out", quotients.slices({{0, 3}, {3, 8}})}});
  s.expect(quotients, {0.5, 1, 1.5, 1, 1.25, 1.5, 1.75, 2});
  const auto most = s.put(INT, {-5, 7, 2, 9});
  s.add(all, {{"data", most.slices({{0, 1}, {1, 4}})}, {"B", s.one(INT, 4)}});
  s.expect(most, {4, 7, 4, 9});
  const auto variance = s.put(FLOAT, Doubles(2));
  s.add(types, {{"data", s.put(HALF, {0.5, 2})}, {"B", s.one(HALF, 0.125)}, {"out", variance}});
  s.expect(variance, {1 / 0.25 - 0.125, 1 / 4.0 - 0.125});
  const auto above = s.put(BOOL, Doubles(3)), notAbove = s.put(BOOL, Doubles(3));
  s.add(both, {{"data", s.put(FLOAT, {1, 2, 3})},
               {"B", s.one(FLOAT, 2)},
               {"out", above},
               {"outInv", notAbove}});
  s.expect(above, {0, 0, 1});
  s.expect(notAbove, {1, 1, 0});
  const auto less = s.put(BOOL, Doubles(4));
  s.add(plain, {{"in1", s.put(HALF, {1, 2, 3, 4}).slices({{0, 2}, {2, 4}})},
                {"in2", s.put(HALF, {2, 2, 2, 5}).slices({{0, 2}, {2, 4}})},
                {"out", less.slices({{0, 2}, {2, 4}})}});
  s.expect(less, {1, 0, 0, 1});
  s.check();
}

TEST(ElementWiseVertices, ChooseAndClamp) {
  OneTile s({"popops::SelectInPlace<half>", "popops::BroadcastSelect<int>",
             "popops::BroadcastSelectorSelect<float>",
             "popops::BroadcastSelectorSelectInPlace<float>", "popops::Clamp<float>",
             "popops::ClampInPlace<int>", "popops::BroadcastClamp<half>"});
  const auto list = [](const Tensor &t) { return t.expand({0}); };
  const auto chosen = s.put(HALF, {1, 2, 3});
  s.add("popops::SelectInPlace<half>", {{"in1Out", list(chosen)},
                                        {"in2", list(s.put(HALF, {4, 5, 6}))},
                                        {"in3", list(s.put(BOOL, {0, 1, 0}))}});
  s.expect(chosen, {4, 2, 6});
  const auto signs = s.put(INT, Doubles(3)), first = s.put(FLOAT, Doubles(2));
  s.add("popops::BroadcastSelect<int>", {{"in1", s.one(INT, 1)},
                                         {"in2", s.one(INT, -1)},
                                         {"in3", list(s.put(BOOL, {1, 0, 1}))},
                                         {"out", list(signs)}});
  s.expect(signs, {1, -1, 1});
  s.add("popops::BroadcastSelectorSelect<float>", {{"in1", list(s.put(FLOAT, {1, 2}))},
                                                   {"in2", list(s.put(FLOAT, {3, 4}))},
                                                   {"in3", s.one(BOOL, 1)},
                                                   {"out", list(first)}});
  s.expect(first, {1, 2});
  const auto second = s.put(FLOAT, {1, 2});
  s.add("popops::BroadcastSelectorSelectInPlace<float>",
        {{"in1Out", list(second)}, {"in2", list(s.put(FLOAT, {3, 4}))}, {"in3", s.one(BOOL, 0)}});
  s.expect(second, {3, 4});
  const auto clamped = s.put(FLOAT, Doubles(3)), ints = s.put(INT, {-9, 0, 9});
  s.add("popops::Clamp<float>", {{"in1", list(s.put(FLOAT, {-5, 0.5, 5}))},
                                 {"in2", list(s.put(FLOAT, {-1, -1, 0}))},
                                 {"in3", list(s.put(FLOAT, {1, 1, 2}))},
                                 {"out", list(clamped)}});
  s.expect(clamped, {-1, 0.5, 2});
  s.add("popops::ClampInPlace<int>", {{"in1Out", list(ints)},
                                      {"in2", list(s.put(INT, {-2, -2, -2}))},
                                      {"in3", list(s.put(INT, {3, 3, 3}))}});
  s.expect(ints, {-2, 0, 3});
  const auto halves = s.put(HALF, Doubles(3));
  s.add("popops::BroadcastClamp<half>", {{"in1", list(s.put(HALF, {-4, 1, 4}))},
                                         {"in2", s.one(HALF, 0)},
                                         {"in3", s.one(HALF, 2)},
                                         {"out", list(halves)}});
  s.expect(halves, {0, 1, 2});
  s.check();
}

TEST(ElementWiseVertices, ScaleMultiplyConvertAndFill) {
  OneTile s({"popops::ScaledSubtractSupervisor<int,int,int,false>",
             "popops::ScaledAdd2D<float,half,float,false>",
             "popops::aXPlusbYSupervisor<half,float,false>",
             "popops::aXMinusbY2D<float,float,true>",
             "popops::XMinusaXPlusbYSupervisor<float,false>", "popops::HadamardProd<half>",
             "popops::ScalarMultiply1D<half,float>", "popops::ScalarMultiply2DInplace<half,float>",
             "popops::Cast1DSingleWorker<int,half>", "popops::Cast2D<float,bool>",
             "popops::Fill2d<int>"});
  const auto list = [](const Tensor &t) { return t.expand({0}); };
  const Doubles a = counting(7), b = counting(7, 11);
  auto each = [&](auto of) {
    Doubles out;
    for (std::size_t i = 0; i < a.size(); ++i)
      out.push_back(of(a[i], b[i]));
    return out;
  };
  auto t = s.put(INT, a);
  s.add("popops::ScaledSubtractSupervisor<int,int,int,false>",
        {{"A", t}, {"B", s.put(INT, b)}, {"scaleB", s.one(INT, 3)}}, {{"size", 7}});
  s.expect(t, each([](double x, double y) { return x - 3 * y; }));
  t = s.put(FLOAT, a);
  s.add("popops::ScaledAdd2D<float,half,float,false>",
        {{"A", list(t)}, {"B", list(s.put(HALF, b))}, {"scaleB", s.one(FLOAT, 0.25)}});
  s.expect(t, each([](double x, double y) { return x + 0.25 * y; }));
  t = s.put(HALF, a);
  s.add(
      "popops::aXPlusbYSupervisor<half,float,false>",
      {{"A", t}, {"B", s.put(HALF, b)}, {"scaleA", s.one(FLOAT, 2)}, {"scaleB", s.one(FLOAT, 0.5)}},
      {{"size", 7}});
  s.expect(t, each([](double x, double y) { return 2 * x + 0.5 * y; }));
  t = s.put(FLOAT, a);
  s.add("popops::aXMinusbY2D<float,float,true>", {{"A", list(t)},
                                                  {"B", list(s.put(FLOAT, b))},
                                                  {"scaleA", s.one(FLOAT, 2)},
                                                  {"scaleB", s.one(FLOAT, 0.5)}});
  s.expect(t, each([](double x, double y) { return 2 * x - 0.5 * y; }));
  t = s.put(FLOAT, a);
  s.add("popops::XMinusaXPlusbYSupervisor<float,false>",
        {{"A", t},
         {"B", s.put(FLOAT, b)},
         {"scaleA", s.one(FLOAT, 0.25)},
         {"scaleB", s.one(FLOAT, 0.5)}},
        {{"size", 7}});
  s.expect(t, each([](double x, double y) { return 0.75 * x + 0.5 * y; }));
  t = s.put(HALF, a);
  s.add("popops::HadamardProd<half>", {{"A", list(t)}, {"B", list(s.put(HALF, b))}});
  s.expect(t, each([](double x, double y) { return x * y; }));
  auto v = s.put(HALF, Doubles(7));
  s.add("popops::ScalarMultiply1D<half,float>",
        {{"in1", s.put(HALF, a)}, {"in2", s.one(FLOAT, 1.5)}, {"out", v}});
  s.expect(v, each([](double x, double) { return 1.5 * x; }));
  t = s.put(HALF, a);
  s.add("popops::ScalarMultiply2DInplace<half,float>",
        {{"in1Out", list(t)}, {"in2", s.one(FLOAT, -1)}});
  s.expect(t, each([](double x, double) { return -x; }));
  v = s.put(HALF, Doubles(7));
  s.add("popops::Cast1DSingleWorker<int,half>", {{"src", s.put(INT, b)}, {"dst", v}},
        {{"numElems", 7}});
  s.expect(v, b);
  v = s.put(BOOL, Doubles(3));
  s.add("popops::Cast2D<float,bool>",
        {{"src", list(s.put(FLOAT, {0, 0.5, -2}))}, {"dst", list(v)}});
  s.expect(v, {0, 1, 1});
  v = s.put(INT, Doubles(5));
  const auto fill = s.add("popops::Fill2d<int>", {{"out", v.slices({{0, 2}, {2, 5}})}});
  s.graph.setInitialValue(fill["in"], -7);
  s.expect(v, Doubles(5, -7));
  s.check();
}
