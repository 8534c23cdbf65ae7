// SPDX-License-Identifier: MIT
// Models built from code, in sessions; compared with plain loops in double precision.
#include "onnx/testmodels.hpp"
#include "openipu/Model.hpp"
#include "sessions.hpp"
#include <cmath>
#include <cstdio>
#include <fstream>
#include <popart/adam.hpp>

namespace popart::testing {

namespace {

using Doubles = std::vector<double>;
constexpr int batch = 4, in = 3, hidden = 5, out = 2;

TensorInfo floats(const Shape &shape) { return {DataType::FLOAT, shape}; }
Floats wave(std::size_t n, float scale, float phase) {
  Floats v(n);
  for (std::size_t i = 0; i < n; ++i)
    v[i] = scale * std::sin(phase + 1.3f * float(i));
  return v;
}

// y = tanh(x w1 + b1) w2, loss = sum(y * y), with the values in memory of its own.
struct Mlp {
  Floats w1 = wave(in * hidden, 0.5f, 1), b1 = wave(hidden, 0.1f, 2),
         w2 = wave(hidden * out, 0.5f, 3);
  ir::Role role1 = ir::Role::Weight;

  Model model() {
    Model m("mlp");
    const auto x = m.input("x", floats({batch, in}));
    const auto a = m.weight("w1", floats({in, hidden}), w1.data(), nullptr, role1);
    const auto b = m.weight("b1", floats({hidden}), b1.data());
    const auto c = m.weight("w2", floats({hidden, out}), w2.data());
    const auto y = m.matmul(m.op("Tanh", {m.add(m.matmul(x, a), b)}), c);
    m.output(y, "y");
    m.output(m.reduceSum(m.square(y), {0, 1}, false), "loss");
    return m;
  }
};

// The same in double precision: results, and one step of SGD.
struct PlainMlp {
  explicit PlainMlp(const Mlp &m)
      : w1(m.w1.begin(), m.w1.end()), b1(m.b1.begin(), m.b1.end()), w2(m.w2.begin(), m.w2.end()) {}
  Doubles w1, b1, w2, h, y;

  const Doubles &forward(const Floats &x) {
    h.assign(batch * hidden, 0);
    y.assign(batch * out, 0);
    for (int n = 0; n < batch; ++n) {
      for (int j = 0; j < hidden; ++j) {
        double sum = b1[std::size_t(j)];
        for (int i = 0; i < in; ++i)
          sum += double(x[std::size_t(n * in + i)]) * w1[std::size_t(i * hidden + j)];
        h[std::size_t(n * hidden + j)] = std::tanh(sum);
      }
      for (int k = 0; k < out; ++k)
        for (int j = 0; j < hidden; ++j)
          y[std::size_t(n * out + k)] +=
              h[std::size_t(n * hidden + j)] * w2[std::size_t(j * out + k)];
    }
    return y;
  }
  void train(const Floats &x, double rate, bool first = true) {
    forward(x);
    Doubles d1(w1.size()), db(b1.size()), d2(w2.size());
    for (int n = 0; n < batch; ++n)
      for (int j = 0; j < hidden; ++j) {
        const double hj = h[std::size_t(n * hidden + j)];
        double dh = 0;
        for (int k = 0; k < out; ++k) {
          const double dy = 2 * y[std::size_t(n * out + k)];
          d2[std::size_t(j * out + k)] += hj * dy;
          dh += dy * w2[std::size_t(j * out + k)];
        }
        dh *= 1 - hj * hj;
        db[std::size_t(j)] += dh;
        for (int i = 0; i < in; ++i)
          d1[std::size_t(i * hidden + j)] += dh * double(x[std::size_t(n * in + i)]);
      }
    const auto descend = [rate](Doubles &w, const Doubles &d) {
      for (std::size_t i = 0; i < w.size(); ++i)
        w[i] -= rate * d[i];
    };
    if (first)
      descend(w1, d1);
    descend(b1, db);
    descend(w2, d2);
  }
};

void expectNear(const Floats &a, const Doubles &b, const char *what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(double(a[i]), b[i], 2e-5) << what << " " << i;
}

const Floats x = wave(batch * in, 1, 0.2f);
Floats infer(Session &session) { return step(session, "x", x, "y", batch * out); }
DataFlow flow(const TensorId &anchor) { return {1, {{anchor, AnchorReturnType("All")}}}; }
SessionOptions changing() {
  SessionOptions options;
  options.constantWeights = false;
  return options;
}

} // namespace

TEST(Model, InfersAsAPlainLoopDoes) {
  for (const bool constant : {true, false}) {
    Mlp mlp;
    const auto session = makeInferenceSession(mlp.model(), flow("y"), modelDevice(),
                                              constant ? SessionOptions() : changing());
    session->prepareDevice();
    session->weightsFromHost();
    expectNear(infer(*session), PlainMlp(mlp).forward(x), "y");
  }
}

TEST(Model, TakesWeightsThatTheCallerChanged) {
  Mlp mlp;
  const auto session = makeInferenceSession(mlp.model(), flow("y"), modelDevice(), changing());
  session->prepareDevice();
  session->weightsFromHost();
  infer(*session);
  for (float &w : mlp.w1)
    w *= -0.5f;
  session->weightsFromHost();
  expectNear(infer(*session), PlainMlp(mlp).forward(x), "y");
}

TEST(Model, TrainsInTheMemoryOfTheCaller) {
  Mlp mlp;
  PlainMlp plain(mlp);
  const auto session =
      makeTrainingSession(mlp.model(), flow("loss"), "loss", ConstSGD(0.05f), modelDevice());
  session->prepareDevice();
  session->weightsFromHost();
  for (int i = 0; i < 3; ++i) {
    step(*session, "x", x, "loss", 1);
    plain.train(x, 0.05);
  }
  session->weightsToHost();
  expectNear(mlp.w1, plain.w1, "w1");
  expectNear(mlp.b1, plain.b1, "b1");
  expectNear(mlp.w2, plain.w2, "w2");
  EXPECT_EQ(readWeight(*session, "w1", mlp.w1.size()), mlp.w1);

  const Floats other = wave(mlp.w2.size(), 0.25f, 1);
  std::copy(other.begin(), other.end(), mlp.w2.begin()); // the same memory
  PlainMlp again(mlp);
  session->weightsFromHost();
  step(*session, "x", x, "loss", 1);
  again.train(x, 0.05);
  session->weightsToHost();
  expectNear(mlp.w2, again.w2, "w2 again");
}

// A program that says itself what is done with its gradients.
TEST(Model, DescendsByGradientsOfItsOwn) {
  Mlp mlp;
  PlainMlp plain(mlp);
  Model m;
  const auto x0 = m.input("x", floats({batch, in}));
  const auto w1 = m.weight("w1", floats({in, hidden}), mlp.w1.data());
  const auto b1 = m.weight("b1", floats({hidden}), mlp.b1.data());
  const auto w2 = m.weight("w2", floats({hidden, out}), mlp.w2.data());
  const auto h = m.op("Tanh", {m.add(m.matmul(x0, w1), b1)});
  const auto y = m.matmul(h, w2);
  m.output(y, "y");
  // Of y itself, with 2 y as what the chain starts from: what sum(y y) would give.
  const auto found = m.gradients({y}, {w1, b1, w2, x0}, {m.mul(y, 2.0)});
  const Model::Values weights{w1, b1, w2};
  for (std::size_t i = 0; i < weights.size(); ++i)
    m.update(weights[i], m.sub(weights[i], m.mul(found[i], 0.05)));
  EXPECT_EQ(m.gradients({h}, {w2}), Model::Values{ir::none});
  EXPECT_EQ(m.shape(m.gradients({h}, {x0}).front()), (Shape{batch, in}));
  EXPECT_THROW(m.gradients({y}, {w1}, {h}), error);
  const auto session = makeInferenceSession(std::move(m), flow("y"), modelDevice(), changing());
  session->prepareDevice();
  session->weightsFromHost();
  for (int i = 0; i < 3; ++i) {
    infer(*session);
    plain.train(x, 0.05);
  }
  session->weightsToHost();
  expectNear(mlp.w1, plain.w1, "w1");
  expectNear(mlp.b1, plain.b1, "b1");
  expectNear(mlp.w2, plain.w2, "w2");
}

TEST(Model, LeavesFixedWeightsAlone) {
  Mlp mlp;
  mlp.role1 = ir::Role::Fixed;
  PlainMlp plain(mlp);
  const Floats before = mlp.w1;
  auto model = mlp.model();
  EXPECT_EQ(model.weights(), (std::vector<TensorId>{"w1", "b1", "w2"}));
  const auto session =
      makeTrainingSession(std::move(model), flow("loss"), "loss", ConstSGD(0.05f), modelDevice());
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, "x", x, "loss", 1);
  plain.train(x, 0.05, false);
  session->weightsToHost();
  EXPECT_EQ(mlp.w1, before);
  EXPECT_EQ(readWeight(*session, "w1", before.size()), before);
  expectNear(mlp.w2, plain.w2, "w2");
}

// y = x + s, then s = s + 1: a step sees what was there before it.
TEST(Model, UpdatesABufferInEveryMicroBatch) {
  for (const bool training : {false, true})
    for (const bool constant : {false, true}) {
      Floats sum{10, 20}, w{1, 1};
      Model m;
      const auto x = m.input("x", floats({2}));
      const auto s = m.weight("s", floats({2}), sum.data(), nullptr, ir::Role::Fixed);
      m.update(s, m.add(s, 1.0));
      const auto y = m.add(m.mul(x, m.weight("w", floats({2}), w.data())), s);
      m.output(y, "y");
      const auto loss = m.nameOf(m.reduceSum(y, {0}, false));
      SessionOptions options;
      options.constantWeights = constant;
      const DataFlow twice(2, {{"y", AnchorReturnType("All")}});
      std::unique_ptr<Session> session;
      if (training)
        session =
            makeTrainingSession(std::move(m), twice, loss, ConstSGD(0.5f), modelDevice(), options);
      else
        session = makeInferenceSession(std::move(m), twice, modelDevice(), options);
      session->prepareDevice();
      session->weightsFromHost();
      EXPECT_EQ(step(*session, "x", {0, 0, 0, 0}, "y", 4), (Floats{10, 20, 11, 21}));
      session->weightsToHost();
      EXPECT_EQ(sum, (Floats{12, 22})) << training << constant;
    }
}

// The device counts in 32 bits; the caller's memory has 64.
TEST(Model, KeepsTypesThatTheDeviceHasNot) {
  std::int64_t steps[1] = {7};
  Model m;
  const auto x = m.input("x", floats({2}));
  const auto n = m.weight("n", {DataType::INT64, Shape{1}}, steps, nullptr, ir::Role::Fixed);
  m.update(n, m.add(n, 1.0));
  m.output(m.add(x, m.cast(n, DataType::FLOAT)), "y");
  const auto session = makeInferenceSession(std::move(m), flow("y"), modelDevice(), changing());
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 2}, "y", 2), (Floats{8, 9}));
  session->weightsToHost();
  EXPECT_EQ(steps[0], 8);
  steps[0] = 100;
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 2}, "y", 2), (Floats{101, 102}));
}

// if (c) y = x w else y = x - w, and three times y = y w.
TEST(Model, HasBodies) {
  Floats w{2, 3};
  Model m;
  const auto x = m.input("x", floats({2}));
  const auto a = m.weight("w", floats({2}), w.data());
  const auto branch = [&](bool times) {
    Model b = m.body(times ? "then" : "else");
    const auto u = b.input("u", floats({2})), v = b.input("v", floats({2}));
    b.output(times ? b.mul(u, v) : b.sub(u, v), "r");
    return b;
  };
  std::vector<Model> branches;
  branches.push_back(branch(true));
  branches.push_back(branch(false));
  const auto positive = m.op("Greater", {m.reduceSum(x, {0}, false), m.scalar(0, x)});
  const auto y = m.ops("If", {positive, x, a}, 1, std::move(branches))[0];
  m.output(y, "y");
  Model round = m.body("round");
  round.input("i", {DataType::INT64, Shape{}});
  const auto go = round.input("go", {DataType::BOOL, Shape{}});
  const auto carried = round.input("carried", floats({2})), by = round.input("by", floats({2}));
  round.output(go, "on");
  round.output(round.mul(carried, by), "next");
  std::vector<Model> bodies;
  bodies.push_back(std::move(round));
  const std::int64_t one = 1, three = 3;
  const auto z = m.ops("Loop", {ir::none, ir::none, y, a}, 1, std::move(bodies),
                       {{"trip", three}, {"carried", one}})[0];
  const auto loss = m.nameOf(m.reduceSum(z, {0}, false));
  const auto session =
      makeTrainingSession(std::move(m), flow("y"), loss, ConstSGD(0.01f), modelDevice());
  session->prepareDevice();
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 2}, "y", 2), (Floats{2, 6}));
  session->weightsToHost(); // z = x w^4: its derivative is 4 x w^3
  EXPECT_NEAR(w[0], 2 - 0.01 * 4 * 1 * 8, 1e-5);
  EXPECT_NEAR(w[1], 3 - 0.01 * 4 * 2 * 27, 1e-5);
  EXPECT_NEAR(step(*session, "x", {-1, -2}, "y", 2)[0], -1 - double(w[0]), 1e-5);
}

// Values of weights do not count for the cache, those of constants do.
TEST(Model, StartsWarm) {
  const Folder folder;
  SessionOptions options = changing();
  options.enableEngineCaching = true;
  options.cachePath = folder.file("cache");
  const auto run = [&](float w0, double factor, bool training) {
    const auto device = DeviceManager::createDeviceManager().acquireAvailableDevice(1, 8);
    Floats w(100, w0), values(100, float(factor));
    Model m;
    const auto x = m.input("x", floats({100}));
    const auto c = m.constant(ir::HostTensor::of<float>({100}, values));
    const auto y = m.mul(m.mul(x, m.weight("w", floats({100}), w.data())), c);
    m.output(y, "y");
    const auto loss = m.nameOf(m.reduceSum(y, {0}, false));
    std::unique_ptr<Session> session;
    if (training)
      session = makeTrainingSession(std::move(m), flow("y"), loss,
                                    SGD({{"defaultLearningRate", {0.5f, false}}}), device, options);
    else
      session = makeInferenceSession(std::move(m), flow("y"), device, options);
    session->prepareDevice();
    session->weightsFromHost();
    EXPECT_EQ(step(*session, "x", Floats(100, 1), "y", 100), Floats(100, w0 * float(factor)));
    session->weightsToHost();
    EXPECT_EQ(w, Floats(100, training ? w0 - 0.5f * float(factor) : w0));
    return isWarm(*session);
  };
  for (const bool training : {false, true}) {
    EXPECT_FALSE(run(3, 2, training));
    EXPECT_TRUE(run(3, 2, training));
    EXPECT_TRUE(run(5, 2, training));
    EXPECT_FALSE(run(5, 4, training)) << training;
  }
}

// A session of the file computes the same; one of a further file what the new weights make.
TEST(Model, BecomesAnOnnxFile) {
  Mlp mlp;
  const auto session = makeInferenceSession(mlp.model(), flow("y"), modelDevice(), changing());
  session->prepareDevice();
  session->weightsFromHost();
  const std::string file = ::testing::TempDir() + "model_becomes_a_file.onnx";
  for (int i = 0; i < 2; ++i) {
    session->modelToHost(file);
    auto other = InferenceSession::createFromOnnxModel(file, flow("y"), modelDevice());
    other->prepareDevice();
    expectNear(infer(*other), PlainMlp(mlp).forward(x), "of the file");
    for (auto &w : mlp.w2)
      w *= 2;
    session->weightsFromHost();
  }
  std::remove(file.c_str());
  EXPECT_NE(messageOf([&] { session->updateExternallySavedTensorLocations("a", "b"); }),
            "no error");
}

// Other programs refuse files in which two operators have one name.
TEST(Model, NamesItsOperatorsApart) {
  Model m;
  m.settings.name = "layer";
  const auto x0 = m.input("x", floats({2}));
  m.output(m.add(m.mul(m.add(x0, 1.0), 2.0), x0), "y");
  const auto session = makeInferenceSession(std::move(m), flow("y"), modelDevice());
  const std::string file = ::testing::TempDir() + "model_names.onnx";
  session->modelToHost(file);
  onnx::ModelProto read;
  std::ifstream in(file, std::ios::binary);
  ASSERT_TRUE(read.ParseFromIstream(&in));
  std::vector<std::string> names;
  for (const auto &node : read.graph().node())
    names.push_back(node.name());
  EXPECT_EQ(names, (std::vector<std::string>{"layer", "layer/1", "layer/2"}));
  std::remove(file.c_str());
}

// The values of a file with the same names go where the caller's are.
TEST(Model, TakesWeightsOfOthers) {
  Floats memory{1, 2};
  Model m;
  m.output(m.mul(m.input("x", floats({2})), m.weight("w", floats({2}), memory.data())), "y");
  const auto session = makeInferenceSession(std::move(m), flow("y"), modelDevice(), changing());
  session->prepareDevice();
  const auto bytes = Product({5, 7}).bytes();
  session->resetHostWeights(bytes);
  EXPECT_EQ(memory, (Floats{5, 7}));
  session->weightsFromHost();
  EXPECT_EQ(step(*session, "x", {1, 1}, "y", 2), (Floats{5, 7}));
  Floats more{8, 9};
  WeightsIO io;
  io.insert("w", MutableVoidData(more.data(), floats({2})));
  session->writeWeights(io);
  EXPECT_EQ(memory, more);
}

// The optimiser's state may stand in the caller's memory as well; two sessions go on as one.
TEST(Model, KeepsOptimizerStateOfTheCaller) {
  Floats w{1, 2}, first{0, 0}, second{0, 0}, steps{0};
  const auto train = [&](int count, bool lends) {
    Model m;
    const auto loss = m.reduceSum(
        m.mul(m.input("x", floats({2})), m.weight("w", floats({2}), w.data())), {0}, false);
    m.output(loss, "loss");
    const auto state = ir::Role::OptimizerState;
    if (lends) {
      m.weight("Accl1___w", floats({2}), first.data(), nullptr, state);
      m.weight("Accl2___w", floats({2}), second.data(), nullptr, state);
      m.weight("Step___w", floats({}), steps.data(), nullptr, state);
    }
    const Adam adam({{"defaultLearningRate", {0.1f, false}}}, AdamMode::Adam,
                    WeightDecayMode::Decay, DataType::FLOAT, DataType::FLOAT, DataType::FLOAT);
    const auto session =
        makeTrainingSession(std::move(m), flow("loss"), "loss", adam, modelDevice());
    session->prepareDevice();
    session->weightsFromHost();
    for (int i = 0; i < count; ++i)
      step(*session, "x", {1, -2}, "loss", 1);
    session->weightsToHost();
  };
  train(4, false);
  const Floats whole = std::exchange(w, {1, 2});
  train(2, true);
  EXPECT_EQ(steps[0], 2);
  EXPECT_NE(first[0], 0);
  train(2, true);
  EXPECT_EQ(steps[0], 4);
  EXPECT_EQ(w, whole);
}

// Roles are what variables say of themselves, whatever weights are called; so is whose a state is.
TEST(Model, TrainsWeightsThatAreCalledLikeWhatTheOptimizerKeeps) {
  const std::vector<TensorId> names{"layer___default___x",
                                    "scaledLearningRate2___default___FLOAT",
                                    "scaledLearningRate2___specific___layer___default___x",
                                    "scaledLearningRate2___specific___w",
                                    "lossScaling_FLOAT",
                                    "AutomaticLossScaleProxy___factor",
                                    "Accl1___w",
                                    "w"};
  const auto sgd = [&](float rate, float own) {
    SGD out({rate, false}, {0, true}, {0.5f, true}, {0, true}, {1, true}, {2, false}, {},
            SGDAccumulatorAndMomentum::Separate);
    for (const auto *name : {&names[0], &names[3]})
      out.insertSpecific(*name, {{"learningRate", {own, false}}, {"momentum", {0.5f, true}}});
    return out;
  };
  Model m;
  std::vector<Floats> weights(names.size());
  const auto x = m.input("x", floats({2}));
  ir::Value sum = ir::none;
  for (std::size_t i = 0; i < names.size(); ++i) {
    weights[i] = {float(i), -1};
    const auto part = m.mul(x, m.weight(names[i], floats({2}), weights[i].data()));
    sum = i ? m.add(sum, part) : part;
  }
  m.output(m.reduceSum(sum, {0}, false), "loss");
  const auto session =
      makeTrainingSession(std::move(m), flow("loss"), "loss", sgd(0.5f, 0.25f), modelDevice());
  session->prepareDevice();
  session->weightsFromHost();
  step(*session, "x", {1, 2}, "loss", 1);
  const auto changed = sgd(1, 2);
  session->updateOptimizerFromHost(&changed);
  step(*session, "x", {1, 2}, "loss", 1);
  session->weightsToHost();
  const auto ids = session->getOptimizerStateIds();
  EXPECT_EQ(ids.size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool own = i == 0 || i == 3;
    const float first = own ? 0.25f : 0.5f, second = own ? 2 : 1; // rates; velocities are g, 1.5 g
    EXPECT_EQ(weights[i], (Floats{float(i) - first - 1.5f * second, -1 - 2 * first - 3 * second}))
        << names[i];
    ASSERT_EQ(ids.count(names[i]), 1u) << names[i];
    Floats velocity(2);
    WeightsIO io;
    io.insert(ids.at(names[i]).at("Accl1"), {velocity.data(), floats({2})});
    session->readWeights(io);
    EXPECT_EQ(velocity, (Floats{1.5f, 3})) << names[i];
  }
  EXPECT_NE(ids.at("w").at("Accl1"), "Accl1___w"); // the name was taken
}

// loss = sum(w x), and a rule that counts: w -= (1 + count) * gradient.
struct OwnRule {
  Floats w{1, 2}, count{0};

  Model model(bool readsInput = false) {
    Model m("own");
    const auto x = m.input("x", floats({2}));
    const auto weight = m.weight("w", floats({2}), w.data());
    const auto counter = m.weight("count", floats({}), count.data(), nullptr, ir::Role::Fixed);
    m.output(m.reduceSum(m.mul(weight, x), {0}, false), "loss");
    m.writeRule(true);
    const auto now = m.add(counter, 1);
    const auto change = m.mul(readsInput ? x : m.gradientOf(weight), now);
    m.update(weight, m.sub(weight, change));
    m.update(counter, now);
    m.writeRule(false);
    return m;
  }
  static std::unique_ptr<TrainingSession> session(Model m, const SessionOptions &options = {}) {
    return makeTrainingSession(std::move(m), flow("loss"), "loss", ConstSGD(1.0f), modelDevice(),
                               options);
  }
};

TEST(Model, MayHaveARuleOfUpdatesOfItsOwn) {
  for (const auto reduction : {ReductionType::Sum, ReductionType::Mean}) {
    OwnRule own;
    SessionOptions options;
    options.enableGradientAccumulation = true;
    options.accumulationFactor = 2;
    options.accumulationAndReplicationReductionType = reduction;
    const auto session = OwnRule::session(own.model(), options);
    session->prepareDevice();
    session->weightsFromHost();
    for (int i = 0; i < 2; ++i)
      step(*session, "x", {1, 2, 3, 6}, "loss", 2); // gradients (1, 2) and (3, 6)
    session->weightsToHost();
    const float times = reduction == ReductionType::Sum ? 1 : 0.5f;
    EXPECT_EQ(own.w, (Floats{1 - 3 * 4 * times, 2 - 3 * 8 * times}));
    EXPECT_EQ(own.count, Floats{2});
  }
}

TEST(Model, SaysWhatARuleOfUpdatesCannotDo) {
  OwnRule own;
  EXPECT_NE(
      messageOf([&] { OwnRule::session(own.model(true)); }).find("reads \"x\" of a micro-batch"),
      std::string::npos);
  EXPECT_EQ(messageOf([&] { makeInferenceSession(own.model(), flow("loss"), modelDevice()); }),
            "The model \"own\" has a rule of updates, which only a training session runs.");
  Model m("none");
  const auto w = m.weight("w", floats({2}), own.w.data());
  EXPECT_EQ(messageOf([&] { m.gradientOf(w); }),
            "The gradient of \"w\" is part of a rule of updates: writeRule(true) first.");
}

TEST(Model, SaysWhatDoesNotFit) {
  Floats w{1, 2};
  Model m("net");
  m.settings.name = "layer/act";
  const auto x = m.input("x", floats({2}));
  EXPECT_EQ(messageOf([&] { m.input("x", floats({3})); }),
            "Two tensors of the model \"net\" are called \"x\".");
  EXPECT_EQ(messageOf([&] { m.op("Rely", {x}); }),
            "There is no operator \"Rely\" (at \"layer/act\"). Did you mean \"Relu\"?");
  EXPECT_NE(messageOf([&] {
              m.matmul(x, m.constant(ir::HostTensor::of<float>({3}, {1, 2, 3})));
            }).find("layer/act"),
            std::string::npos);
  EXPECT_EQ(messageOf([&] { m.update(x, x); }),
            "\"x\" is no weight of the model \"net\", so that it cannot be updated.");
  EXPECT_EQ(messageOf([&] { m.body("b").weight("w", floats({2}), w.data()); }),
            "The body \"b\" cannot have a weight \"w\" of its own: hand it in as an input.");
  EXPECT_EQ(messageOf([&] { m.weight("w", floats({2}), nullptr); }),
            "The weight \"w\" has no values.");
  EXPECT_NE(messageOf([&] { m.op("If", {x}); }), "no error");
  EXPECT_EQ(m.info(m.op("ai.graphcore.Gelu", {x})), m.info(x));
}

// Inputs and weights keep their names; what they lead to as an output has a name of its own.
TEST(Model, GivesOutputsNames) {
  Model m;
  const auto x = m.input("x", floats({2}));
  const auto y = m.neg(x);
  m.output(y, "y");
  EXPECT_EQ(m.nameOf(y), "y");
  m.output(y, "again");
  m.output(x, "same");
  EXPECT_EQ(m.nameOf(y), "y");
  EXPECT_EQ(m.nameOf(x), "x");
  EXPECT_NE(messageOf([&] { m.output(m.neg(y), "same"); }), "no error");
  const auto session = makeInferenceSession(
      std::move(m), DataFlow(1, {{"again", AnchorReturnType("All")}}), modelDevice());
  session->prepareDevice();
  EXPECT_EQ(step(*session, "x", {1, 2}, "again", 2), (Floats{-1, -2}));
}

} // namespace popart::testing
