// SPDX-License-Identifier: MIT
// What users may ask of a session's passes by environment variables.
#include "sessions.hpp"
#include <cstdlib>
#include <sstream>

using namespace popart;
using namespace popart::testing;

namespace {

struct Variable { // of the environment, while it lives
  Variable(const char *name, const std::string &value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  const char *name_;
};
constexpr const char *skipPasses = "OPENIPU_POPART_SKIP_PASSES";

// Two layers with what the passes look for: nodes that do nothing or twice the same, a Gelu that is
// written out, activations in front of nothing, a factor behind a product.
struct Net {
  std::unique_ptr<Builder> builder = Builder::create();
  TensorId x, y, loss;
  Net() {
    auto ops = builder->aiOnnxOpset11();
    x = builder->addInputTensor("FLOAT", Shape{4, 6}, "x");
    const auto number = [&](float value) {
      return ops.constant(ConstVoidData(&value, TensorInfo(DataType::FLOAT, Shape{})));
    };
    auto h = ops.matmul({x, weights("w0", {6, 8})});
    h = ops.add({ops.identity({h}), weights("b0", {8})});
    h = ops.mul({ops.mul({h, number(0.5f)}),
                 ops.add({ops.erf({ops.div({h, number(1.41421356f)})}), number(1)})});
    h = ops.add({ops.tanh({h}), ops.tanh({h})});
    y = ops.mul({ops.matmul({h, weights("w1", {8, 3})}), number(0.25f)});
    loss = builder->aiGraphcoreOpset1().l1loss({y}, 0.1f, ReductionType::Sum);
  }
  TensorId weights(const std::string &name, const Shape &shape) const {
    Floats values(std::size_t(TensorInfo(DataType::FLOAT, shape).nelms()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = 0.3f * std::sin(float(i + 7 * name.size() + std::size_t(name.back())));
    return addWeights(*builder, values, shape, name);
  }
  Floats in() const {
    Floats out(24);
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = std::cos(float(i));
    return out;
  }
  Floats inferred() const {
    auto session = InferenceSession::createFromOnnxModel(
        builder->getModelProto(), DataFlow(1, {{y, AnchorReturnType("All")}}), modelDevice());
    session->prepareDevice();
    session->weightsFromHost();
    return step(*session, x, in(), y, 12);
  }
  Floats trained() const {
    auto session = TrainingSession::createFromOnnxModel(builder->getModelProto(),
                                                        DataFlow(1, {{y, AnchorReturnType("All")}}),
                                                        loss, ConstSGD(0.1f), modelDevice());
    session->prepareDevice();
    session->weightsFromHost();
    step(*session, x, in(), y, 12);
    return step(*session, x, in(), y, 12);
  }
};

std::string refusal(const char *variable, const std::string &value) {
  const Variable set(variable, value);
  try {
    Net().inferred();
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}

// What a refusal lists behind these words.
std::vector<std::string> listed(const std::string &message, const std::string &words) {
  std::vector<std::string> out;
  const auto begin = message.find(words + "[") + words.size() + 1;
  std::istringstream list(message.substr(begin, message.find(']', begin) - begin));
  for (std::string name; std::getline(list, name, ',');)
    out.push_back(name.substr(name[0] == ' '));
  return out;
}

void expectClose(const Floats &a, const Floats &b, const std::string &what) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-5) << what;
}

} // namespace

TEST(SessionPasses, EveryOptionalPassCanBeLeftOut) {
  const auto message = refusal(skipPasses, "place");
  EXPECT_NE(message.find("the pass \"place\" cannot be left out"), std::string::npos) << message;
  const auto optional = listed(message, "Those that can are ");
  EXPECT_GE(optional.size(), 15u) << message;
  const Net net;
  const auto inferred = net.inferred(), trained = net.trained();
  std::string all;
  for (const auto &name : optional)
    all += name + ",";
  auto cases = optional;
  cases.push_back(all);
  for (const auto &names : cases) {
    const Variable skip(skipPasses, names);
    expectClose(net.inferred(), inferred, names);
    expectClose(net.trained(), trained, names);
  }
}

TEST(SessionPasses, UnknownNamesAreRefused) {
  for (const char *variable : {skipPasses, "OPENIPU_POPART_DUMP_PASSES"}) {
    const auto message = refusal(variable, "fuse,outlin");
    EXPECT_TRUE(message.starts_with(std::string(variable) + ": there is no pass \"outlin\". Did "
                                                            "you mean \"outline\"?"))
        << message;
    EXPECT_GE(listed(message, "The passes are ").size(), 30u) << message;
  }
}

TEST(SessionPasses, DumpsShowWhatAPassDid) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("openipu-dumps-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const Variable dump("OPENIPU_POPART_DUMP_PASSES", "join gelus"),
      where("OPENIPU_DUMP_DIR", folder.string());
  Net().inferred();
  std::map<std::string, std::string> texts;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream in(entry.path());
    const auto name = entry.path().filename().string();
    texts[name.substr(name.find('.') + 1)].assign(std::istreambuf_iterator<char>(in), {});
  }
  std::filesystem::remove_all(folder);
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_NE(texts["08-join-gelus.before.txt"].find(" = Erf("), std::string::npos);
  EXPECT_NE(texts["08-join-gelus.after.txt"].find(" = GeluErf("), std::string::npos);
}

TEST(SessionPasses, GraphsAreCheckedAfterEachPassIfAskedFor) {
  const Variable check("OPENIPU_CHECK_PASSES", "1");
  Net().inferred();
  Net().trained();
}
