// SPDX-License-Identifier: MIT
// Running loaded code: order of workers, printing, traps, statics, and checked mode.
#include "codelet/TestVertex.hpp"
#include <thread>

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

TEST(Load, RunsManyVerticesAndAndsTheirResults) {
  Bench bench(
      prologue() +
      "class A : public Vertex { public: InOut<int> x; bool compute() { return ++*x > 5; } };");
  std::vector<int> x{1, 5, 9};
  std::vector<std::unique_ptr<VertexStorage>> storage;
  std::vector<void *> vertices;
  for (int &value : x) {
    storage.push_back(std::make_unique<VertexStorage>(bench.type("A")));
    storage.back()->scalar("x", value);
    vertices.push_back(storage.back()->address());
  }
  const Entry entry = bench.loaded.entry(0);
  entry.run(vertices.data(), vertices.size(), &now);
  EXPECT_EQ(now, vertices.data() + 2);
  EXPECT_EQ(x, (std::vector<int>{2, 6, 10}));
  EXPECT_FALSE(entry.runReturning(vertices.data(), 3, &now));
  EXPECT_TRUE(entry.runReturning(vertices.data() + 1, 2, &now));
  EXPECT_THROW(bench.loaded.entry(1), std::out_of_range);
}

// Worker 0 waits for what the others leave in static memory: it must run last.
TEST(Load, RunsWorkersSoThatARendezvousEnds) {
  Bench bench(prologue() + R"(
class Meet : public MultiVertex { public: Output<int> sum; static volatile int box[6];
  void compute(unsigned w) {
    if (w > 0) { box[w] = int(w); return; }
    int total = 0;
    for (unsigned i = 1; i < numWorkers(); ++i) { while (box[i] == 0) {} total += box[i]; box[i] = 0; }
    *sum = total; } };
volatile int Meet::box[6];
)");
  EXPECT_TRUE(bench.module->mutableStatics);
  int sum = 0;
  VertexStorage v(bench.type("Meet"));
  v.scalar("sum", sum);
  bench.run("Meet", v);
  EXPECT_EQ(sum, 15);
  sum = 0;
  bench.count("Meet", v);
  EXPECT_EQ(sum, 15);
}

TEST(Load, GivesEveryThreadSlotItsOwnStatics) {
  Bench bench(prologue() + "static int calls; class A : public Vertex { public: Output<int> n; "
                           "void compute() { *n = ++calls; } };");
  int n = 0;
  VertexStorage v(bench.type("A"));
  v.scalar("n", n);
  void *vertex = v.address();
  for (int i = 0; i < 3; ++i)
    bench.loaded.entry(0, Variant::Fast, 0).run(&vertex, 1, &now);
  EXPECT_EQ(n, 3);
  bench.loaded.entry(0, Variant::Fast, 1).run(&vertex, 1, &now);
  EXPECT_EQ(n, 1);
  EXPECT_FALSE(Bench(prologue() +
                     "static const int table[2] = {1, 2}; class B : public Vertex { public: "
                     "Output<int> n; void compute() { *n = table[*n & 1]; } };")
                   .module->mutableStatics);
}

TEST(Load, SendsPrintfToTheHook) {
  Bench bench(
      prologue() +
      "#include <print.h>\nclass P : public Vertex { public: Input<float> x; void compute() {"
      " printf(\"x = %.2f\\n\", double(*x)); printf(\"plain\\n\"); printf(\"%c\", 'c'); } };");
  float x = 1.5f;
  VertexStorage v(bench.type("P"));
  v.scalar("x", x);
  std::string text;
  const auto before = setPrintTarget({[](const char *t, std::size_t n, void *context) {
                                        static_cast<std::string *>(context)->append(t, n);
                                      },
                                      &text});
  bench.run("P", v);
  bench.count("P", v);
  setPrintTarget(before);
  EXPECT_EQ(text, "x = 1.50\nplain\ncx = 1.50\nplain\nc");
}

TEST(Load, ThePrintHookIsOfOneThread) {
  const auto before = setPrintTarget({[](const char *, std::size_t, void *) {}, nullptr});
  std::thread([] { EXPECT_EQ(setPrintTarget({}).hook, nullptr); }).join();
  EXPECT_NE(setPrintTarget(before).hook, nullptr);
}

TEST(Load, TurnsAFailedAssertIntoAnException) {
  const std::string text =
      prologue() +
      "#include <cassert>\nstruct Cleanup { int *p; ~Cleanup() { *p = 7; } };\n"
      "class A : public Vertex { public: InOut<int> x; Output<int> y; void compute() {\n"
      "Cleanup c{&*y}; assert(*x > 0 && \"positive\"); *x = 0; } };";
  Bench bench(text);
  int x = -1, y = 0;
  VertexStorage v(bench.type("A"));
  v.scalar("x", x);
  v.scalar("y", y);
  try {
    bench.run("A", v);
    FAIL();
  } catch (const TrapError &e) {
    EXPECT_NE(std::string(e.what()).find("*x > 0"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("test.cpp:6"), std::string::npos) << e.what();
  }
  EXPECT_EQ(y, 7) << "destructors run on the way out";
  EXPECT_THROW(bench.count("A", v), TrapError);
  Bench quiet(text, "-DNDEBUG");
  VertexStorage w(quiet.type("A"));
  w.scalar("x", x);
  w.scalar("y", y);
  EXPECT_NO_THROW(quiet.run("A", w));
}

TEST(Load, SeedsRandomNumbersPerThread) {
  Bench bench(prologue() + "#include <ipu_builtins.h>\nclass R : public Vertex { public: "
                           "Output<Vector<float>> x; void compute() {"
                           " for (auto &v : x) v = __builtin_ipu_urand_f32(); } };");
  std::vector<float> a(100), b(100);
  VertexStorage v(bench.type("R"));
  seedRandom(42);
  v.vector("x", a);
  bench.run("R", v);
  seedRandom(42);
  v.vector("x", b);
  bench.run("R", v);
  EXPECT_EQ(a, b);
  for (const float x : a) {
    EXPECT_GE(x, -0.5f);
    EXPECT_LT(x, 0.5f);
  }
  EXPECT_NE(a[0], a[1]);
}

} // namespace
