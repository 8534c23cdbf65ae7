// SPDX-License-Identifier: MIT
// Executables that are cut short or foreign, and reports that cannot be written.
#include "Errors.hpp"
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

std::string savedExecutable() {
  Graph graph(Target::createIPUTarget(1, "ipu2"));
  auto x = graph.addVariable(FLOAT, {4}, "x");
  graph.setTileMapping(x, 0);
  graph.setInitialValue(x, 1.0f);
  std::ostringstream out;
  compileGraph(graph, {Copy(x.slice(0, 2), x.slice(2, 4))}).serialize(out);
  return out.str();
}

void load(const std::string &bytes) {
  std::istringstream in(bytes);
  Executable::deserialize(in);
}

std::string temporaryFolder() {
  char name[] = "/tmp/openipu-errors-XXXXXX";
  return mkdtemp(name);
}

} // namespace

TEST(FileErrors, ExecutableComesBackFromItsBytes) { load(savedExecutable()); }

TEST(FileErrors, TruncatedExecutable) {
  auto bytes = savedExecutable();
  EXPECT_REJECTED("poplar_error: Executable is truncated: its header should have 4 bytes, the "
                  "stream ends after 2. "
                  "Copy the whole file, or write it again.",
                  load(bytes.substr(0, 10)));
  auto text = errors::rejection([&] { load(bytes.substr(0, bytes.size() - 1)); });
  EXPECT_EQ(text.substr(0, 62), "poplar_error: Executable is truncated: its payload should have");
  errors::expectStillUsable();
}

TEST(FileErrors, DamagedExecutable) {
  auto bytes = savedExecutable();
  bytes[bytes.size() / 2] ^= 1;
  auto text = errors::rejection([&] { load(bytes); });
  EXPECT_EQ(text.substr(0, 53), "poplar_error: Executable is damaged: its checksum is ");
  errors::expectStillUsable();
}

TEST(FileErrors, ForeignExecutable) {
  EXPECT_REJECTED("poplar_error: This is not an OpenIPU executable: the file begins with other "
                  "bytes. Give a file "
                  "written by Executable::serialize.",
                  load("\x7f"
                       "ELF and so on"));
}

TEST(FileErrors, ExecutableFileThatIsNotThere) {
  std::ifstream in("/no/such/file");
  EXPECT_REJECTED("poplar_error: Executable cannot be read: the stream is not open or has failed "
                  "before. Check the path "
                  "of the file and that it can be read.",
                  Executable::deserialize(in));
}

TEST(FileErrors, ExecutableOnAFullDisk) {
  Graph graph(Target::createIPUTarget(1, "ipu2"));
  auto executable = compileGraph(graph, {Sequence()});
  std::ofstream out("/dev/full");
  auto text = errors::rejection([&] { executable.serialize(out); });
  EXPECT_EQ(text.substr(0, 73),
            "poplar_error: Writing the executable failed: the stream did not take all ");
  errors::expectStillUsable();
}

TEST(FileErrors, ReportFolderThatCannotBeMade) {
  Fixture f;
  OptionFlags options{{"autoReport.all", "true"}, {"autoReport.directory", "/dev/null/reports"}};
  EXPECT_REJECTED(
      "poplar_error: Cannot create the report directory \"/dev/null/reports\": Not a directory. "
      "Choose another one with the engine option autoReport.directory.",
      Engine(f.graph, Sequence(), options).loadAndRun(f.device));
}

// The disk is full from the program's point of view: no file may grow beyond a few bytes.
TEST(FileErrors, FullDiskWhileAReportIsWritten) {
  Fixture f;
  auto folder = temporaryFolder();
  OptionFlags options{{"autoReport.all", "true"}, {"autoReport.directory", folder}};
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before, tiny;
  getrlimit(RLIMIT_FSIZE, &before);
  tiny = {512, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tiny);
  auto text = errors::rejection([&] { Engine(f.graph, Sequence(), options).loadAndRun(f.device); });
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(text, "poplar_error: Profile: The file \"" + folder +
                      "/profile.pop\" cannot be written: File too large. Free some space, or "
                      "choose another folder. The engine option is autoReport.directory.");
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "half a report is left behind";
  std::filesystem::remove_all(folder);
  errors::expectStillUsable();
}

TEST(FileErrors, DumpIntoAMissingFolder) {
  Fixture f;
  auto folder = temporaryFolder();
  OptionFlags options{{"debug.loweredVarDumpFile", folder + "/none/vars.csv"}};
  EXPECT_REJECTED("poplar_error: The file \"" + folder +
                      "/none/vars.csv\" cannot be written: there is no folder \"" + folder +
                      "/none\". Make it first, or choose another.",
                  Engine(f.graph, Sequence(), options).loadAndRun(f.device));
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

TEST(FileErrors, TraceIntoAMissingFolder) {
  Fixture f;
  OptionFlags options{{"debug.trace", "true"}, {"debug.traceFile", "/none/trace"}};
  EXPECT_REJECTED("poplar_error: The file \"/none/trace\" cannot be written: there is no folder "
                  "\"/none\". Make it first, or choose another.",
                  Engine(f.graph, Sequence(), options).loadAndRun(f.device));
}

TEST(FileErrors, DebugInformationIntoAMissingFolder) {
  EXPECT_REJECTED("poplar_error: Debug information: The file \"/none/debug.cbor\" cannot be "
                  "written: there is no folder \"/none\". Make it first, or choose another.",
                  DebugInfo::initializeStreamer("/none/debug.cbor"));
}
