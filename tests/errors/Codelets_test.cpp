// SPDX-License-Identifier: MIT
// Codelet files that are missing, broken or of another kind.
#include "Errors.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace poplar;
using errors::Fixture;

namespace {

// A folder of its own, and the working folder meanwhile, so that messages name plain files.
class Folder {
public:
  Folder() : before_(std::filesystem::current_path()) {
    char name[] = "/tmp/openipu-errors-XXXXXX";
    path_ = mkdtemp(name);
    std::filesystem::current_path(path_);
  }
  ~Folder() {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(path_);
  }
  void write(const char *file, const std::string &text) { std::ofstream(path_ / file) << text; }

private:
  std::filesystem::path before_, path_;
};

bool contains(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

} // namespace

TEST(CodeletErrors, MissingFile) {
  Folder folder;
  Fixture f;
  auto where = std::filesystem::current_path().string();
  EXPECT_REJECTED("file_load_error: Cannot load \"no-such-file.cpp\": Cannot read codelet file "
                  "\"no-such-file.cpp\" "
                  "(working folder " +
                      where + "). Check the path.",
                  f.graph.addCodelets("no-such-file.cpp"));
}

// The compiler's own words differ between versions; file, line and the offending name do not.
TEST(CodeletErrors, BrokenSourcePassesTheCompilersMessageOn) {
  Folder folder;
  folder.write("broken.cpp", "#include <poplar/Vertex.hpp>\n\nclass V : public poplar::Vertex {\n  "
                             "void compute() { x = y; }\n};\n");
  Fixture f;
  auto text = errors::rejection([&] { f.graph.addCodelets("broken.cpp"); });
  EXPECT_TRUE(
      contains(text, "graph_program_compilation_error: Codelet broken.cpp does not compile:\n"))
      << text;
  EXPECT_TRUE(contains(text, "broken.cpp:4:20: error:")) << text;
  EXPECT_TRUE(contains(text, "was not declared in this scope")) << text;
  errors::expectStillUsable();
}

TEST(CodeletErrors, BrokenTextPassesTheCompilersMessageOn) {
  Fixture f;
  std::stringstream source("class Open {\n");
  auto text = errors::rejection([&] { f.graph.addCodelets(source); });
  EXPECT_TRUE(contains(text, "graph_program_compilation_error: ")) << text;
  EXPECT_TRUE(contains(text, ":1:")) << text;
  errors::expectStillUsable();
}

TEST(CodeletErrors, UndefinedFunction) {
  Fixture f;
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\nvoid elsewhere();\nclass Calls : public poplar::Vertex {\n"
      "public:\n  void compute() { elsewhere(); }\n};\n");
  f.graph.addCodelets(source); // another source may define it
  f.graph.setTileMapping(f.graph.addVertex(f.set, "Calls"), 0);
  auto text = errors::rejection([&] { Engine engine(f.graph, program::Execute(f.set)); });
  EXPECT_TRUE(contains(text, "link_error: ")) << text;
  EXPECT_TRUE(contains(text, "elsewhere")) << text;
  errors::expectStillUsable();
}

// Such a class may be the base of others; it is no vertex itself.
TEST(CodeletErrors, VertexWithoutCompute) {
  Fixture f;
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\nclass Idle : public poplar::Vertex {\npublic:\n"
      "  poplar::Input<float> x;\n};\n");
  f.graph.addCodelets(source);
  EXPECT_REJECTED(
      "unknown_vertex_type: There is no codelet \"Idle\" in the graph. Add its source or "
      ".gp file with Graph::addCodelets first.",
      f.graph.addVertex(f.set, "Idle"));
}

TEST(CodeletErrors, SameVertexTwice) {
  Fixture f;
  std::stringstream source(
      "#include <poplar/Vertex.hpp>\nclass Scale : public poplar::Vertex {\npublic:\n"
      "  poplar::Input<float> x;\n  void compute() {}\n};\n");
  EXPECT_REJECTED(
      "graph_object_creation_error: Graph::addCodelets: \"codelet.cpp\" defines vertex type "
      "\"Scale\", which \"codelet.cpp\" has defined already. Rename one, or add the file once "
      "only.",
      f.graph.addCodelets(source));
}

TEST(CodeletErrors, MissingArchive) {
  Folder folder;
  Fixture f;
  EXPECT_REJECTED(
      "graph_object_load_error: Cannot load codelets from \"no-such-file.gp\": Cannot read "
      "\"no-such-file.gp\": No such file or directory. Check the path.",
      f.graph.addCodelets("no-such-file.gp"));
}

TEST(CodeletErrors, ForeignArchive) {
  Folder folder;
  folder.write("foreign.gp", "!<arch>\nthis is something else");
  Fixture f;
  EXPECT_REJECTED(
      "graph_object_load_error: Cannot load codelets from \"foreign.gp\": \"foreign.gp\" is not "
      "a usable .gp file: it does not begin with the mark of one. Expected a file that this "
      "popc wrote; compile the codelets again with popc -o foreign.gp.",
      f.graph.addCodelets("foreign.gp"));
}

TEST(CodeletErrors, TruncatedArchive) {
  Folder folder;
  folder.write("short.gp", "OpenIPU graph");
  Fixture f;
  EXPECT_REJECTED(
      "graph_object_load_error: Cannot load codelets from \"short.gp\": \"short.gp\" is not a "
      "usable .gp file: it ends after 13 bytes. Expected a file that this popc wrote; compile "
      "the codelets again with popc -o short.gp.",
      f.graph.addCodelets("short.gp"));
}

TEST(CodeletErrors, EmptyFileName) {
  Fixture f;
  EXPECT_REJECTED("file_load_error: Cannot load \"\": Graph::addCodelets was given an empty file "
                  "name.",
                  f.graph.addCodelets(""));
}

TEST(CodeletErrors, CompilerThatIsNotGcc) {
  const char *clang = "/usr/bin/clang++";
  if (access(clang, X_OK) != 0)
    GTEST_SKIP() << "there is no clang here";
  Fixture f;
  std::stringstream text("// for another compiler");
  setenv("OPENIPU_CXX", clang, 1);
  const auto message = errors::rejection([&] { f.graph.addCodelets(text); });
  unsetenv("OPENIPU_CXX");
  EXPECT_EQ(message, "graph_program_compilation_error: OPENIPU_CXX is \"/usr/bin/clang++\", which "
                     "is not a g++. Cycles are counted in a register that g++ leaves alone "
                     "(-ffixed-r15) and other compilers do not. Set it to a g++ of version 12 or "
                     "newer, or unset it.");
  errors::expectStillUsable();
}

TEST(CodeletErrors, CompilerThatDoesNotExist) {
  Fixture f;
  const std::string source = "#include <poplar/Vertex.hpp>\nstruct Own : poplar::Vertex { "
                             "poplar::Output<float> x; void compute() { *x = 42; } };";
  for (const char *path : {"/nonexistent/g++", "/tmp"}) {
    setenv("OPENIPU_CXX", path, 1);
    std::stringstream text(source + "// " + path);
    const auto message = errors::rejection([&] { f.graph.addCodelets(text); });
    unsetenv("OPENIPU_CXX");
    EXPECT_EQ(message, "graph_program_compilation_error: OPENIPU_CXX is \"" + std::string(path) +
                           "\", and there is no such program. Set it to a g++ of version 12 or "
                           "newer, or unset it and install one (apt-get install g++).");
  }
  errors::expectStillUsable();
}
