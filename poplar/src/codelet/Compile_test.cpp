// SPDX-License-Identifier: MIT
// What compileSource accepts, names and refuses.
#include "arch/Chip.hpp"
#include "base/testing/Message.hpp"
#include "codelet/Process.hpp"
#include "codelet/TestVertex.hpp"
#include "codelet/Toolchain.hpp"
#include <algorithm>
#include <thread>

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

std::vector<std::string> names(const Module &module) {
  std::vector<std::string> all;
  for (const VertexType &t : module.types)
    all.push_back(t.name);
  return all;
}

TEST(Compile, NamesTemplateInstantiationsCanonically) {
  const auto module = compileText(prologue() + R"(
namespace ns { enum class Mode { Fast, Slow }; enum Old { First = 3 };
template <class T, class U, bool B, Mode M, unsigned N, int I, Old O> class Foo : public Vertex { public: InOut<T> x; InOut<U> y; void compute() {} };
template <class... Ts> class Pack : public Vertex { public: void compute() {} };
template <Mode M> struct Outer { struct Inner : public MultiVertex { bool compute(unsigned) { return true; } }; };
}
template class ns::Foo<float, unsigned, true, ns::Mode::Slow, 200u, -7, ns::First>;
template class ns::Foo<half, uint16_t, false, ns::Mode::Fast, 0, 0, ns::First>;
template class ns::Pack<int, half, unsigned char>;
template struct ns::Outer<ns::Mode::Fast>;
)");
  EXPECT_EQ(names(*module),
            (std::vector<std::string>{
                "ns::Foo<float,unsigned int,true,ns::Mode::Slow,200,-7,ns::Old::First>",
                "ns::Foo<half,unsigned short,false,ns::Mode::Fast,0,0,ns::Old::First>",
                "ns::Outer<(ns::Mode)0>::Inner", "ns::Pack<int,half,unsigned char>"}));
  EXPECT_NE(
      module->find("ns::Foo<float, unsigned, true, ns::Mode::Slow, 200u, -7, ns::Old::First>"),
      nullptr);
  EXPECT_EQ(module->find("ns::Foo<float>"), nullptr);
}

TEST(Compile, TellsTheKindsOfVerticesApart) {
  const auto module = compileText(prologue() + R"code(
class A : public Vertex { public: auto compute() -> bool { return true; } };
class B : public MultiVertex { public: void compute(unsigned) {} };
class C : public SupervisorVertex { public: static const bool needsAlignWorkers = false; __attribute__((target("supervisor"))) bool compute() { return true; } };
class D : public SupervisorVertexIf<true> { public: __attribute__ ((target
  ("supervisor"))) void compute() {} };
class WORKER_ALIGN [[poplar::constraint("elem(*a) != elem(*b)")]] E : public SupervisorVertexIf<false> { public: static const bool isExternalCodelet = true; Input<Vector<float>> a, b; __attribute__((target("worker"))) void compute() {} };
class NotAVertex { public: void compute() {} };
)code",
                                  "-Wall -Wextra -Werror");
  ASSERT_EQ(names(*module), (std::vector<std::string>{"A", "B", "C", "D", "E"}));
  EXPECT_EQ(module->find("A")->kind, VertexKind::Vertex);
  EXPECT_TRUE(module->find("A")->returnsBool);
  EXPECT_EQ(module->find("B")->kind, VertexKind::MultiVertex);
  EXPECT_FALSE(module->find("B")->returnsBool);
  EXPECT_EQ(module->find("C")->kind, VertexKind::SupervisorVertex);
  EXPECT_EQ(module->find("D")->kind, VertexKind::SupervisorVertex);
  EXPECT_EQ(module->find("E")->kind, VertexKind::Vertex);
}

TEST(Compile, DefinesPopcButNotIpu) {
  EXPECT_NO_THROW(
      compileText("#if !defined(__POPC__) || defined(__IPU__)\n#error wrong\n#endif\n"));
}

TEST(Compile, GivesTheCpuTargetOneWorker) {
  const std::string text = prologue() +
                           "class M : public MultiVertex { public: Output<Vector<int>> n; void "
                           "compute(unsigned w) { n[w] = numWorkers(); } };";
  Bench cpu(text, "", "cpu"), ipu(text, "", "ipu2");
  std::vector<int> n(6);
  VertexStorage v(cpu.type("M")), w(ipu.type("M"));
  v.vector("n", n);
  cpu.run("M", v);
  EXPECT_EQ(n, (std::vector<int>{1, 0, 0, 0, 0, 0}));
  w.vector("n", n);
  ipu.run("M", w);
  EXPECT_EQ(n, (std::vector<int>{6, 6, 6, 6, 6, 6}));
}

TEST(Compile, KnowsTheInstructionSetsOfTheChips) {
  for (const auto &chip : arch::chipNames()) {
    const auto &targets = compileTargets();
    EXPECT_EQ(std::count(targets.begin(), targets.end(), arch::chipByName(chip).archName), 1);
  }
  CompileOptions options;
  options.arch = "ipu3";
  EXPECT_EQ(
      base::testing::messageOf<CompileError>(
          [&] { compileSource(SourceInput::fromText("", ""), options); }),
      "Unknown codelet target \"ipu3\". Did you mean \"ipu1\" or \"ipu2\"? Known targets: cpu, "
      "ipu1, ipu2, ipu21.");
}

TEST(Compile, PassesTheUsersFlags) {
  const std::string text =
      prologue() +
      "#ifndef STEP\n#error STEP\n#endif\nclass A : public Vertex { public: void compute() {} };";
  EXPECT_THROW(compileText(text), CompileError);
  EXPECT_NO_THROW(compileText(text, "-O1 -DSTEP=\"1 + 2\" -DOTHER='x y'"));
  EXPECT_THROW(compileText(text, "-DSTEP=\"1"), CompileError);
}

TEST(Compile, FindsHeadersBesideTheSourceAndInRelativeFolders) {
  useTestCache();
  TemporaryDirectory folder;
  writeFile(folder.file("beside.h"), "#define A_STEP 1\n");
  std::filesystem::create_directory(folder.file("inc"));
  writeFile(folder.file("inc/other.h"), "#define B_STEP 2\n");
  writeFile(folder.file("c.cpp"),
            prologue() +
                "#include \"beside.h\"\n#include <other.h>\nclass A : public Vertex { public:"
                " Output<int> x; void compute() { *x = A_STEP + B_STEP; } };");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.file(""));
  const Module module = compileSource(SourceInput::fromFile("c.cpp"), {"-I inc", "ipu2", true});
  std::filesystem::current_path(before);
  EXPECT_NE(module.find("A"), nullptr);
  EXPECT_EQ(module.sourceName, "c.cpp");
}

TEST(Compile, PassesOnTheCompilersMessageWithFileAndLine) {
  try {
    compileText("#include <poplar/Vertex.hpp>\n\nclass A : public poplar::Vertex { void compute() "
                "{ undeclared = 1; } };");
    FAIL();
  } catch (const CompileError &e) {
    EXPECT_NE(std::string(e.what()).find("test.cpp:3:"), std::string::npos) << e.what();
    EXPECT_NE(e.output.find("undeclared"), std::string::npos) << e.output;
  }
}

TEST(Compile, ReportsAccessErrorsOfTheUsersOwnCode) {
  EXPECT_THROW(compileText(prologue() + "class P { int secret; }; class A : public Vertex { "
                                        "public: void compute() { P p; p.secret = 1; } };"),
               CompileError);
}

TEST(Compile, RefusesMissingFilesAndAssembly) {
  EXPECT_THROW(compileSource(SourceInput::fromFile("/nonexistent/x.cpp")), FileError);
  EXPECT_THROW(compileSource(SourceInput::fromFile("/tmp")), FileError);
  try {
    compileSource(SourceInput::fromFile("codelet.S"));
    FAIL();
  } catch (const CompileError &e) {
    EXPECT_NE(std::string(e.what()).find("assembly"), std::string::npos);
  }
  EXPECT_THROW(compileText("", "", "ipu7"), CompileError);
}

struct Forbidden {
  const char *include, *statement, *symbol;
};
class ForbiddenUse : public testing::TestWithParam<Forbidden> {};
TEST_P(ForbiddenUse, IsALinkErrorThatNamesTheSymbol) {
  const Forbidden &f = GetParam();
  try {
    compileText(base::str(
        f.include, "\n", prologue(),
        "void nowhere(int);\nclass A : public Vertex { public: Output<int> x; void compute() { ",
        f.statement, " } };"));
    FAIL() << "accepted";
  } catch (const LinkError &e) {
    EXPECT_NE(std::string(e.what()).find(f.symbol), std::string::npos) << e.what();
    EXPECT_NE(e.output.find(f.symbol), std::string::npos);
  }
}
INSTANTIATE_TEST_SUITE_P(
    Compile, ForbiddenUse,
    testing::Values(
        Forbidden{"#include <vector>", "std::vector<int> v(*x); *x = v[*x];", "operator new"},
        Forbidden{"#include <cstdlib>",
                  "void *p = std::malloc(*x); *x = p != nullptr; *(volatile void **)p = p;",
                  "malloc"},
        Forbidden{"#include <iostream>", "std::cout << *x;", "std::cout"}));

TEST(Compile, AllowsMathematicsAndMemoryFunctions) {
  EXPECT_NO_THROW(compileText(prologue() + R"(
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
class A : public Vertex { public: InOut<Vector<float>> x; Output<Vector<half>> h; void compute() {
  std::sort(x.begin(), x.end()); std::array<float, 4> a{}; a.at(x.size() & 3) = std::pow(x[0], 2.f) + std::lgamma(x[1]);
  std::memcpy(&x[0], a.data(), 16); h[0] = half(x[0]) != half(1) ? 1 : 2; h[1] = std::sqrt(h[0]); } };)"));
}

TEST(Compile, AcceptsASourceWithoutVertices) {
  EXPECT_TRUE(compileText("int helper() { return 1; }\n")->types.empty());
}

TEST(Compile, SaysHowToInstallAMissingCompiler) {
  useTestCache();
  ::setenv("OPENIPU_CXX", "/nonexistent/g++", 1);
  try {
    compileSource(SourceInput::fromText("int unseen;", "unseen.cpp"));
    ADD_FAILURE();
  } catch (const CompileError &e) {
    EXPECT_NE(std::string(e.what()).find("apt-get install g++"), std::string::npos) << e.what();
  }
  ::unsetenv("OPENIPU_CXX");
}

TEST(Compile, WorksFromSeveralThreads) {
  const std::string text =
      prologue() + "class Threads : public Vertex { public: void compute() {} };";
  std::vector<std::thread> threads;
  std::vector<std::string> hashes(4);
  for (auto &hash : hashes)
    threads.emplace_back([&] { hash = compileText(text)->contentHash; });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(hashes, std::vector<std::string>(4, hashes[0]));
}

TEST(Compile, GivesTheSameBytesEveryTime) {
  const auto compile = [] {
    return serialise(compileSource(
        SourceInput::fromText(prologue() + "class A : public Vertex { public: InOut<Vector<float>> "
                                           "x; void compute() { for (auto &v : x) v *= 2; } };",
                              "same.cpp"),
        {"-g", "ipu2", false}));
  };
  EXPECT_EQ(compile(), compile());
}

TEST(SplitFlags, UnderstandsQuotesAndBackslashes) {
  EXPECT_EQ(splitFlags("-O3  -I dir -DA=\"b c\" '-DX=\\' d\\ e"),
            (std::vector<std::string>{"-O3", "-I", "dir", "-DA=b c", "-DX=\\", "d e"}));
  EXPECT_TRUE(splitFlags("  ").empty());
}

} // namespace
