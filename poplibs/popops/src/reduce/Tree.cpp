// SPDX-License-Identifier: MIT
#include "reduce/Tree.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Plan.hpp"
#include <algorithm>
#include <cmath>

namespace popops::reduction {
namespace {

struct Price {
  std::uint64_t cycles = 0;
  double messages = 0; // received, per tile of the IPU
};

class Chooser {
public:
  Chooser(const poplar::Target &target, const TreeProblem &p) : target_(target), p_(p) {}

  std::vector<Level> best() {
    consider({});
    for (unsigned stages = 1; stages <= mostStages; ++stages)
      for (std::uint64_t grain = 1; grain <= mostGrain; grain *= 2)
        consider(levels(stages, grain));
    const auto fewest = std::min_element(tried_.begin(), tried_.end(), [](auto &a, auto &b) {
      return a.price.cycles < b.price.cycles;
    });
    const auto limit = double(fewest->price.cycles) * (1 + tolerance);
    const auto chosen = std::min_element(tried_.begin(), tried_.end(), [&](auto &a, auto &b) {
      const bool okA = double(a.price.cycles) <= limit, okB = double(b.price.cycles) <= limit;
      return okA != okB ? okA : a.price.messages < b.price.messages;
    });
    return std::move(chosen->levels);
  }

private:
  static constexpr unsigned mostStages = 3;
  static constexpr std::uint64_t mostGrain = 256;
  static constexpr double tolerance = 0.15;
  struct Tried {
    std::vector<Level> levels;
    Price price;
  };

  // Each stage, the last included, takes about as many partial results.
  std::vector<Level> levels(unsigned stages, std::uint64_t grain) const {
    std::vector<Level> out;
    auto sources = p_.sources;
    for (unsigned left = stages; left > 0; --left) {
      const auto fanIn = std::uint64_t(std::ceil(std::pow(double(sources), 1.0 / (left + 1))));
      if (fanIn < 2)
        break;
      out.push_back({fanIn, grain});
      sources = base::ceilDiv(sources, fanIn);
    }
    return out;
  }

  void consider(std::vector<Level> levels) {
    auto price = priceOf(levels);
    tried_.push_back({std::move(levels), price});
  }

  Price priceOf(const std::vector<Level> &levels) const {
    Price price;
    auto sources = p_.sources, held = p_.held;
    for (const auto &level : levels) {
      const auto groups = base::ceilDiv(sources, level.fanIn), results = p_.outputs * groups;
      const auto used = std::min<std::uint64_t>(p_.tiles, base::ceilDiv(results, level.grain));
      const auto each = base::ceilDiv(results, used);
      // What one tile holds arrives in one message; more results have other sources.
      const auto in = level.fanIn * base::ceilDiv(each, held), out = base::ceilDiv(held, each);
      price.cycles +=
          openipu::syncCycles(target_) +
          openipu::exchangeCycles(target_, each * level.fanIn * p_.partialBytes,
                                  held * p_.partialBytes, std::uint32_t(in), std::uint32_t(out)) +
          p_.vertices(each, level.fanIn);
      price.messages += double(used * in) / p_.tiles;
      sources = groups;
      held = each;
    }
    price.cycles += p_.last(sources, held);
    price.messages += double(p_.lastTiles * sources) / p_.tiles;
    return price;
  }

  const poplar::Target &target_;
  const TreeProblem &p_;
  std::vector<Tried> tried_;
};

} // namespace

std::vector<Level> chooseTree(const poplar::Target &target, const TreeProblem &problem) {
  return Chooser(target, problem).best();
}

} // namespace popops::reduction
