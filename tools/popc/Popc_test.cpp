// SPDX-License-Identifier: MIT
// popc as a user runs it, and its command line as data.
#include "Arguments.hpp"
#include "codelet/Gp.hpp"
#include "codelet/Process.hpp"
#include "codelet/TestVertex.hpp"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
#include <sys/stat.h>
#include <thread>

using namespace popc;
using poplar::codelet::ProcessResult;
using poplar::codelet::readGp;

namespace {

ProcessResult popcRun(std::vector<std::string> words) {
  poplar::codelet::test::useTestCache();
  words.insert(words.begin(), POPC);
  return poplar::codelet::runProcess(words);
}

class Popc : public testing::Test {
protected:
  std::string file(const std::string &name, const std::string &text) {
    poplar::codelet::writeFile(folder.file(name), text);
    return folder.file(name);
  }
  poplar::codelet::TemporaryDirectory folder;
  const std::string a =
      file("a.cpp", "#include <poplar/Vertex.hpp>\n#ifndef STEP\n#define STEP 1\n#endif\n"
                    "class A : public poplar::Vertex { public: poplar::InOut<float> x; void "
                    "compute() { *x += STEP; } };\n");
  const std::string b = file(
      "b.cpp", "#include <poplar/Vertex.hpp>\n"
               "class B : public poplar::MultiVertex { public: void compute(unsigned) {} };\n");
};

TEST(PopcArguments, AcceptTargetsInEveryForm) {
  EXPECT_EQ(parseArguments({"-target", "ipu2", "x.cpp"}).targets.size(), 1u);
  EXPECT_EQ(parseArguments({"--target=ipu1,ipu2", "x.cpp"}).targets[1].name, "ipu2");
  const auto json = parseArguments(
      {"--target", R"(["cpu", {"name":"ipu2:cpp","arch":"ipu2","compile-flags":["-DX=1"]}])"});
  ASSERT_EQ(json.targets.size(), 2u);
  EXPECT_EQ(json.targets[1].name, "ipu2:cpp");
  EXPECT_EQ(json.targets[1].arch, "ipu2");
  EXPECT_EQ(json.targets[1].flags, std::vector<std::string>{"-DX=1"});
  EXPECT_EQ(parseArguments({"x.cpp"}).targets.size(), 4u);
}

TEST(PopcArguments, PassCompilerFlagsOnWithTheirValues) {
  const auto a = parseArguments({"-O3", "-I", "some dir", "-DN=4", "x.cpp", "-o", "y.gp"});
  EXPECT_EQ(a.flags, (std::vector<std::string>{"-O3", "-I", "some dir", "-DN=4"}));
  EXPECT_EQ(quoted(a.flags), "-O3 -I some\\ dir -DN=4");
  EXPECT_EQ(a.inputs, std::vector<std::string>{"x.cpp"});
  EXPECT_EQ(a.output, "y.gp");
}

TEST(PopcArguments, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(parseArguments({"--list-target"}), UsageError);
  EXPECT_THROW(parseArguments({"-target", "ipu9"}), UsageError);
  EXPECT_THROW(parseArguments({"-target", "[1"}), UsageError);
  EXPECT_THROW(parseArguments({"-o"}), UsageError);
  EXPECT_THROW(parseArguments({"-o", ""}), UsageError);
}

TEST_F(Popc, WritesAnArchiveForAllTargets) {
  const ProcessResult result = popcRun({a, b, "-O2", "-o", folder.file("out.gp")});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(result.output, "");
  const auto gp = readGp(folder.file("out.gp"));
  EXPECT_EQ(gp.targets.size(), 4u);
  const auto modules = gp.modulesFor("ipu21");
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_NE(modules[0]->find("A"), nullptr);
  EXPECT_NE(modules[1]->find("B"), nullptr);
  EXPECT_EQ(modules[1]->numWorkers, 6u);
  EXPECT_EQ(gp.modulesFor("cpu")[1]->numWorkers, 1u);
}

TEST_F(Popc, JoinsArchives) {
  ASSERT_EQ(popcRun({a, "-target", "ipu2", "-o", folder.file("a.gp")}).status, 0);
  ASSERT_EQ(popcRun({b, "-target", "ipu2", "-o", folder.file("b.gp")}).status, 0);
  const ProcessResult result =
      popcRun({folder.file("a.gp"), folder.file("b.gp"), "-o", folder.file("ab.gp")});
  ASSERT_EQ(result.status, 0) << result.output;
  EXPECT_EQ(readGp(folder.file("ab.gp")).modulesFor("ipu2").size(), 2u);
}

TEST_F(Popc, ReportsABrokenSourceWithFileAndLine) {
  const std::string bad = file("bad.cpp", "#include <poplar/Vertex.hpp>\nint f( { return 1; }\n");
  const ProcessResult result = popcRun({bad, "-target", "ipu2", "-o", folder.file("bad.gp")});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("bad.cpp:2"), std::string::npos) << result.output;
  EXPECT_FALSE(std::filesystem::exists(folder.file("bad.gp")));
}

TEST_F(Popc, RefusesTheSameVertexTwice) {
  const std::string again = file("again.cpp", "#include <poplar/Vertex.hpp>\nclass A : public "
                                              "poplar::Vertex { public: void compute() {} };\n");
  const ProcessResult result = popcRun({a, again, "-target", "ipu2", "-o", folder.file("x.gp")});
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("vertex type A is defined in"), std::string::npos) << result.output;
}

TEST_F(Popc, WritesAssembly) {
  ASSERT_EQ(popcRun({a, "-S", "-target", "ipu2", "-o", folder.file("a.s")}).status, 0);
  std::string text;
  ASSERT_TRUE(poplar::codelet::readFile(folder.file("a.s"), text));
  EXPECT_NE(text.find(".text"), std::string::npos);
}

TEST_F(Popc, PrintsWhatEachLineCosts) {
  const std::string loop = file("loop.cpp", "#include <poplar/Vertex.hpp>\n"
                                            "class L : public poplar::Vertex { public:\n"
                                            "  poplar::InOut<poplar::Vector<float>> x;\n"
                                            "  void compute() {\n"
                                            "    for (unsigned i = 0; i < x.size(); ++i)\n"
                                            "      x[i] += 1.f;\n"
                                            "  }\n};\n");
  const ProcessResult result = popcRun({loop, "--cycles", "--sizes", "x=7"});
  ASSERT_EQ(result.status, 0) << result.output;
  for (const char *text : {"cycles with x=7", "for (unsigned i = 0; i < x.size(); ++i)",
                           "x[i] += 1.f;", "loop 1, line 5: 7 passes (i < x.size())"})
    EXPECT_NE(result.output.find(text), std::string::npos) << text << "\n" << result.output;
  EXPECT_EQ(popcRun({loop, "--sizes", "x=7"}).status, 2);
  EXPECT_EQ(popcRun({loop, "--cycles", "-o", "x.gp"}).status, 2);
  EXPECT_EQ(popcRun({loop, "--cycles", "-target", "ipu1,ipu2"}).status, 2);
  EXPECT_EQ(popcRun({"x.gp", "--cycles"}).status, 2);
  EXPECT_EQ(popcRun({loop, "--cycles", "--sizes", "y=7"}).status, 1);
}

TEST_F(Popc, LeavesWhatStandsAtTheOutputPath) {
  const auto to = [&](const std::string &path) {
    return popcRun({a, "-target", "ipu2", "-o", path});
  };
  const auto pipe = folder.file("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string bytes;
  std::thread reader([&] { poplar::codelet::readFile(pipe, bytes); });
  EXPECT_EQ(to(pipe).status, 0);
  reader.join();
  EXPECT_EQ(poplar::codelet::parseGp(bytes, pipe).targets.size(), 1u);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  EXPECT_EQ(to("/dev/null").status, 0);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_EQ(to("/dev/stdout").output, bytes);
  std::filesystem::create_symlink("target.gp", folder.file("link.gp"));
  EXPECT_EQ(to(folder.file("link.gp")).status, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.gp")));
  EXPECT_EQ(readGp(folder.file("target.gp")).targets.size(), 1u);
  EXPECT_NE(to(folder.file("none/a.gp")).output.find("there is no folder \"" + folder.file("none")),
            std::string::npos);
}

TEST_F(Popc, AnswersQuestionsAboutItself) {
  EXPECT_EQ(popcRun({"--list-targets"}).output, "cpu,ipu1,ipu2,ipu21\n");
  const std::string version = popcRun({"--version"}).output;
  EXPECT_TRUE(std::regex_search(version, std::regex("\\b[a-z0-9]{10,32}\\b"))) << version;
  EXPECT_NE(popcRun({"--help"}).output.find("--list-targets"), std::string::npos);
  EXPECT_EQ(popcRun({"--nonsense"}).status, 2);
  EXPECT_EQ(popcRun({}).status, 2);
}

} // namespace
