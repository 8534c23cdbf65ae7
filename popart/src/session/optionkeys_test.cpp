// SPDX-License-Identifier: MIT
#include "session/optionkeys.hpp"
#include <gtest/gtest.h>

using namespace popart;
using namespace popart::session;

namespace {

std::string keyOf(const SessionOptions &options) {
  Hasher h;
  addProgramOptions(h, options);
  addModelOptions(h, options);
  return h.hex();
}

// Gives a simple option another value.
bool change(bool &value) { return value = !value, true; }
bool change(std::string &value) { return value += "x", true; }
bool change(CommGroup &value) { return value = {CommGroupType::Consecutive, 2}, true; }
bool change(TensorLocation &value) { return value.storage = TensorStorage::OffChip, true; }
template <class T> bool change(T &value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value += 1, true;
  else if constexpr (std::is_enum_v<T>)
    return value = T(int(value) + 1), true;
  return false;
}

} // namespace

TEST(OptionKeys, HaveTheOptionsThatTheTableSays) {
  const auto usual = keyOf(SessionOptions());
  EXPECT_EQ(keyOf(SessionOptions()), usual);
  unsigned changed = 0;
  const auto look = [&](option::Key key, const char *name, auto &&changes) {
    SessionOptions options;
    if (!changes(options))
      return;
    ++changed;
    EXPECT_EQ(keyOf(options) != usual, key == option::Key::Program || key == option::Key::Model)
        << name;
  };
#define OPTION(member, key, use, text, ...)                                                        \
  look(option::Key::key, #member, [](SessionOptions &o) { return change(o.member); });
#define OPTION_PART(owner, member, key, use, text)                                                 \
  look(option::Key::key, #owner "." #member,                                                       \
       [](SessionOptions &o) { return change(o.owner.member); });
#include "openipu/SessionOptions.def"
  EXPECT_GT(changed, 100u);
}

TEST(OptionKeys, HaveEveryMemberOfALocation) {
  const auto usual = keyOf(SessionOptions());
  const auto look = [&](const char *name, auto &&change) {
    SessionOptions options;
    ASSERT_TRUE(change(options.weightTensorLocationSettings)) << name;
    EXPECT_NE(keyOf(options), usual) << name;
  };
  const auto changed = []<class T>(auto &settings, auto T::*member) {
    if constexpr (std::is_same_v<T, TensorLocation>)
      return change(settings.location.*member);
    else
      return change(settings.*member);
  };
#define LOCATION_MEMBER(of, member, text)                                                          \
  look(#member, [&](TensorLocationSettings &s) { return changed(s, &of::member); });
#include "openipu/LocationSettings.def"
}

TEST(OptionKeys, HaveMapsListsAndSettings) {
  const auto usual = keyOf(SessionOptions());
  const auto with = [](auto change) {
    SessionOptions options;
    change(options);
    return keyOf(options);
  };
  using O = SessionOptions;
  EXPECT_NE(with([](O &o) { o.matmulOptions["partialsType"] = "half"; }), usual);
  EXPECT_NE(with([](O &o) { o.matmulOptions["partialsType"] = "half"; }),
            with([](O &o) { o.convolutionOptions["partialsType"] = "half"; }));
  EXPECT_NE(with([](O &o) { o.virtualGraphSplitRatios = {0.5f, 0.5f}; }), usual);
  EXPECT_NE(with([](O &o) { o.hardwareInstrumentations = {Instrumentation::Inner}; }), usual);
  EXPECT_NE(with([](O &o) { o.weightTensorLocationSettings.minElementsForOffChip = 7; }), usual);
  EXPECT_NE(with([](O &o) { o.tensorLocationSettingsOverride["w"] = TensorLocation(); }), usual);
  EXPECT_NE(with([](O &o) { o.automaticLossScalingSettings.updatePeriod = 3; }), usual);
  EXPECT_NE(with([](O &o) {
              o.automaticLossScalingSettings.toTrackTensors = std::vector<TensorId>{"x"};
            }),
            usual);
  EXPECT_NE(with([](O &o) { o.executionPhaseSettings.stages = 1; }), usual);
  EXPECT_EQ(with([](O &o) { o.reportOptions["showVarStorage"] = "true"; }), usual);
}
