// SPDX-License-Identifier: MIT
// Lookups: which names count, and which changes of folders are noticed.
#include "codelet/Lookups.hpp"
#include "codelet/Process.hpp"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace poplar::codelet;
namespace fs = std::filesystem;

namespace {

TEST(Lookups, ReadNamesFromEveryFormOfInclude) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(includedNames("#include <a>\n# include \"b/c.h\"\n#include_next <d>\n"
                          "#if __has_include(<e>) || __has_include_next( \"f\")\n#import <g>\n"
                          "#include MACRO\n// include me\n#include \"open\n"),
            (Names{"a", "b/c.h", "d", "e", "f", "g"}));
}

TEST(Lookups, ReadTheSearchPathOfTheCompiler) {
  const auto path = parseSearchPath(
      "ignoring nonexistent directory \"/none\"\n#include \"...\" search starts here:\n /quote\n"
      "#include <...> search starts here:\n /one/\n /two\nEnd of search list.\n /not/one\n"
      " /usr/lib/gcc/12/cc1plus -E -quiet x\n");
  EXPECT_EQ(path.folders, (std::vector<std::string>{"/none", "/quote", "/one", "/two"}));
  EXPECT_EQ(path.program, "/usr/lib/gcc/12/cc1plus");
}

TEST(Lookups, ChangeWithTheFilesThatWouldBeFoundAndWithNoOthers) {
  TemporaryDirectory folder;
  const SearchPath path{{folder.file("early"), folder.file("late")}, {}};
  fs::create_directory(folder.file("late"));
  writeFile(folder.file("late/a.h"), "");
  const auto lookups = observeLookups({{folder.file("here"), "#include \"sub/a.h\"\n"}},
                                      {folder.file("late/a.h")}, path);
  const auto valid = [&] {
    return std::all_of(lookups.begin(), lookups.end(),
                       [](const Lookup &l) { return unchanged(l); });
  };
  EXPECT_TRUE(valid());
  writeFile(folder.file("late/other.h"), "");
  fs::create_directory(folder.file("early"));
  EXPECT_TRUE(valid());
  for (const char *shadow : {"early/a.h", "here/sub/a.h", "early/sub/a.h"}) {
    fs::create_directories(fs::path(folder.file(shadow)).parent_path());
    writeFile(folder.file(shadow), "");
    EXPECT_FALSE(valid()) << shadow;
    fs::remove(folder.file(shadow));
    EXPECT_TRUE(valid()) << shadow;
  }
  fs::remove(folder.file("late/a.h"));
  EXPECT_FALSE(valid());
}

} // namespace
