// SPDX-License-Identifier: MIT
// The machine under load: 64 IPUs and as many processes that hold one each. Tools are processes of
// their own, and what counts is their processor time: on a shared machine the clock on the wall
// tells more about the others. The peer of 64 processes is one that does the same work.
#include "base/Text.hpp"
#include "Subjects.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/codelets.hpp>
#include <poplin/MatMul.hpp>
#include <popops/codelets.hpp>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {
namespace {

constexpr unsigned processes = 64;
constexpr unsigned runsOfAll = 64 * 20;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double processorSeconds(const rusage &usage) {
  const auto of = [](const timeval &t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

[[noreturn]] void become(const std::string &program, std::vector<std::string> words) {
  std::vector<char *> arguments;
  for (auto &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program.c_str(), arguments.data());
  _exit(127);
}

// This program once more. It tells a number when it is ready and again when it is done; in between
// it waits for a byte.
class Child {
public:
  explicit Child(std::vector<std::string> words) {
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0)
      throw std::runtime_error("There is no pipe.");
    process_ = fork();
    if (process_ == 0) {
      dup2(down[0], 0);
      dup2(up[1], 1);
      words.insert(words.begin(), {"openipu-bench", "--child", "machine"});
      become("/proc/self/exe", std::move(words));
    }
    close(down[0]);
    close(up[1]);
    down_ = down[1];
    up_ = up[0];
  }
  ~Child() {
    close(down_);
    close(up_);
    waitpid(process_, nullptr, 0);
  }
  Child(const Child &) = delete;
  void go() const {
    if (write(down_, "g", 1) != 1)
      throw std::runtime_error("A child is gone.");
  }
  double number() const {
    double value = 0;
    if (read(up_, &value, sizeof value) != sizeof value)
      throw std::runtime_error("A child failed.");
    return value;
  }

private:
  pid_t process_ = -1;
  int down_ = -1, up_ = -1;
};
using Children = std::vector<std::unique_ptr<Child>>;

void tell(double number) {
  if (write(1, &number, sizeof number) != sizeof number)
    std::exit(1);
}
void waitForGo() {
  char byte = 0;
  if (read(0, &byte, 1) != 1)
    std::exit(0);
}

// One run of a tool, without what it prints.
double toolSeconds(const std::vector<std::string> &words) {
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const pid_t process = fork();
  if (process == 0) {
    dup2(open("/dev/null", O_WRONLY), 1);
    become((folder / words[0]).string(), words);
  }
  int status = 0;
  rusage usage{};
  wait4(process, &status, 0, &usage);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error(words[0] + " failed.");
  return processorSeconds(usage);
}

Row toolRow(const std::vector<std::string> &words) {
  toolSeconds(words);
  std::vector<double> processor, wall;
  for (unsigned i = 0; i < 41; ++i)
    wall.push_back(seconds([&] { processor.push_back(toolSeconds(words)); }));
  const double time = median(processor);
  std::string name;
  for (const auto &word : words)
    name += word + " ";
  return {base::str(name, "with ", processes, " IPUs and processes"),
          base::str(duration(time), ", wall ", duration(median(wall))),
          "",
          0,
          "< 30 ms",
          met(time < 0.030)};
}

Row attachRow() {
  auto device = poplar::DeviceManager().getDevice(0);
  std::vector<double> wall;
  for (unsigned i = 0; i < 201; ++i)
    wall.push_back(seconds([&] {
      if (!device.attach())
        throw std::runtime_error("Device 0 is in use.");
      device.detach();
    }));
  return {"attach and detach", duration(median(wall)), "", 0, "< 1 ms", met(median(wall) < 1e-3)};
}

std::vector<Row> busyRows() {
  Children holders;
  for (unsigned i = 0; i < processes; ++i)
    holders.push_back(std::make_unique<Child>(std::vector<std::string>{"hold", std::to_string(i)}));
  for (const auto &holder : holders)
    holder->number();
  return {toolRow({"gc-info", "-l"}), toolRow({"gc-info"}), toolRow({"gc-monitor"}),
          toolRow({"gc-monitor", "-j"})};
}

struct Cost {
  double wall = 0, processor = 0;
};

// So many processes attach an IPU each at the same moment and share the runs.
Cost shared(unsigned count) {
  Children children;
  for (unsigned i = 0; i < count; ++i)
    children.push_back(std::make_unique<Child>(
        std::vector<std::string>{"work", std::to_string(i), std::to_string(runsOfAll / count)}));
  for (const auto &child : children)
    child->number();
  Cost cost;
  cost.wall = seconds([&] {
    for (const auto &child : children)
      child->go();
    for (const auto &child : children)
      cost.processor += child->number();
  });
  return cost;
}

std::vector<Row> throughputRows() {
  std::vector<double> wallMany, wallOne, processorMany, processorOne;
  for (unsigned i = 0; i < 5; ++i) {
    const auto many = shared(processes), one = shared(1);
    wallMany.push_back(many.wall);
    wallOne.push_back(one.wall);
    processorMany.push_back(many.processor);
    processorOne.push_back(one.processor);
  }
  const auto row = [](const char *what, double ours, double peer) {
    return Row{what,        duration(ours), duration(peer),
               peer / ours, "ratio >= 0.8", met(peer / ours >= 0.8)};
  };
  return {row("64 processes attach and run, beside one", median(wallMany), median(wallOne)),
          row("  the same, processor time", median(processorMany), median(processorOne))};
}

void hold(unsigned id) {
  auto device = poplar::DeviceManager().getDevice(id);
  if (!device.attach())
    std::exit(1);
  tell(0);
  waitForGo();
}

// Built and compiled before the start: what is measured is attaching, loading and running.
void work(unsigned id, unsigned runs) {
  using namespace poplar;
  auto device = DeviceManager().getDevice(id);
  Graph graph(device.getTarget());
  popops::addCodelets(graph);
  poplin::addCodelets(graph);
  program::Sequence body;
  const auto a = poplin::createMatMulInputLHS(graph, FLOAT, {256, 256}, {256, 256}, "a");
  const auto b = poplin::createMatMulInputRHS(graph, FLOAT, {256, 256}, {256, 256}, "b");
  poplin::matMul(graph, a, b, body, FLOAT, "product");
  Engine engine(graph, body);
  tell(0);
  waitForGo();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  if (!device.attach())
    std::exit(1);
  engine.load(device);
  for (unsigned i = 0; i < runs; ++i)
    engine.run();
  device.detach();
  getrusage(RUSAGE_SELF, &after);
  tell(processorSeconds(after) - processorSeconds(before));
}

} // namespace

void machineChild(const std::vector<std::string> &words) {
  if (words.size() == 2 && words[0] == "hold")
    hold(unsigned(std::stoul(words[1])));
  else if (words.size() == 3 && words[0] == "work")
    work(unsigned(std::stoul(words[1])), unsigned(std::stoul(words[2])));
  else
    std::exit(2);
}

std::vector<Row> machine() {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.root, std::filesystem::perms::owner_all);
  setenv("OPENIPU_RUNTIME_DIR", folder.root.c_str(), 1);
  setenv("OPENIPU_NUM_IPUS", base::str(processes).c_str(), 1);
  auto rows = busyRows();
  rows.push_back(attachRow());
  for (auto &row : throughputRows())
    rows.push_back(row);
  unsetenv("OPENIPU_RUNTIME_DIR");
  unsetenv("OPENIPU_NUM_IPUS");
  return rows;
}

} // namespace bench
