// SPDX-License-Identifier: MIT
// Collectives beside compute, by the order of events. The other process is played by a transport
// whose transfers end only after a step behind the collective has run.
#include "backend/InterpreterTest.hpp"
#include "backend/Pending.hpp"
#include "openipu/Kernel.hpp"
#include "poplar/exceptions.hpp"
#include <chrono>
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;

namespace {

constexpr std::size_t many = 1 << 15; // integers: enough to be started early
using Events = std::vector<std::string>;

struct Log {
  std::mutex mutex;
  std::condition_variable changed;
  Events events;
  bool open = false; // transfers may end

  void add(const std::string &event) {
    const std::lock_guard hold(mutex);
    events.push_back(event);
  }
  void release() {
    const std::lock_guard hold(mutex);
    open = true;
    changed.notify_all();
  }
  // The limit is for a machine that never goes on; nothing that works comes near it.
  bool untilOpen() {
    std::unique_lock hold(mutex);
    return changed.wait_for(hold, std::chrono::minutes(2), [&] { return open; });
  }
} *now = nullptr;

class OtherProcess : public openipu::Transport {
public:
  bool threads = true, fails = false;
  std::uint64_t step = 0;   // where it says it is
  std::uint64_t cycles = 0; // of its vertices
  unsigned rank() const override { return 0; }
  unsigned size() const override { return 2; }
  const std::string &host(unsigned) const override { return host_; }
  bool fromAnyThread() const override { return threads; }
  Transfer send(unsigned, Channel, const void *, std::size_t) override { return 0; }
  Transfer receive(unsigned, Channel channel, void *to, std::size_t bytes) override {
    if (channel == Channel::Control) { // how many bytes, then cycles
      const std::uint64_t values[] = {size_ ? cycles : sizeof cycles};
      size_ = !size_;
      std::memcpy(to, values, bytes);
    } else if (channel == Channel::Places) {
      const std::uint64_t place[] = {++meetings_, step};
      std::memcpy(to, place, bytes);
    } else {
      for (std::size_t i = 0; i < bytes / sizeof(int); ++i)
        static_cast<int *>(to)[i] = 100;
    }
    return 0;
  }
  void wait(std::span<const Transfer> transfers) override {
    if (transfers.size() == 2) // places, or what hosts tell each other
      return;
    now->add("under way");
    if (threads && !now->untilOpen())
      now->add("nothing went on");
    if (fails)
      throw application_runtime_error("Instance 1 is gone.");
    now->add("arrived");
  }
  void fail(const std::string &) noexcept override {}

private:
  std::string host_ = "there";
  std::uint64_t meetings_ = 0;
  bool size_ = false; // it was told
};

// out = in + what the other process has.
void sum(std::span<const KernelArgs> replicas) {
  auto &t = *openipu::peersOfKernel()->transport;
  std::vector<int> theirs(replicas[0].inputs[0].elements);
  const openipu::Transport::Transfer one[] = {
      t.receive(1, openipu::Transport::Channel::Parts, theirs.data(), theirs.size() * 4)};
  t.wait(one);
  for (std::size_t i = 0; i < theirs.size(); ++i)
    replicas[0].out<int>(0)[i] = replicas[0].in<int>(0)[i] + theirs[i];
}
void increment(const KernelArgs &args) {
  for (std::size_t i = 0; i < args.outputs[0].elements; ++i)
    args.out<int>(0)[i] = args.in<int>(0)[i] + 1;
  now->add(std::string(args.attributes));
  if (args.attributes == "release")
    now->release();
}
const openipu::Registered sums{{.name = "test.pending.sum", .runAcross = sum}};
const openipu::Registered increments{{.name = "test.pending.increment", .run = increment}};

struct Pair : Builder {
  Log log;
  OtherProcess other;
  std::uint32_t mine = ints(std::vector<int>(many, 1)), total = variable(many), a = ints({1}),
                b = variable(1), more = variable(many);
  std::uint32_t collective = kernel("test.pending.sum", total, mine);

  explicit Pair(const std::string &codelets = "") : Builder(codelets) {
    now = &log;
    image.replicationFactor = 2;
    other.step = collective;
  }
  std::uint32_t kernel(const std::string &name, std::uint32_t to, std::uint32_t from,
                       const std::string &attributes = "") {
    return put(step::Kernel{name, attributes, {{view(to)}}, {view(from)}, {}});
  }
  std::uint32_t work(std::uint32_t to, std::uint32_t from, const std::string &name) {
    return kernel("test.pending.increment", to, from, name);
  }
};

Events run(Pair &p, const std::function<void(Loaded &)> &look = {}) {
  RunOptions first;
  first.numReplicas = 1;
  Loaded loaded(p, first);
  loaded.interpreter.setPeers({&p.other, {0, 1, 2}});
  loaded.run();
  if (look)
    look(loaded);
  return p.log.events;
}

} // namespace

TEST(Pending, StepsThatDoNotNeedItRunWhileACollectiveIsUnderWay) {
  Pair p;
  p.sequence({p.collective, p.work(p.b, p.a, "release"), p.work(p.more, p.total, "reader")});
  const auto events = run(p, [&](Loaded &l) {
    EXPECT_EQ(l.ints(p.more)[many - 1], 102);
    EXPECT_EQ(l.ints(p.b)[0], 2);
  });
  // The first two are on two threads.
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(std::count(events.begin(), events.begin() + 2, "release"), 1);
  EXPECT_EQ(events[2], "arrived");
  EXPECT_EQ(events[3], "reader");
}

TEST(Pending, AStepThatWritesWhatIsSentWaits) {
  Pair p;
  p.sequence({p.collective, p.work(p.b, p.a, "release"), p.work(p.mine, p.more, "writer")});
  const auto events = run(p, [&](Loaded &l) { EXPECT_EQ(l.ints(p.total)[0], 101); });
  EXPECT_EQ((Events{events.end() - 2, events.end()}), (Events{"arrived", "writer"}));
}

TEST(Pending, SharedMemoryCountsAlsoUnderAnotherName) {
  Pair p;
  p.image.variables[p.more].arenaOffset = p.image.variables[p.total].arenaOffset;
  p.sequence({p.collective, p.work(p.b, p.a, "release"), p.work(p.a, p.more, "other name")});
  const auto events = run(p, [&](Loaded &l) { EXPECT_EQ(l.ints(p.a)[0], 102); });
  EXPECT_EQ((Events{events.end() - 2, events.end()}), (Events{"arrived", "other name"}));
}

TEST(Pending, ACollectiveThatIsNeededAtOnceIsNotHandedOver) {
  Pair p;
  p.log.open = true;
  p.sequence({p.collective, p.work(p.more, p.total, "reader"), p.work(p.b, p.a, "release")});
  EXPECT_EQ(run(p), (Events{"under way", "arrived", "reader", "release"}));
}

TEST(Pending, ATransportOfOneThreadHasNothingBesideIt) {
  Pair p;
  p.other.threads = false;
  p.sequence({p.collective, p.work(p.b, p.a, "release")});
  EXPECT_EQ(run(p), (Events{"under way", "arrived", "release"}));
}

TEST(Pending, ALoopsConditionWaitsForTheCollectiveThatMakesIt) {
  Pair p;
  const auto condition = p.sequence({p.collective, p.work(p.b, p.a, "release")});
  const auto body = p.sequence({});
  const auto predicate = tensor::wholeVariable(nullptr, tensor::VarId(p.total), TypeId::Int, {1});
  p.put(step::RepeatWhile{condition, predicate, false, body});
  const auto events = run(p);
  EXPECT_EQ(events.size(), 3u); // once: with old values it would go on
  EXPECT_EQ(events.back(), "arrived");
}

TEST(Pending, AFailureBesideComputeIsThatOfTheRun) {
  Pair p;
  p.other.fails = true;
  p.sequence({p.collective, p.work(p.b, p.a, "release")});
  EXPECT_THROW(run(p), application_runtime_error);
  EXPECT_EQ(std::count(p.log.events.begin(), p.log.events.end(), "release"), 1);
}

TEST(Pending, AnotherPlaceIsNoticedBesideComputeToo) {
  Pair p;
  p.log.open = true;
  p.other.step = 77;
  p.sequence({p.collective, p.work(p.b, p.a, "release")});
  try {
    run(p);
    FAIL();
  } catch (const application_runtime_error &error) {
    EXPECT_NE(std::string(error.what()).find("while instance 1 on host there came to"),
              std::string::npos)
        << error.what();
  }
}

// As long as what it reads says.
static const char *slow = R"(
  struct Slow : Vertex {
    Input<int> n; Output<int> out;
    void compute() { int i = 0; while (i * i < *n) ++i; *out = i; }
  };
)";

static std::uint64_t cyclesOf(bool conditional, std::uint64_t theirs) {
  Pair p(slow);
  const auto set = p.computeSet();
  p.vertex(set, "Slow", {span(p.a, 0, 1), span(p.b, 0, 1)}, noEstimate);
  const auto execute = p.execute(set);
  p.other.step = execute;
  p.other.cycles = theirs;
  if (conditional)
    p.put(step::If{p.view(p.a), execute, p.sequence({})});
  else
    p.sequence({execute});
  std::uint64_t cycles = 0;
  run(p, [&](Loaded &l) { cycles = l.interpreter.cycles(); });
  return cycles;
}

TEST(Peers, CyclesThatDependOnDataAreThoseOfTheSlowestReplicaOfAll) {
  const auto alone = cyclesOf(false, 0);
  EXPECT_GT(alone, 0u);
  EXPECT_LT(alone, 1'000'000u);
  EXPECT_GT(cyclesOf(false, 1'000'000), 1'000'000u);
  // Where others may not come by, nobody is asked.
  EXPECT_EQ(cyclesOf(true, 1'000'000), cyclesOf(true, 0));
}
