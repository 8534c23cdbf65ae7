// SPDX-License-Identifier: MIT
#include "Trust.hpp"
#include "base/Text.hpp"
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <random>
#include <sstream>
#include <sys/wait.h>
#include <thread>

using namespace poplar;

namespace trust {
namespace {

std::string codeletThatAdds(int step) {
  return base::str("#include <poplar/Vertex.hpp>\nclass Add : public poplar::Vertex {\npublic:\n  "
                   "poplar::InOut<int> x;\n  void compute() { *x += ",
                   step, "; }\n};\n");
}

int resultOf(int step) {
  IPUModel model;
  model.tilesPerIPU = 1;
  const auto device = model.createDevice();
  Graph graph(device.getTarget());
  std::stringstream source(codeletThatAdds(step));
  graph.addCodelets(source);
  const auto x = graph.addConstant(INT, {}, 1), y = graph.addVariable(INT, {}, "y");
  graph.setTileMapping(x, 0);
  graph.setTileMapping(y, 0);
  const auto set = graph.addComputeSet("set");
  graph.setTileMapping(graph.addVertex(set, "Add", {{"x", y}}), 0);
  graph.createHostRead("y", y);
  Engine engine(graph, program::Sequence({program::Copy(x, y), program::Execute(set)}));
  engine.load(device);
  engine.run();
  int result = 0;
  engine.readTensor("y", &result, &result + 1);
  return result;
}

} // namespace

std::string runs(int step) {
  try {
    return resultOf(step) == step + 1 ? "" : "wrong result";
  } catch (const std::exception &e) {
    return e.what();
  }
}

bool isCached(int step) {
  const std::string path = std::getenv("PATH");
  ::setenv("PATH", "", 1);
  const bool cached = runs(step).empty();
  ::setenv("PATH", path.c_str(), 1);
  return cached;
}

Environment::Environment(const Scratch &scratch) {
  ::setenv("OPENIPU_CACHE_DIR", scratch.file("cache").c_str(), 1);
  ::setenv("OPENIPU_RUNTIME_DIR", scratch.file("runtime").c_str(), 1);
  ::setenv("TMPDIR", scratch.folder("temporary").c_str(), 1);
}
Environment::~Environment() {
  for (const char *name : {"OPENIPU_CACHE_DIR", "OPENIPU_RUNTIME_DIR", "TMPDIR"})
    ::unsetenv(name);
}

pid_t start(const std::string &test, const std::string &argument) {
  const std::string filter = "--gtest_filter=" + test;
  const pid_t child = ::fork();
  if (child != 0)
    return child;
  ::setenv("OPENIPU_TRUST", argument.c_str(), 1);
  ::execl("/proc/self/exe", "trust_test", filter.c_str(), "--gtest_brief=1", nullptr);
  ::_exit(127);
}

std::string argumentOf() {
  const char *argument = std::getenv("OPENIPU_TRUST");
  return argument ? argument : "";
}

int statusOf(pid_t child) {
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int kills(int otherwise) {
  const char *text = std::getenv("OPENIPU_KILLS");
  return text ? std::atoi(text) : otherwise;
}

void startAndKill(const std::string &test, const std::string &argument, int mostMilliseconds,
                  unsigned seed) {
  std::mt19937 random(seed);
  const pid_t child = start(test, argument);
  std::this_thread::sleep_for(std::chrono::microseconds(
      std::uniform_int_distribution<int>(0, mostMilliseconds * 1000)(random)));
  ::kill(child, SIGKILL);
  statusOf(child);
}

} // namespace trust
