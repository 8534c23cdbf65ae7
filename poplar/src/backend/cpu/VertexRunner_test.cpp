// SPDX-License-Identifier: MIT
#include "backend/InterpreterTest.hpp"
#include "base/FloatMode.hpp"
#include "base/testing/Message.hpp"
#include "base/Threads.hpp"
#include "poplar/exceptions.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;

namespace {

using Ints = std::vector<int>;

const char *codelets = R"(
  #include <print.h>
  #include <cassert>
  struct Scale : Vertex {
    Input<Vector<int>> in; Output<Vector<int>> out; int factor;
    bool compute() { for (unsigned i = 0; i < in.size(); ++i) out[i] = in[i] * factor; return true; }
  };
  struct Increment : Vertex {
    InOut<Vector<int, VectorLayout::ONE_PTR>> data; unsigned n;
    void compute() { for (unsigned i = 0; i < n; ++i) data[i] += 1; }
  };
  struct Aligned : Vertex {
    Input<Vector<int, VectorLayout::SPAN, 16>> in; Output<unsigned> low;
    bool compute() { *low = unsigned(reinterpret_cast<unsigned long>(&in[0]) & 15); return true; }
  };
  struct Rows : Vertex {
    Vector<Input<Vector<int>>> in; Output<Vector<int>> sums;
    bool compute() {
      for (unsigned i = 0; i < in.size(); ++i) { sums[i] = 0; for (auto x : in[i]) sums[i] += x; }
      return true;
    }
  };
  struct State : Vertex {
    Output<int> out; int calls; Vector<int> table;
    bool compute() { *out = table[calls % table.size()]; ++calls; return true; }
  };
  struct Workers : MultiVertex {
    Output<Vector<int>> out;
    void compute(unsigned worker) { if (worker < out.size()) out[worker] = int(worker) + 1; }
  };
  struct Answer : Vertex { Input<int> in; bool compute() { return *in != 0; } };
  struct Divide : Vertex { Input<float> a, b; Output<float> out; bool compute() { *out = *a / *b; return true; } };
  struct Speak : Vertex { int id; bool compute() { printf("%d,", id); return true; } };
  struct Fails : Vertex { Input<int> in; bool compute() { assert(*in == 1); return true; } };
  struct Beyond : Vertex {
    Input<Vector<int>> in; Output<int> out; int index;
    bool compute() { *out = in[index]; return true; }
  };
)";

template <class Work> std::string failure(Work work) {
  return base::testing::messageOf<application_runtime_error>(work);
}

} // namespace

TEST(VertexRunner, BindsContiguousFieldsAndGathersOthers) {
  Builder b(codelets);
  auto in = b.ints({1, 2, 3, 4, 5, 6, 7, 8}), out = b.variable(8);
  auto cs = b.computeSet();
  b.vertex(cs, "Scale", {span(in, 0, 2), span(out, 0, 2), plain<int>({10})});
  b.vertex(cs, "Scale", {strided(in, 2, 2, 3), strided(out, 7, 2, -5), plain<int>({100})});
  Argument pieces{{{{in, 7, 1, 1}, {in, 0, 2, 1}}}, {}},
      places{{{{out, 5, 1, 1}, {out, 3, 2, 1}}}, {}};
  b.vertex(cs, "Scale", {pieces, places, plain<int>({1})});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (Ints{10, 20, 600, 1, 2, 8, 0, 300}));
}

TEST(VertexRunner, UnwrittenOutputsKeepTheirContents) {
  Builder b(codelets);
  auto data = b.ints({1, 2, 3, 4, 5, 6});
  auto cs = b.computeSet();
  b.vertex(cs, "Increment", {strided(data, 0, 3, 2), plain<unsigned>({2})});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(data), (Ints{2, 2, 4, 4, 5, 6}));
}

TEST(VertexRunner, VectorsAreAsAlignedAsTheyAsk) {
  Builder b(codelets);
  auto in = b.ints({1, 2, 3, 4, 5}), low = b.values<unsigned>({9, 9}, TypeId::UnsignedInt);
  auto cs = b.computeSet();
  b.vertex(cs, "Aligned", {span(in, 1, 4), span(low, 0, 1)});
  b.vertex(cs, "Aligned", {span(in, 2, 5), span(low, 1, 2)});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(low), (Ints{0, 0}));
}

TEST(VertexRunner, FloatDenormalsAreZeroAsOnTheTiles) {
  Builder b(codelets);
  auto a = b.values<float>({1e-30f, 1e-30f}, TypeId::Float);
  auto divisor = b.values<float>({1e10f, 1e5f}, TypeId::Float);
  auto out = b.variable(2, TypeId::Float);
  auto cs = b.computeSet();
  for (int i = 0; i < 2; ++i)
    b.vertex(cs, "Divide", {span(a, i, i + 1), span(divisor, i, i + 1), span(out, i, i + 1)});
  b.execute(cs);
  Loaded loaded(b);
  const auto mode = base::floatMode();
  loaded.run();
  EXPECT_EQ(base::floatMode(), mode);
  EXPECT_EQ(loaded.read<float>(out), (std::vector<float>{0, 1e-30f / 1e5f}));
}

TEST(VertexRunner, TwoDimensionalFieldsMayBeJagged) {
  Builder b(codelets);
  auto in = b.ints({1, 2, 3, 4, 5, 6}), sums = b.variable(3);
  auto cs = b.computeSet();
  Argument rows{{{{in, 0, 1, 1}}, {{in, 1, 3, 1}}, {}}, {}};
  b.vertex(cs, "Rows", {rows, span(sums, 0, 3)});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(sums), (Ints{1, 9, 0}));
}

TEST(VertexRunner, PlainFieldsPersistUntilTheNextLoad) {
  Builder b(codelets);
  auto out = b.variable(1);
  auto cs = b.computeSet();
  b.vertex(cs, "State", {span(out, 0, 1), plain<int>({1}), plain<int>({5, 6, 7})});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), Ints{6});
  loaded.run();
  EXPECT_EQ(loaded.ints(out), Ints{7});
  loaded.interpreter.load();
  loaded.run();
  EXPECT_EQ(loaded.ints(out), Ints{6});
}

TEST(VertexRunner, MultiVerticesRunEveryWorker) {
  Builder b(codelets);
  auto out = b.variable(6);
  auto cs = b.computeSet();
  b.vertex(cs, "Workers", {span(out, 0, 6)});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (Ints{1, 2, 3, 4, 5, 6}));
}

TEST(VertexRunner, ThePredicateIsTheAndOfAllResults) {
  for (int second : {0, 1}) {
    Builder b(codelets);
    auto in = b.ints({1, second}), predicate = b.variable(1, TypeId::Bool);
    auto cs = b.computeSet();
    b.vertex(cs, "Answer", {span(in, 0, 1)});
    b.vertex(cs, "Answer", {span(in, 1, 2)});
    auto run = b.execute(cs);
    as<step::Execute>(b.image.steps[run])->verdict = b.view(predicate);
    Loaded loaded(b);
    loaded.run();
    EXPECT_EQ(loaded.read<char>(predicate)[0], second);
  }
}

TEST(VertexRunner, ResultsAndTextDoNotDependOnThreads) {
  const auto before = base::numThreads();
  std::vector<Ints> results;
  std::vector<std::string> texts;
  for (unsigned threads : {1u, 2u, 5u}) {
    base::setNumThreads(threads);
    Builder b(codelets);
    auto in = b.variable(2000), out = b.variable(2000);
    auto cs = b.computeSet();
    for (int i = 0; i < 500; ++i) {
      b.vertex(cs, "Scale", {span(in, 4 * i, 4 * i + 4), strided(out, i, 4, 500), plain<int>({i})},
               5000);
      b.vertex(cs, "Speak", {plain<int>({i})}, 5000);
    }
    b.image.variables[in].initial = {{0, std::string(8000, '\1')}};
    b.execute(cs);
    Loaded loaded(b);
    loaded.run();
    results.push_back(loaded.ints(out));
    texts.push_back(loaded.host.vertices);
  }
  base::setNumThreads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
  EXPECT_EQ(texts[0].substr(0, 8), "0,1,2,3,");
  EXPECT_EQ(texts[0], texts[1]);
  EXPECT_EQ(texts[0], texts[2]);
}

TEST(VertexRunner, TextOfVerticesThatNoEngineRunsIsNotItsOwn) {
  Builder b(codelets);
  auto cs = b.computeSet();
  b.vertex(cs, "Speak", {plain<int>({7})});
  b.execute(cs);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.host.vertices, "7,");
  EXPECT_EQ(codelet::setPrintTarget({}).hook, nullptr);
}

TEST(VertexRunner, RandomNumbersBelongToTheVertexNotToTheThread) {
  const auto before = base::numThreads();
  std::vector<std::vector<unsigned>> results;
  for (unsigned threads : {1u, 3u}) {
    base::setNumThreads(threads);
    Builder b("#include <ipu_builtins.h>\n"
              "struct Dice : Vertex { Output<unsigned> out; bool compute() { *out = "
              "__builtin_ipu_urand32(); return true; } };");
    auto out = b.variable(400, TypeId::UnsignedInt);
    auto cs = b.computeSet();
    for (int i = 0; i < 400; ++i)
      b.vertex(cs, "Dice", {span(out, i, i + 1)}, 5000);
    b.execute(cs);
    Loaded loaded(b);
    loaded.run();
    results.push_back(loaded.read<unsigned>(out));
    loaded.run();
    EXPECT_NE(loaded.read<unsigned>(out), results.back());
    loaded.interpreter.load();
    loaded.run();
    EXPECT_EQ(loaded.read<unsigned>(out), results.back());
  }
  base::setNumThreads(before);
  EXPECT_EQ(results[0], results[1]);
  EXPECT_NE(results[0][0], results[0][1]);
}

TEST(VertexRunner, FloatingPointExceptionsNameTheComputeSet) {
  Builder b(codelets);
  auto values = b.values<float>({1, 0, 0}, TypeId::Float);
  auto cs = b.computeSet("division");
  b.vertex(cs, "Divide", {span(values, 0, 1), span(values, 1, 2), span(values, 2, 3)});
  b.execute(cs);
  EXPECT_NO_THROW(Loaded(b).run());
  RunOptions trapping;
  trapping.floatingPoint = 7;
  Loaded loaded(b, trapping);
  auto text = failure([&] { loaded.run(); });
  EXPECT_NE(text.find("division by zero"), std::string::npos) << text;
  EXPECT_NE(text.find("\"division\""), std::string::npos) << text;
}

TEST(VertexRunner, FailedAssertionsBecomeApplicationErrors) {
  Builder b(codelets);
  auto in = b.ints({2});
  auto cs = b.computeSet("checks");
  b.vertex(cs, "Fails", {span(in, 0, 1)});
  b.execute(cs);
  Loaded loaded(b);
  auto text = failure([&] { loaded.run(); });
  EXPECT_NE(text.find("\"checks\""), std::string::npos) << text;
}

TEST(VertexRunner, VerticesWithoutAnEstimateAreCountedOnce) {
  Builder b(codelets);
  auto in = b.ints({1, 2, 3, 4}), out = b.variable(4);
  auto cs = b.computeSet();
  b.vertex(cs, "Scale", {span(in, 0, 4), span(out, 0, 4), plain<int>({3})}, noEstimate);
  auto run = b.execute(cs);
  b.repeat(2, run);
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (Ints{3, 6, 9, 12}));
  const auto &total = loaded.recorder.totals()[run];
  EXPECT_EQ(total.executions, 2u);
  EXPECT_GT(loaded.recorder.vertexCycles(0), 0u);
  EXPECT_EQ(total.cycles, 2 * total.cost->cycles());
  EXPECT_TRUE(total.cost->measured);
}

TEST(VertexRunner, CheckedModeFindsAccessesOutsideAField) {
  RunOptions checked;
  checked.checked = true;
  for (int index : {1, 2}) {
    Builder b(codelets);
    auto in = b.ints({1, 2, 3}), out = b.variable(1);
    auto cs = b.computeSet();
    b.vertex(cs, "Beyond", {strided(in, 0, 2, 2), span(out, 0, 1), plain<int>({index})});
    b.execute(cs);
    Loaded loaded(b, checked);
    auto text = failure([&] { loaded.run(); });
    if (index == 1) {
      EXPECT_EQ(text, "no error");
      EXPECT_EQ(loaded.ints(out), Ints{3});
    } else {
      for (auto part : {"Beyond", "in", "2"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST(VertexRunner, CheckedModeFindsElementsNeverWritten) {
  RunOptions checked;
  checked.checked = true;
  Builder b(codelets);
  auto in = b.variable(2), one = b.ints({1}), out = b.variable(1);
  auto cs = b.computeSet();
  b.vertex(cs, "Beyond", {span(in, 0, 2), span(out, 0, 1), plain<int>({1})}, noEstimate);
  auto write = b.copy(one, 0, in, 1, 1), run = b.execute(cs);
  b.sequence({write, run});
  Loaded fine(b, checked);
  EXPECT_EQ(failure([&] { fine.run(); }), "no error");
  EXPECT_EQ(fine.ints(out), Ints{1});
  b.sequence({run});
  Loaded bad(b, checked);
  EXPECT_NE(failure([&] { bad.run(); }), "no error");
}

TEST(VertexRunner, CheckedModePrintsOnceWhatItRunsTwiceToCount) {
  RunOptions checked;
  checked.checked = true;
  Builder b(codelets);
  auto cs = b.computeSet();
  b.vertex(cs, "Speak", {plain<int>({7})}, noEstimate);
  b.execute(cs);
  Loaded loaded(b, checked);
  loaded.run();
  EXPECT_EQ(loaded.host.vertices, "7,");
}
