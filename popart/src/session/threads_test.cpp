// SPDX-License-Identifier: MIT
// One session and several threads: every thread gets its own results, and callbacks cannot lock a
// session up.
#include "sessions.hpp"
#include <atomic>
#include <thread>

using namespace popart;
using namespace popart::testing;

namespace {

DataFlow anchored(const TensorId &id) { return DataFlow(1, {{id, AnchorReturnType("All")}}); }

// What the functions of a step's callbacks see, called as the option says.
template <class Function> std::string inCallback(const char *mode, Function function) {
  Product model;
  SessionOptions options;
  options.engineOptions["streamCallbacks.multiThreadMode"] = mode;
  auto session = model.inference(anchored(model.y), options);
  session->prepareDevice();
  Floats in{1, 2}, out(2);
  const TensorInfo info(DataType::FLOAT, {2});
  StepIOCallback io([&](TensorId, bool) { return ConstVoidData(in.data(), info); }, [](TensorId) {},
                    [&](TensorId) {
                      function(*session);
                      return MutableVoidData(out.data(), info);
                    },
                    [](TensorId) {});
  return messageOf([&] { session->run(io); });
}

} // namespace

TEST(SessionThreads, EachGetsItsOwnResults) {
  Product model;
  auto session = model.inference(anchored(model.y));
  session->prepareDevice();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) {
        const auto x = static_cast<float>(100 * t + i);
        wrong += step(*session, "x", {x, -x}, model.y, 2) != Floats{2 * x, -3 * x};
      }
    });
  for (auto &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(SessionThreads, WeightsAndStepsTakeTurns) {
  Product model;
  auto session = model.training(anchored(model.y), ConstSGD(1));
  session->prepareDevice();
  session->weightsFromHost();
  std::thread reader([&] {
    for (int i = 0; i < 50; ++i) { // after any whole number of steps: w - n
      const auto w = readWeight(*session, model.w, 2);
      EXPECT_EQ(w[1] - w[0], 1);
    }
  });
  for (int i = 0; i < 50; ++i)
    step(*session, "x", {1, 1}, model.y, 2);
  reader.join();
  EXPECT_EQ(readWeight(*session, model.w, 2), (Floats{-48, -47}));
}

TEST(SessionThreads, CallbacksMayAsk) {
  for (const char *mode : {"singleThread", "collaborative", "dedicated"}) {
    std::int64_t elements = 0;
    EXPECT_EQ(inCallback(mode, [&](Session &s) { elements = s.getInfo("x").nelms(); }), "no error");
    EXPECT_EQ(elements, 2) << mode;
  }
}

TEST(SessionThreads, CallbacksMayNotBegin) {
  for (const char *mode : {"singleThread", "collaborative", "dedicated"}) {
    EXPECT_EQ(inCallback(mode, [](Session &s) { s.weightsToHost(); }),
              "weightsToHost was called by a function that run of the same session calls, and "
              "would wait for it forever. Call it when run has returned.");
    EXPECT_EQ(inCallback(mode, [](Session &s) { s.prepareDevice(); }).substr(0, 24),
              "prepareDevice was called")
        << mode;
  }
}

TEST(SessionThreads, CompilationMayNotBeginAnother) {
  Product model;
  std::unique_ptr<InferenceSession> session;
  SessionOptions options;
  options.compilationProgressLogger = [&](int, int) { session->prepareDevice(); };
  session = model.inference(anchored(model.y), options);
  EXPECT_EQ(messageOf([&] { session->prepareDevice(); }).substr(0, 67),
            "prepareDevice was called by a function that compilation of the same");
}

TEST(SessionThreads, CallbacksMayUseAnotherSession) {
  Product model;
  auto other = model.inference(anchored(model.y));
  other->prepareDevice();
  Floats result;
  EXPECT_EQ(inCallback("singleThread",
                       [&](Session &) {
                         result = step(*other, "x", {1, 1}, model.y, 2);
                       }),
            "no error");
  EXPECT_EQ(result, (Floats{2, 3}));
}
