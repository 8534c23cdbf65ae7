// SPDX-License-Identifier: MIT
// Random calls on one session, in any order: steps that go well, fail or are stopped, weights up
// and down, new learning rates, models in files, loading again. The session follows a plain model
// of what host and device hold, in double precision; after a step that was broken off its weights
// are those of a whole number of updates.
//
// OPENIPU_SEEDS=first:count draws others than the default.
#include "sessions.hpp"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <poplar/exceptions.hpp>
#include <random>
#include <thread>

using namespace popart;
using namespace popart::testing;

namespace {

constexpr std::size_t elements = 2;
constexpr float momentum = 0.5f;
using Doubles = std::array<double, elements>;

// A weight and its velocity.
struct Trained {
  Doubles w{}, v{};
  void update(const Doubles &gradient, double rate) {
    for (std::size_t i = 0; i < elements; ++i) {
      v[i] = momentum * v[i] + gradient[i];
      w[i] -= rate * v[i];
    }
  }
  bool isNear(const Floats &values) const {
    for (std::size_t i = 0; i < elements; ++i)
      if (!(std::abs(double(values[i]) - w[i]) < 1e-4 * (1 + std::abs(w[i]))))
        return false;
    return true;
  }
};

struct Broken {};

class Calls {
public:
  explicit Calls(unsigned seed) : draw_(seed) {
    batches_ = int(below(3)) + 1;
    accumulated_ = int(below(3)) + 1;
    SessionOptions options;
    options.enableFloatingPointChecks = true;
    options.enableGradientAccumulation = accumulated_ > 1;
    options.accumulationFactor = accumulated_;
    if (below(3) == 0) {
      auto &state = options.optimizerStateTensorLocationSettings;
      state.location.storage = TensorStorage::OffChip;
      state.minElementsForOffChip = 0;
    }
    session_ = model_.training(DataFlow(batches_, {{model_.y, AnchorReturnType("All")}}),
                               *optimizer(rate_), options);
    host_.w = {2, 3};
  }
  void run(int calls) {
    static constexpr std::pair<const char *, void (Calls::*)()> all[] = {
        {"step", &Calls::step},         {"step", &Calls::step},     {"break", &Calls::breakStep},
        {"overflow", &Calls::overflow}, {"stop", &Calls::stop},     {"download", &Calls::download},
        {"upload", &Calls::upload},     {"upload", &Calls::upload}, {"write", &Calls::write},
        {"rate", &Calls::changeRate},   {"save", &Calls::save},     {"prepare", &Calls::prepare},
        {"mistake", &Calls::mistake}};
    for (int i = 0; i < calls && !::testing::Test::HasFailure(); ++i) {
      const auto &[name, call] = all[below(std::size(all))];
      told_ += std::string(" ") + name;
      SCOPED_TRACE(told_);
      (this->*call)();
    }
  }

private:
  enum class Device { None, Empty, Ready, Lost };

  unsigned below(std::size_t n) { return unsigned(draw_() % n); }
  static std::unique_ptr<Optimizer> optimizer(float rate) {
    return std::make_unique<SGD>(
        std::map<std::string, std::pair<float, bool>>{{"defaultLearningRate", {rate, false}},
                                                      {"defaultMomentum", {momentum, true}}},
        std::vector<ClipNormSettings>(), SGDAccumulatorAndMomentum::Separate);
  }

  // ---- what is refused when

  template <class F> bool worksIf(bool may, F f) {
    const auto message = messageOf(f);
    EXPECT_EQ(message == "no error", may) << message;
    return may && message == "no error";
  }
  bool isReady() const { return device_ == Device::Ready; }

  // ---- steps

  void drawInputs() {
    in_.resize(std::size_t(batches_ * accumulated_) * elements);
    for (auto &x : in_)
      x = float(below(33)) / 16 - 1;
  }
  // One that asks for inputs with this function; what it throws comes out.
  void runWith(const std::function<const float *(int microBatch)> &input) {
    const TensorInfo info(DataType::FLOAT, {elements});
    Floats out(elements);
    int next = 0;
    StepIOCallback io(
        [&](const TensorId &, bool prefetch) {
          return prefetch ? ConstVoidData() : ConstVoidData(input(next++), info);
        },
        [](const TensorId &) {},
        [&](const TensorId &) { return MutableVoidData(out.data(), info); },
        [](const TensorId &) {});
    session_->run(io);
  }
  const float *inputOf(int microBatch) const {
    return in_.data() + std::size_t(microBatch) * elements;
  }
  void updateBy(int batches) {
    for (int b = 0; b < batches; ++b) {
      Doubles gradient{};
      for (int m = 0; m < accumulated_; ++m)
        for (std::size_t i = 0; i < elements; ++i)
          gradient[i] += double(inputOf(b * accumulated_ + m)[i]);
      onDevice_.update(gradient, double(rate_));
    }
  }

  void step() {
    drawInputs();
    if (worksIf(isReady(), [&] { runWith([&](int m) { return inputOf(m); }); }))
      updateBy(batches_);
  }
  void breakStep() {
    if (!isReady())
      return;
    drawInputs();
    const int bad = int(below(std::size_t(batches_ * accumulated_)));
    EXPECT_THROW(runWith([&](int m) {
                   if (m == bad)
                     throw Broken();
                   return inputOf(m);
                 }),
                 Broken);
    EXPECT_FALSE(session_->needsWeights());
    updateBy(bad / accumulated_);
  }
  // By another thread, at any time; how far it came shows in the weights.
  void stop() {
    if (!isReady())
      return;
    drawInputs();
    const int when = int(below(std::size_t(batches_ * accumulated_)));
    std::thread stopping;
    runWith([&](int m) {
      if (m == when)
        stopping = std::thread([&] { session_->interrupt(); });
      return inputOf(m);
    });
    stopping.join();
    if (session_->needsWeights()) {
      device_ = Device::Lost;
      return;
    }
    const auto got = readWeight(*session_, model_.w, elements);
    const auto before = onDevice_;
    for (int done = batches_; done >= 0; --done) {
      onDevice_ = before;
      updateBy(done);
      if (onDevice_.isNear(got)) {
        host_ = onDevice_;
        return;
      }
    }
    ADD_FAILURE() << "stopped within an update: " << got[0] << ", " << got[1];
  }
  // The weights become infinite.
  void overflow() {
    if (!isReady())
      return;
    session_->updateOptimizerFromHost(optimizer(3e38f).get());
    const Floats large(elements, 1000);
    EXPECT_THROW(runWith([&](int) { return large.data(); }), poplar::application_runtime_error);
    EXPECT_TRUE(session_->needsWeights());
    session_->updateOptimizerFromHost(optimizer(rate_).get());
    device_ = Device::Lost;
  }
  void mistake() {
    StepIO nothing({}, {});
    EXPECT_NE(messageOf([&] { session_->run(nothing); }), "no error");
  }

  // ---- weights

  void download() {
    const bool may = isReady() || device_ == Device::Empty;
    if (!worksIf(may, [&] { session_->weightsToHost(); }))
      return;
    host_ = onDevice_;
    EXPECT_TRUE(host_.isNear(readWeight(*session_, model_.w, elements)));
  }
  void upload() {
    if (!worksIf(device_ != Device::None, [&] { session_->weightsFromHost(); }))
      return;
    onDevice_ = host_;
    device_ = Device::Ready;
  }
  void write() {
    Floats values{float(below(9)) - 4, float(below(9)) - 4};
    WeightsIO io;
    io.insert(model_.w, MutableVoidData(values.data(), TensorInfo(DataType::FLOAT, {elements})));
    if (worksIf(device_ != Device::None, [&] { session_->writeWeights(io); }))
      host_.w = {double(values[0]), double(values[1])};
  }
  void changeRate() {
    rate_ = float(1 + below(8)) / 64;
    session_->updateOptimizerFromHost(optimizer(rate_).get());
  }
  void save() {
    session_->modelToHost(folder_.file("model.onnx"));
    if (isReady())
      host_ = onDevice_;
    session_->resetHostWeights(folder_.file("model.onnx"));
    if (isReady()) // the host's weights may be others now
      upload();
  }
  void prepare() {
    session_->prepareDevice();
    device_ = Device::Empty;
    onDevice_ = {};
  }

  std::mt19937 draw_;
  Product model_;
  Folder folder_;
  int batches_, accumulated_;
  float rate_ = 0.125f;
  Floats in_;
  std::unique_ptr<TrainingSession> session_;
  Trained host_, onDevice_;
  Device device_ = Device::None;
  std::string told_;
};

} // namespace

TEST(RandomCalls, FollowWhatHostAndDeviceHold) {
  unsigned first = 1, count = 30;
  if (const char *given = std::getenv("OPENIPU_SEEDS"))
    std::sscanf(given, "%u:%u", &first, &count);
  for (unsigned seed = first; seed < first + count && !HasFailure(); ++seed) {
    SCOPED_TRACE("OPENIPU_SEEDS=" + std::to_string(seed) + ":1");
    Calls(seed).run(40);
  }
}
