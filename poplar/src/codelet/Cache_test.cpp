// SPDX-License-Identifier: MIT
// The cache: hits need no compiler, changes are noticed, damage is repaired, size is bounded.
#include "codelet/Cache.hpp"
#include "codelet/Process.hpp"
#include "codelet/TestVertex.hpp"
#include <sys/wait.h>

using namespace poplar::codelet;
using namespace poplar::codelet::test;
namespace fs = std::filesystem;

namespace {

class CodeletCache : public testing::Test {
protected:
  CodeletCache() {
    ::setenv("OPENIPU_CACHE_DIR", cache.c_str(), 1);
    writeFile(header, "#define STEP 1\n");
    writeFile(source, prologue() + "#include \"step.h\"\ntemplate <int N> class A : public Vertex "
                                   "{ public: void compute() {} };\ntemplate class A<STEP>;\n");
  }
  ~CodeletCache() override {
    ::unsetenv("OPENIPU_CACHE_MAX_MB");
    useTestCache();
  }
  std::string compile() { return compileSource(SourceInput::fromFile(source)).types.at(0).name; }
  // Compiling fails with this compiler, so success means a hit.
  std::string compileWithoutCompiler() {
    const std::string path = std::getenv("PATH");
    ::setenv("PATH", "", 1);
    std::string name;
    try {
      name = compile();
    } catch (const CompileError &) {
      name = "miss";
    }
    ::setenv("PATH", path.c_str(), 1);
    return name;
  }
  std::vector<fs::path> entries(const char *extension) {
    std::vector<fs::path> found;
    for (const auto &e : fs::directory_iterator(cache))
      if (e.path().extension() == extension)
        found.push_back(e.path());
    return found;
  }
  TemporaryDirectory folder;
  const std::string cache = folder.file("cache"), source = folder.file("a.cpp"),
                    header = folder.file("step.h");
};

TEST_F(CodeletCache, HitsWithoutACompiler) {
  EXPECT_EQ(compileWithoutCompiler(), "miss");
  EXPECT_EQ(compile(), "A<1>");
  EXPECT_EQ(compileWithoutCompiler(), "A<1>");
}

TEST_F(CodeletCache, NoticesAChangedHeader) {
  EXPECT_EQ(compile(), "A<1>");
  writeFile(header, "#define STEP 2\n");
  EXPECT_EQ(compileWithoutCompiler(), "miss");
  EXPECT_EQ(compile(), "A<2>");
}

TEST_F(CodeletCache, AcceptsAHeaderThatWasOnlyTouched) {
  EXPECT_EQ(compile(), "A<1>");
  fs::last_write_time(header, fs::last_write_time(header) + std::chrono::seconds(5));
  EXPECT_EQ(compileWithoutCompiler(), "A<1>");
}

TEST_F(CodeletCache, NoticesAHeaderThatShadowsAnother) {
  const std::string early = folder.file("early"), late = folder.file("late"),
                    flags = "-I" + early + " -I" + late;
  fs::remove(header);
  fs::create_directory(late);
  writeFile(late + "/step.h", "#define STEP 1\n");
  const auto name = [&] {
    return compileSource(SourceInput::fromFile(source), {flags, "ipu2", true}).types.at(0).name;
  };
  EXPECT_EQ(name(), "A<1>");
  writeFile(folder.file("unrelated.h"), "#define STEP 9\n");
  EXPECT_EQ(name(), "A<1>");
  fs::create_directory(early); // it did not even exist
  writeFile(early + "/step.h", "#define STEP 2\n");
  EXPECT_EQ(name(), "A<2>");
  writeFile(header, "#define STEP 3\n"); // beside the source
  EXPECT_EQ(name(), "A<3>");
  fs::remove(header);
  EXPECT_EQ(name(), "A<2>");
}

TEST_F(CodeletCache, NoticesWhatHasIncludeWouldFind) {
  writeFile(header,
            "#if __has_include(<later.h>)\n#define STEP 2\n#else\n#define STEP 1\n#endif\n");
  const std::string flags = "-I" + folder.file("some");
  fs::create_directory(folder.file("some"));
  const auto name = [&] {
    return compileSource(SourceInput::fromFile(source), {flags, "ipu2", true}).types.at(0).name;
  };
  EXPECT_EQ(name(), "A<1>");
  writeFile(folder.file("some/later.h"), "");
  EXPECT_EQ(name(), "A<2>");
  fs::remove(folder.file("some/later.h"));
  EXPECT_EQ(name(), "A<1>");
}

TEST_F(CodeletCache, DependsOnTheVariablesThatNameFoldersOfHeaders) {
  fs::remove(header);
  for (const char *variable : {"CPATH", "CPLUS_INCLUDE_PATH"})
    for (const char *step : {"1", "2"}) {
      const auto place = folder.file(std::string("in") + step);
      fs::create_directories(place);
      writeFile(place + "/step.h", base::str("#define STEP ", step, "\n"));
      ::setenv(variable, place.c_str(), 1);
      EXPECT_EQ(compile(), base::str("A<", step, ">")) << variable;
      ::unsetenv(variable);
    }
}

TEST_F(CodeletCache, NoticesAChangedFileOfFlags) {
  const auto flags = folder.file("flags");
  fs::remove(header);
  writeFile(header, "");
  const auto name = [&](const char *step) {
    writeFile(flags, base::str("-DSTEP=", step, "\n"));
    return compileSource(SourceInput::fromFile(source), {"@" + flags, "ipu2", true})
        .types.at(0)
        .name;
  };
  EXPECT_EQ(name("1"), "A<1>");
  EXPECT_EQ(name("2"), "A<2>");
}

TEST_F(CodeletCache, RebuildsDamagedEntries) {
  EXPECT_EQ(compile(), "A<1>");
  for (const char *extension : {".module", ".key"}) {
    for (const auto &path : entries(extension)) {
      std::string bytes;
      ASSERT_TRUE(readFile(path, bytes));
      writeFile(path, bytes.substr(0, bytes.size() / 2));
    }
    EXPECT_EQ(compileWithoutCompiler(), "miss") << extension;
    EXPECT_EQ(compile(), "A<1>");
    EXPECT_EQ(compileWithoutCompiler(), "A<1>");
    for (const auto &path : entries(extension)) {
      std::string bytes;
      ASSERT_TRUE(readFile(path, bytes));
      bytes[bytes.size() / 2] ^= 1;
      writeFile(path, bytes);
    }
    EXPECT_EQ(compile(), "A<1>") << extension;
  }
}

TEST_F(CodeletCache, IsSharedByProcesses) {
  std::vector<pid_t> children;
  for (int i = 0; i < 3; ++i)
    if (const pid_t child = ::fork(); child == 0) {
      int status = 1;
      try {
        status = compile() == "A<1>" ? 0 : 2;
      } catch (...) {
      }
      ::_exit(status);
    } else {
      children.push_back(child);
    }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(compileWithoutCompiler(), "A<1>");
  EXPECT_EQ(entries(".partial").size(), 0u);
}

TEST_F(CodeletCache, WorksWithoutAUsableFolder) {
  ::setenv("OPENIPU_CACHE_DIR", "/proc/nonexistent/cache", 1);
  EXPECT_EQ(compile(), "A<1>");
}

TEST_F(CodeletCache, ForgetsTheLeastRecentlyUsed) {
  ::setenv("OPENIPU_CACHE_MAX_MB", "1", 1);
  const Cache store;
  Module module;
  module.image = std::string(300 * 1024, 'x');
  const auto hashOf = [](int i) { return contentHashOf({std::to_string(i)}); };
  for (int i = 0; i < 5; ++i) {
    module.contentHash = hashOf(i);
    store.storeModule(module);
    fs::last_write_time(cache + "/" + module.contentHash + ".module",
                        fs::file_time_type::clock::now() - std::chrono::hours(10 - i));
    store.findModule(hashOf(0)); // in use, so it stays
  }
  EXPECT_TRUE(store.findModule(hashOf(0)));
  EXPECT_FALSE(store.findModule(hashOf(1)));
  EXPECT_TRUE(store.findModule(hashOf(4)));
}

TEST(ContentHash, DependsOnHowPartsAreDivided) {
  EXPECT_NE(contentHashOf({"ab", "c"}), contentHashOf({"a", "bc"}));
  EXPECT_EQ(contentHashOf({"ab"}).size(), 32u);
}

} // namespace
