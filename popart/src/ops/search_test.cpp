// SPDX-License-Identifier: MIT
// ArgMax, ArgMin, TopK, Sort, ReduceMedian, CumSum, Histogram, Einsum, Det.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

using ir::Integers;
constexpr std::int64_t zero = 0, one = 1;

template <class F> std::string message(F &&f) {
  try {
    f();
  } catch (const error &e) {
    return e.what();
  }
  return "";
}

} // namespace

TEST(Search, ArgMaxAndArgMinChooseFirstOrLast) {
  for (auto type : {DataType::FLOAT, DataType::FLOAT16, DataType::INT32, DataType::INT8}) {
    Model m;
    const auto x = m.input({2, 3}, {2, 5, 5, 1, 1, 7}, type);
    auto arg = [&](const std::string &op, std::int64_t axis, std::int64_t last) {
      return m.b.op(op, {x}, {{"axis", axis}, {"select_last_index", last}});
    };
    const auto got = m.run(Values{arg("ArgMax", 1, 0), arg("ArgMax", -1, 1), arg("ArgMin", 1, 0),
                                  arg("ArgMin", 1, 1), arg("ArgMax", 0, 0)});
    expectNear(got[0], {1, 2});
    expectNear(got[1], {2, 2});
    expectNear(got[2], {0, 0});
    expectNear(got[3], {0, 1});
    expectNear(got[4], {0, 0, 1});
  }
  Model m;
  const auto x = m.randomInput({2, 3, 4});
  const auto y = m.b.op("ArgMax", {x}, {{"axis", one}, {"keepdims", zero}});
  EXPECT_EQ(m.graph[y].info, TensorInfo(DataType::INT32, {2, 4}));
}

TEST(Search, TopKOrdersAndKeepsTheOrderOfEqualElements) {
  Model m;
  const auto x = m.input({2, 4}, {3, 1, 3, 2, 0, 9, 8, 9});
  auto top = [&](std::int64_t k, std::int64_t largest) {
    return m.b.ops("TopK", {x}, 2, {{"k", k}, {"largest", largest}});
  };
  const auto a = top(3, 1), b = top(2, 0);
  const auto got = m.run(Values{a[0], a[1], b[0], b[1]});
  expectNear(got[0], {3, 3, 2, 9, 9, 8});
  expectNear(got[1], {0, 2, 3, 1, 3, 2});
  expectNear(got[2], {1, 2, 0, 8});
  expectNear(got[3], {1, 3, 0, 2});
}

TEST(Search, TopKTakesEveryOpsetsForm) {
  Model m;
  const auto x = m.input({4, 2}, {3, 1, 2, 9, 5, 4, 0, 7});
  const auto v1 = m.imported("TopK", {x}, {{"k", one}, {"axis", zero}}, 9, 2);
  const auto v10 = m.imported("TopK", {x, m.b.integers({1})}, {{"axis", zero}}, 10, 2);
  const auto v11 =
      m.imported("TopK", {x, m.b.integers({1})}, {{"axis", zero}, {"largest", zero}}, 11, 1);
  const auto got = m.run(Values{v1[0], v1[1], v10[0], v11[0], v11[1]});
  expectNear(got[0], {5, 9});
  expectNear(got[1], {2, 1});
  expectNear(got[2], {5, 9});
  expectNear(got[3], {0, 1});
  expectNear(got[4], {3, 0});
  EXPECT_EQ(message([&] {
              m.b.ops("TopK", {x}, 2, {{"k", std::int64_t(3)}});
            }),
            "TopK: k is 3, but [4,2] has 2 elements along axis 1.");
}

TEST(Search, SortedAndMedianElementsPassGradientsBack) {
  Model m;
  const auto x =
      m.input({2, 5, 2}, {3, 1, 2, 9, 5, 4, 0, 7, 6, 8, 11, 12, 15, 14, 13, 10, 18, 17, 16, 19});
  const auto sorted = m.b.ops("Sort", {x}, 2, {{"axis", one}, {"descending", one}});
  const auto median = m.b.ops("ReduceMedian", {x}, 2, {{"axes", Integers{0, 1}}});
  const auto top = m.b.ops("TopK", {x}, 2, {{"axis", one}, {"k", std::int64_t(2)}});
  const auto got = m.run(Values{sorted[0], sorted[1], median[0], median[1]});
  expectNear(got[0], {6, 9, 5, 8, 3, 7, 2, 4, 0, 1, 18, 19, 16, 17, 15, 14, 13, 12, 11, 10});
  expectNear(got[1], {4, 1, 2, 4, 0, 3, 1, 2, 3, 0, 3, 4, 4, 3, 1, 1, 2, 0, 0, 2});
  EXPECT_EQ(m.graph[median[0]].info.shape(), (Shape{1, 1, 2}));
  expectNear(got[2], {6, 9});
  expectNear(got[3], {4, 1});
  m.checkGradients(sorted[0], {x});
  m.checkGradients(median[0], {x});
  m.checkGradients(top[0], {x});
}

TEST(Search, RunningSums) {
  struct Case {
    std::int64_t exclusive, reverse;
    Doubles want;
  };
  for (const auto &c : std::vector<Case>{{0, 0, {1, 3, 6, 4, 9, 15}},
                                         {1, 0, {0, 1, 3, 0, 4, 9}},
                                         {0, 1, {6, 5, 3, 15, 11, 6}},
                                         {1, 1, {5, 3, 0, 11, 6, 0}}})
    for (auto type : {DataType::FLOAT, DataType::FLOAT16, DataType::INT32}) {
      Model m;
      const auto x = m.input({2, 3}, {1, 2, 3, 4, 5, 6}, type);
      const auto axis = m.b.constant(HostTensor::scalar(DataType::INT32, -1));
      const auto y = m.imported("CumSum", {x, axis},
                                {{"exclusive", c.exclusive}, {"reverse", c.reverse}}, 14)[0];
      expectNear(m.run(y), c.want);
      if (type == DataType::FLOAT)
        m.checkGradients(y, {x});
    }
}

TEST(Search, CountsBetweenLevels) {
  Model m;
  const auto x = m.input({6}, {-3, -1, 0, 0.5, 1, 2});
  auto counts = [&](std::int64_t absolute) {
    return m.run(m.b.op("Histogram", {x},
                        {{"levels", std::vector<float>{0, 1}}, {"absoluteOfInput", absolute}}));
  };
  expectNear(counts(0), {2, 2, 2});
  expectNear(counts(1), {0, 2, 4});
}

TEST(Einsum, MatchesLoopsOverItsNames) {
  // Every equation over dimensions a=2 b=3 c=4 d=5; the reference sums over all indices.
  struct Case {
    std::string equation;
    std::vector<std::string> terms;
    std::string output;
  };
  const std::map<char, int> size{{'a', 2}, {'b', 3}, {'c', 4}, {'d', 5}};
  for (const auto &c : std::vector<Case>{{"ab->ba", {"ab"}, "ba"},
                                         {"ab->a", {"ab"}, "a"},
                                         {"ab->", {"ab"}, ""},
                                         {"ba", {"ba"}, "ab"},
                                         {"aa->a", {"aa"}, "a"},
                                         {"aba", {"aba"}, "b"},
                                         {"...cc->...c", {"acc"}, "ac"},
                                         {"ab,bc->ac", {"ab", "bc"}, "ac"},
                                         {"ab , bc", {"ab", "bc"}, "ac"},
                                         {"a,a", {"a", "a"}, ""},
                                         {"a,b->ab", {"a", "b"}, "ab"},
                                         {"abc,acd->abd", {"abc", "acd"}, "abd"},
                                         {"...bc,...cd->...bd", {"abc", "acd"}, "abd"},
                                         {"bc,...cd->...bd", {"bc", "acd"}, "abd"},
                                         {"abc,dcb->d", {"abc", "dcb"}, "d"},
                                         {"abc,cd,db->ad", {"abc", "cd", "db"}, "ad"},
                                         {"ab,ab->ab", {"ab", "ab"}, "ab"}}) {
    SCOPED_TRACE(c.equation);
    Model m;
    Values in;
    for (const auto &term : c.terms) {
      Shape shape;
      for (char d : term)
        shape.push_back(size.at(d));
      in.push_back(m.randomInput(shape));
    }
    auto at = [&](const std::string &names, std::map<char, int> &index) {
      std::size_t out = 0;
      for (char d : names)
        out = out * std::size_t(size.at(d)) + std::size_t(index[d]);
      return out;
    };
    const auto y = m.b.op("Einsum", in, {{"equation", c.equation}});
    Doubles want(std::size_t(m.graph[y].info.nelms()), 0);
    std::string used;
    for (const auto &[d, n] : size)
      for (const auto &term : c.terms)
        if (term.find(d) != std::string::npos && used.find(d) == std::string::npos)
          used += d;
    std::map<char, int> index;
    for (bool more = true; more;) {
      double product = 1;
      for (std::size_t i = 0; i < in.size(); ++i)
        product *= m.fed(in[i])[at(c.terms[i], index)];
      want[at(c.output, index)] += product;
      more = false;
      for (char d : used)
        if (++index[d] < size.at(d)) {
          more = true;
          break;
        } else
          index[d] = 0;
    }
    expectNear(m.run(y), want, 1e-4, 1e-5);
    m.checkGradients(y, in);
  }
}

TEST(Einsum, BroadcastsOnesAndRefusesNonsense) {
  Model m;
  const auto x = m.input({1, 2}, {1, 2}), y = m.input({3, 2}, {1, 2, 3, 4, 5, 6});
  expectNear(m.run(m.b.op("Einsum", {x, y}, {{"equation", std::string("...a,...a->...")}})),
             {5, 11, 17});
  const auto i = m.input({2}, {3, 4}, DataType::INT32);
  expectNear(m.run(m.b.op("Einsum", {i, i}, {{"equation", std::string("a,a")}})), {25});
  auto failure = [&](const std::string &equation) {
    return message([&] { m.b.op("Einsum", {x, y}, {{"equation", equation}}); });
  };
  EXPECT_EQ(failure("ab,bc->a"), "Einsum: equation \"ab,bc->a\": dimension \"b\" is 2 and 3.");
  EXPECT_EQ(failure("ab->a"), "Einsum: equation \"ab->a\" names 1 operands, but there are 2.");
  EXPECT_EQ(failure("ab,cd->e"), "Einsum: equation \"ab,cd->e\": dimension \"e\" of the output "
                                 "must occur once there, and in an operand.");
  EXPECT_EQ(failure("ab,c->a"), "Einsum: equation \"ab,c->a\": \"c\" does not fit rank 2.");
  EXPECT_EQ(failure("a1,bc->a"), "Einsum: equation \"a1,bc->a\": \"a1\" is not made of letters and "
                                 "one \"...\".");
}

TEST(Det, EliminatesWithPivots) {
  Model m;
  const auto x = m.input({3, 3, 3}, {0, 2, 1, 3, 0,  0, 1, 1, 4, //
                                     1, 2, 3, 2, 4,  6, 7, 1, 2, // singular
                                     2, 0, 0, 0, -3, 0, 0, 0, 0.5});
  const auto y = m.b.op("Det", {x});
  EXPECT_EQ(m.graph[y].info.shape(), (Shape{3}));
  expectNear(m.run(y), {-21, 0, -3}, 1e-5, 1e-5);
  const auto one = m.input({1, 1}, {5});
  expectNear(m.run(m.b.op("Det", {one})), {5});
  const auto regular = m.input({3, 3}, {0.1, 2, 1, 3, 0.2, 0, 1, 1, 4});
  m.checkGradients(m.b.op("Det", {regular}), {regular});
  EXPECT_EQ(message([&] {
              m.b.op("Det", {m.randomInput({2, 3})});
            }),
            "Det: input \"input/3\" is FLOAT [2,3]; its last two dimensions must be equal.");
}
