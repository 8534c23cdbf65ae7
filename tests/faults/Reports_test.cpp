// SPDX-License-Identifier: MIT
// Profiles and traces, which are written beside the work of a program.
#include "base/testing/OtherUser.hpp"
#include "pva/pva.hpp"
#include "pvti/pvti.hpp"
#include "Sweep.hpp"
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <sys/wait.h>

using namespace base::testing;
using namespace poplar;

namespace {

void profileInto(const std::string &folder) {
  IPUModel model;
  model.tilesPerIPU = 4;
  const auto device = model.createDevice();
  Graph graph(device.getTarget());
  const auto v = graph.addVariable(FLOAT, {1000}, "v");
  graph.setTileMapping(v, 0);
  Engine engine(graph, program::Copy(v, v),
                {{"autoReport.all", "true"}, {"autoReport.directory", folder}});
  engine.load(device);
  engine.run();
}

// The program goes on whatever becomes of its trace.
std::string traced() {
  static pvti::TraceChannel channel("faults");
  for (int i = 0; i < 3; ++i) {
    pvti::Tracepoint point(&channel, "outer");
    pvti::Tracepoint::event(&channel, "now \n");
    pvti::Graph("Loss", "%").addSeries("train").add(0.5);
  }
  pvti::closeTrace();
  return "done";
}

} // namespace

TEST(FaultsInReports, AProfileIsTheOldOneOrTheNewOne) {
  const Scratch scratch;
  ::setenv("OPENIPU_RUNTIME_DIR", scratch.folder("runtime").c_str(), 1);
  const auto folder = scratch.folder("reports");
  faults::Subject subject;
  subject.act = [&] {
    profileInto(folder);
    return "";
  };
  subject.afterFailure = [&] {
    EXPECT_EQ(pva::openReport(folder + "/profile.pop").compilation().target().numTiles(), 4u);
  };
  subject.afterSuccess = subject.afterFailure;
  faults::survives(subject, 80);
  ::unsetenv("OPENIPU_RUNTIME_DIR");
}

// PVTI_OPTIONS is read once in a process, so this test starts itself again.
TEST(FaultsInReports, ATraceEndsAndTheProgramGoesOn) {
  if (std::getenv("PVTI_OPTIONS"))
    return faults::survives({traced}, 60);
  const Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    const auto options = R"({"enable":"true","directory":")" + scratch.path() + "\"}";
    ::setenv("PVTI_OPTIONS", options.c_str(), 1);
    ::execl("/proc/self/exe", "faults_test", "--gtest_filter=FaultsInReports.ATrace*", nullptr);
    ::_exit(127);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_GT(filesIn(scratch.path()), 0u);
}
