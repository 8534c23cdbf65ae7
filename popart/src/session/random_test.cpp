// SPDX-License-Identifier: MIT
// Random session options against a plain computation: whatever is combined, weights and anchors are
// those of one IPU without any of it, and those of a loop in double precision; or the combination
// is refused with words that name the options.
//
// Some networks make much of little: an update that is normalised, of a bias whose gradient is
// nothing but rounding because a batch norm follows, or steep steps. How much is measured, by the
// plain computation on inputs that differ in their last bits, and allowed. Where rounding is all
// that is left, the same is trained again in smaller steps.
//
// OPENIPU_SEEDS=first:count draws others than the default, for instance OPENIPU_SEEDS=1000:500, and
// lists what was refused.
#include "plainmlp.hpp"
#include "randomtrials.hpp"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace popart;
using namespace popart::testing;

namespace {

std::pair<unsigned, unsigned> seeds() {
  unsigned first = 1, count = 100;
  if (const char *given = std::getenv("OPENIPU_SEEDS");
      given && std::sscanf(given, "%u:%u", &first, &count) != 2)
    throw std::runtime_error("OPENIPU_SEEDS must be first:count, not " + std::string(given));
  return {first, count};
}

// Words that tell a user what to change.
bool namesOptions(const std::string &message) {
  for (const char *word :
       {"enablePipelining", "virtualGraphMode", "accumulationFactor", "batchesPerStep",
        "autoRecomputation", "enableGradientAccumulation", "replicatedGraphCount",
        "executionPhaseSettings", "TensorLocationSettings", "EveryN"})
    if (message.find(word) != std::string::npos)
      return true;
  return false;
}

Trained trainedTwice(RandomTrial &random, const Folder &folder) {
  auto &trial = random.trial;
  trial.attached = trial.options.enableEngineCaching = true;
  trial.options.cachePath = folder.file("cache");
  trained(trial); // and cached
  TrialRun warm(trial);
  auto out = warm.train();
  EXPECT_TRUE(isWarm(*warm.session));
  return out;
}

std::string refusal(RandomTrial &random, const Folder &folder, Trained &out) {
  try {
    out = random.cached ? trainedTwice(random, folder) : trained(random.trial);
  } catch (const internal_error &e) {
    ADD_FAILURE() << e.what();
  } catch (const error &e) {
    EXPECT_TRUE(namesOptions(e.what())) << e.what();
    return e.what();
  } catch (const std::exception &e) {
    ADD_FAILURE() << e.what();
  }
  return "";
}

// What a network makes of rounding: how far the plain computation goes when its inputs differ in
// their last bits, and for rounding of its own a few times as much.
Distances rounding(const RandomTrial &random, const Trained &want) {
  Distances out;
  for (const unsigned shaken : {1, 2, 3, 4}) {
    auto trial = plain(random.trial);
    trial.shaken = shaken;
    for (const auto &[what, distance] : compared(trial, trained(trial), want))
      out[what] = std::max({out[what], trialTolerance, 10 * distance});
  }
  return out;
}
bool areBelow(double most, const Distances &distances) {
  return std::all_of(distances.begin(), distances.end(),
                     [&](const auto &entry) { return entry.second < most; });
}

unsigned steep = 0; // trials that needed more room than the usual

// Whether something was tested; `why` it was refused, if it was.
bool isTested(RandomTrial &random, std::string &why) {
  Folder folder;
  Trained got;
  why = refusal(random, folder, got);
  if (!why.empty() || (got.weights.empty() && got.returned.empty()))
    return true;
  const auto want = trained(plain(random.trial));
  const auto same = compared(random.trial, got, want);
  Distances exact;
  if (PlainMlp::fits(random.trial))
    compare(exact, got, PlainMlp(random.trial, random.rates).train());
  if (areBelow(trialTolerance, same) && areBelow(trialTolerance, exact))
    return true;
  const auto allowed = rounding(random, want);
  if (!areBelow(0.1, allowed))
    return false;
  ++steep;
  expectSmall(same, allowed);
  expectSmall(exact, allowed);
  return true;
}

// Empty, or why the combination is refused.
std::string check(unsigned seed) {
  auto random = Draw(seed).run();
  SCOPED_TRACE("OPENIPU_SEEDS=" + std::to_string(seed) + ":1 is " + random.text);
  std::string why;
  for (int attempt = 0; !isTested(random, why); ++attempt) {
    if (attempt == 2) {
      ADD_FAILURE() << "rounding alone, however small the steps";
      break;
    }
    random.train(0.1f);
  }
  return why;
}

} // namespace

TEST(RandomOptions, TrainToTheWeightsOfThePlainLoop) {
  const auto [first, count] = seeds();
  std::map<std::string, unsigned> refused;
  unsigned all = 0;
  for (unsigned seed = first; seed < first + count; ++seed)
    if (const auto why = check(seed); !why.empty()) {
      ++refused[why];
      ++all;
    }
  EXPECT_LE(all, 1 + count / 4) << "most combinations are there";
  EXPECT_LE(steep, 1 + count / 100) << "most networks do not make much of rounding";
  if (std::getenv("OPENIPU_SEEDS"))
    for (const auto &[why, times] : refused)
      std::cout << "refused " << times << " times: " << why << '\n';
}
