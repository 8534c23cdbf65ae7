// SPDX-License-Identifier: MIT
#include "base/NewFile.hpp"
#include "base/PassRunner.hpp"
#include "base/testing/Variable.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using base::testing::Variable;

using Passes = std::vector<base::Pass<std::string>>;
const Passes passes = {
    {"take all", base::Skip::Needed, "the text is there", [](auto &text) { text = "abc"; }},
    {"double", base::Skip::Optional, "the text is there twice", [](auto &text) { text += text; }},
    {"shorten", base::Skip::Optional, "short", [](auto &text) { text.resize(4); },
     [](const auto &text) { return text.size() > 4; }}};
constexpr base::PassVariables variables{"test", "OPENIPU_TEST_SKIP", "OPENIPU_TEST_DUMP"};

std::string ran(const std::function<void(const std::string &)> &validate = [](const auto &) {}) {
  const base::Logger log("TEST", "T", "PASSES");
  const base::PassHooks<std::string> hooks{[](const auto &text) { return text + "\n"; }, validate};
  const auto wishes = base::wishesFor(variables, passes);
  std::string thing;
  base::PassRunner<std::string>(wishes, log, hooks).run(passes, thing);
  return thing;
}
std::string refusal() {
  try {
    ran();
  } catch (const std::invalid_argument &e) {
    return e.what();
  }
  return "";
}
std::string contents(const std::filesystem::path &path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

TEST(PassRunner, RunsPassesInOrderAndThoseThatApply) { EXPECT_EQ(ran(), "abca"); }

TEST(PassRunner, LeavesOutWhatIsNamed) {
  const Variable skip("OPENIPU_TEST_SKIP", " double ,");
  EXPECT_EQ(ran(), "abc"); // nothing is left to shorten
}

TEST(PassRunner, RefusesNamesThatNoPassHasAndWhatOthersRelyOn) {
  {
    const Variable skip("OPENIPU_TEST_SKIP", "doubel");
    EXPECT_EQ(refusal(), "OPENIPU_TEST_SKIP: there is no pass \"doubel\". Did you mean \"double\"? "
                         "The passes are [take all, double, shorten].");
  }
  {
    const Variable dump("OPENIPU_TEST_DUMP", "double,none");
    EXPECT_EQ(refusal(), "OPENIPU_TEST_DUMP: there is no pass \"none\". "
                         "The passes are [take all, double, shorten].");
  }
  const Variable skip("OPENIPU_TEST_SKIP", "take all");
  EXPECT_EQ(refusal(), "OPENIPU_TEST_SKIP: the pass \"take all\" cannot be left out: what follows "
                       "relies on it (the text is there). Those that can are [double, shorten].");
}

TEST(PassRunner, WritesTheTextBeforeAndAfter) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("openipu-pass-runner-" + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  const Variable where("OPENIPU_DUMP_DIR", folder.string());
  std::set<std::string> files;
  {
    const Variable dump("OPENIPU_TEST_DUMP", "double");
    ran();
    EXPECT_EQ(contents(folder / "test-1.02-double.before.txt"), "abc\n");
    EXPECT_EQ(contents(folder / "test-1.02-double.after.txt"), "abcabc\n");
  }
  const Variable dump("OPENIPU_TEST_DUMP", "all");
  ran();
  for (const auto &entry : std::filesystem::directory_iterator(folder))
    files.insert(entry.path().filename());
  EXPECT_EQ(files.size(), 8u);
  EXPECT_EQ(contents(folder / "test-2.03-shorten.after.txt"), "abca\n");
  std::filesystem::remove_all(folder);
  EXPECT_THROW(ran(), base::FileError);
}

TEST(PassRunner, ChecksAfterEachPassAndNamesIt) {
  const Variable check("OPENIPU_CHECK_PASSES", "1");
  unsigned times = 0;
  ran([&](const auto &) { ++times; });
  EXPECT_EQ(times, 3u);
  try {
    ran([](const auto &text) {
      if (text.size() == 6)
        throw std::runtime_error("it is too long");
    });
    ADD_FAILURE();
  } catch (const base::InternalError &e) {
    EXPECT_STREQ(e.what(), "After the pass \"double\": it is too long");
  }
}
