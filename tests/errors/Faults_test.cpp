// SPDX-License-Identifier: MIT
// Codelets that do what no processor can: the run ends with the vertex named, and the process goes
// on; or, where that is not safe, ends with a last word.
#include "Errors.hpp"
#include <atomic>
#include <csignal>
#include <poplar/exceptions.hpp>
#include <sstream>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

namespace {

const char *const wildCodelets = R"(
#include <poplar/Vertex.hpp>
#include <print.h>
using namespace poplar;

static int recurse(volatile int *p, int depth) {
  volatile int room[512];
  room[depth % 512] = *p;
  return depth < 0 ? 0 : recurse(room, depth + 1) + room[(depth + 7) % 512];
}

struct Oops {};

class Wild : public Vertex {
public:
  InOut<int> x;
  unsigned what;
  void compute() {
    switch (what) {
    case 0: *x = 7 / *x; break;
    case 1: *reinterpret_cast<volatile int *>(*x) = 1; break;
    case 2: *x = *reinterpret_cast<volatile int *>(0x7000'1234'0000 + *x); break;
    case 3: *x = recurse(&*x, 1); break;
    case 4: __builtin_trap(); break;
    case 5: *x = *reinterpret_cast<volatile int *>(0x7fff'ffff'ffff'0000 + *x); break;
    case 6: throw Oops();
    case 7: __builtin_memset(reinterpret_cast<void *>(0x1000 + *x), 0, *x + 100000); break;
    case 8: printf("%s", reinterpret_cast<const char *>(0x7000'1234'0000 + *x)); break;
    case 9: for (volatile int i = 0; ; i = i + 1); break;
    case 10: for (;;) printf(""); break;
    }
  }
};
)";

// Many vertices on the tiles of the device; the last one does `what`.
struct Wild : Fixture {
  explicit Wild(unsigned what, unsigned vertices = 1) {
    std::stringstream source(wildCodelets);
    graph.addCodelets(source);
    auto x = graph.addVariable(INT, {vertices}, "x");
    graph.setInitialValue(x, 0);
    for (unsigned i = 0; i < vertices; ++i) {
      const auto last = i + 1 == vertices;
      graph.setTileMapping(x[i], i % 4);
      auto v = graph.addVertex(set, "Wild", {{"x", x[i]}, {"what", last ? what : 99u}});
      graph.setTileMapping(v, i % 4);
      graph.setPerfEstimate(v, 100'000);
    }
    engine = std::make_unique<Engine>(graph, Execute(set));
    engine->load(device);
  }
  void run() { engine->run(); }
  std::unique_ptr<Engine> engine;
};

void run(unsigned what, unsigned vertices = 1) { Wild(what, vertices).run(); }

// How a child ends that does this, and what it says on standard error.
template <class Work> std::pair<int, std::string> lastWords(const Work &work) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(ends[1], 2);
    ::signal(SIGSEGV, SIG_DFL); // a sanitizer's handler would not leave the signal to the system
    ::alarm(60);
    work();
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string text;
  char buffer[1024];
  for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, std::size_t(n));
  ::close(ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  return {status, text};
}

std::string expected(const std::string &what, unsigned vertex = 0) {
  return "application_runtime_error: Vertex " + std::to_string(vertex) +
         " of type Wild (codelet.cpp) on tile " + std::to_string(vertex % 4) + ": " + what +
         ". Correct compute(); the engine option debug.checkedCodelets checks every access. (in "
         "compute set \"set\")";
}

std::atomic<int> seen{0};

} // namespace

TEST(FaultErrors, IntegerDivisionByZero) {
  EXPECT_REJECTED(expected("integer division by zero, or of the smallest number by -1"), run(0));
}
TEST(FaultErrors, NullPointer) {
  EXPECT_REJECTED(expected("a null pointer (address 0x0)"), run(1));
}
TEST(FaultErrors, WildPointer) {
  EXPECT_REJECTED(expected("an invalid address 0x700012340000"), run(2));
  EXPECT_REJECTED(expected("a pointer that is no address"), run(5));
}
TEST(FaultErrors, StackOverflow) {
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_REJECTED(expected("the stack is full: a recursion without end, or very large local "
                             "variables"),
                    run(3));
}
TEST(FaultErrors, IllegalInstruction) {
  EXPECT_REJECTED(
      expected("an illegal instruction, as the compiler puts where code must never come to"),
      run(4));
}
TEST(FaultErrors, ExceptionInACodelet) {
  EXPECT_REJECTED(
      "application_runtime_error: Vertex 0 of type Wild (codelet.cpp) on tile 0 threw an "
      "exception. Catch it in compute(): a tile has no exceptions. (in compute set "
      "\"set\")",
      run(6));
}
TEST(FaultErrors, WildPointerGivenToTheLibrary) {
  EXPECT_REJECTED(expected("an invalid address 0x1000"), run(7));
}
TEST(FaultErrors, AmongManyVerticesOnAllThreads) {
  EXPECT_REJECTED(expected("integer division by zero, or of the smallest number by -1", 999),
                  run(0, 1000));
  EXPECT_REJECTED(expected("the stack is full: a recursion without end, or very large local "
                           "variables",
                           999),
                  run(3, 1000));
}

TEST(FaultErrors, TellCodeAndPlaceAndFailTheEngine) {
  Wild wild(2, 8);
  try {
    wild.run();
    FAIL();
  } catch (const application_runtime_error &error) {
    EXPECT_EQ(error.info.code, ErrorCode::INVALID_ADDRESS);
    EXPECT_EQ(error.info.location.tile, 3u);
  }
  EXPECT_THROW(wild.run(), poplar_error);
  wild.engine->load(wild.device);
  EXPECT_THROW(wild.run(), application_runtime_error);
}

TEST(FaultErrors, InsideTheHostEndWithALastWordAndTheSignal) {
  const auto [status, text] = lastWords([] { run(8); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(text,
            "OpenIPU: Vertex 0 of type Wild (codelet.cpp) on tile 0: an invalid address "
            "0x700012340000. Correct compute(); the engine option debug.checkedCodelets checks "
            "every access. (in compute set \"set\") It happened inside a function of the "
            "host, so "
            "the process cannot go on.\n");
}

TEST(FaultErrors, LeaveTheHandlersOfTheProgramAlone) {
  struct sigaction mine {
  }, before{}, after{};
  mine.sa_handler = [](int) { ++seen; };
  ::sigaction(SIGSEGV, &mine, &before);
  seen = 0;
  EXPECT_THROW(run(2), application_runtime_error);
  ::sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_handler, mine.sa_handler);
  EXPECT_EQ(seen, 0);
  // A signal that somebody sends while an engine runs is not ours.
  Wild good(99);
  good.engine->run();
  Graph graph(good.device.getTarget());
  auto out = good.graph.addDeviceToHostFIFO("out", INT, 1);
  Engine calling(good.graph, Sequence{Execute(good.set), Copy(good.variable("y", 1, INT), out)});
  calling.connectStreamToCallback("out", [](void *) { ::raise(SIGSEGV); });
  calling.load(good.device);
  calling.run();
  EXPECT_EQ(seen, 1);
  ::sigaction(SIGSEGV, &before, nullptr);
}

TEST(FaultErrors, AreCaughtAlthoughTheProgramTookTheSignalAfterLoad) {
  struct sigaction mine {
  }, before{}, after{};
  mine.sa_handler = [](int) { ++seen; };
  seen = 0;
  ::sigaction(SIGSEGV, nullptr, &before);
  {
    Wild wild(2);
    ::sigaction(SIGSEGV, &mine, nullptr);
    EXPECT_THROW(wild.run(), application_runtime_error);
    wild.engine->load(wild.device);
    ::raise(SIGSEGV); // between runs it is the program's
    EXPECT_EQ(seen, 1);
    EXPECT_THROW(wild.run(), application_runtime_error);
  }
  ::sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(after.sa_handler, mine.sa_handler);
  EXPECT_EQ(seen, 1);
  ::sigaction(SIGSEGV, &before, nullptr);
}

TEST(FaultErrors, AreHandledAsLongAsAnEngineWithVerticesLives) {
  const auto handlers = [] {
    std::vector<void *> found;
    for (int signal : {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, SIGURG}) {
      struct sigaction action {};
      ::sigaction(signal, nullptr, &action);
      found.push_back(reinterpret_cast<void *>(action.sa_handler));
    }
    return found;
  };
  const auto before = handlers();
  auto first = std::make_unique<Wild>(99), second = std::make_unique<Wild>(0);
  const auto during = handlers();
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NE(during[i], before[i]);
  first->run();
  first.reset();
  EXPECT_EQ(handlers(), during);
  EXPECT_THROW(second->run(), application_runtime_error);
  second.reset();
  EXPECT_EQ(handlers(), before);
  Fixture none;
  Engine engine(none.graph, Sequence{});
  engine.load(none.device);
  engine.run();
  EXPECT_EQ(handlers(), before);
}

TEST(FaultErrors, OfTheProgramItselfAreNotTouched) {
  const auto [status, text] = lastWords([] {
    Wild good(99);
    auto out = good.graph.addDeviceToHostFIFO("out", INT, 1);
    Engine engine(good.graph, Sequence{Execute(good.set), Copy(good.variable("y", 1, INT), out)});
    engine.connectStreamToCallback("out", [](void *) {
      volatile std::uintptr_t nowhere = 8;
      *reinterpret_cast<volatile int *>(nowhere) = 1;
    });
    engine.load(good.device);
    engine.run();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV) << status;
  EXPECT_EQ(text, "");
}

TEST(FaultErrors, StopEndsACodeletThatDoesNot) {
  for (unsigned what : {9u, 10u})
    for (unsigned vertices : {1u, 1000u}) {
      Wild wild(what, vertices);
      std::atomic<bool> ended = false;
      std::thread other([&] { // a stop that comes before the run has begun is forgotten
        while (!ended) {
          ::usleep(10'000);
          wild.engine->stop();
        }
      });
      const auto message = errors::rejection([&] { wild.run(); });
      ended = true;
      other.join();
      EXPECT_EQ(
          message,
          "application_runtime_error: Vertex " + std::to_string(vertices - 1) +
              " of type Wild (codelet.cpp) on tile " + std::to_string((vertices - 1) % 4) +
              " was interrupted: it had not ended half a second after Engine::stop. Its "
              "outputs may be half-written; call Engine::load before the next run. (in compute "
              "set \"set\")");
      errors::expectStillUsable();
    }
}

TEST(FaultErrors, StopMayBeCalledInASignalHandler) {
  static Engine *running = nullptr;
  Wild wild(9);
  running = wild.engine.get();
  struct sigaction mine {
  }, before{};
  mine.sa_handler = [](int) { running->stop(); };
  ::sigaction(SIGALRM, &mine, &before);
  const itimerval often{{0, 100'000}, {0, 100'000}}, never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  EXPECT_THROW(wild.run(), application_runtime_error);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::sigaction(SIGALRM, &before, nullptr);
}

TEST(FaultErrors, CtrlCEndsAProgramWithAnEndlessCodelet) {
  const auto [status, text] = lastWords([] {
    Wild wild(9);
    std::thread([parent = ::getpid()] {
      ::usleep(100'000);
      ::kill(parent, SIGINT);
    }).detach();
    wild.run();
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT) << status;
  EXPECT_EQ(text, "");
}
