// SPDX-License-Identifier: MIT
// Random arguments for random calls: sizes around every limit, tensors of another graph, of none
// and of every type, lists of any length. A call is taken, or refused with an exception of the
// interface. OPENIPU_RANDOM_SEED and OPENIPU_RANDOM_CALLS ask for other seeds and longer tests.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <random>
#include <string>
#include <vector>

namespace calls {

inline std::uint64_t setting(const char *name, std::uint64_t otherwise) {
  const char *text = std::getenv(name);
  return text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Calls {
public:
  using Refusal = std::function<bool(const std::exception &)>; // whether it is of the interface

  Calls(std::uint64_t seed, Refusal refusal)
      : random_(seed), refusal_(std::move(refusal)), device(smallDevice()),
        graph(device.getTarget()), other(device.getTarget()), set(graph.addComputeSet("set")) {
    for (unsigned i = 0; i < 8; ++i)
      keep(variable());
    auto foreign = other.addVariable(poplar::FLOAT, {4}, "foreign");
    other.setTileMapping(foreign, 0);
    tensors_.push_back(foreign);
    tensors_.push_back(poplar::Tensor());
  }

  std::size_t below(std::size_t n) { return n ? random_() % n : 0; }
  bool oneIn(unsigned n) { return below(n) == 0; }
  std::size_t size() {
    static constexpr std::size_t large[] = {std::size_t(1) << 31, std::size_t(1) << 32,
                                            std::size_t(1) << 62, ~std::size_t(0)};
    return oneIn(12) ? large[below(std::size(large))] : below(6);
  }
  unsigned number() { return unsigned(size()); }
  unsigned dim() { return oneIn(20) ? number() : unsigned(below(4)); }
  std::vector<std::size_t> sizes(std::size_t longest = 5) {
    std::vector<std::size_t> out(below(longest));
    for (auto &one : out)
      one = size();
    return out;
  }
  template <class T> std::vector<T> numbers(std::size_t longest = 5) {
    std::vector<T> out;
    for (auto one : sizes(longest))
      out.push_back(T(one));
    return out;
  }
  std::vector<std::size_t> smallShape() {
    std::vector<std::size_t> out(below(4));
    for (auto &one : out)
      one = oneIn(12) ? 0 : 1 + below(5);
    return out;
  }
  poplar::Type type() {
    static const poplar::Type types[] = {poplar::FLOAT,  poplar::FLOAT,  poplar::FLOAT,
                                         poplar::HALF,   poplar::INT,    poplar::UNSIGNED_INT,
                                         poplar::BOOL,   poplar::CHAR,   poplar::UNSIGNED_SHORT,
                                         poplar::DOUBLE, poplar::Type(), poplar::LONGLONG,
                                         poplar::QUARTER};
    return types[below(std::size(types))];
  }
  poplar::Type usualType() {
    static const poplar::Type types[] = {poplar::FLOAT, poplar::FLOAT,        poplar::HALF,
                                         poplar::INT,   poplar::UNSIGNED_INT, poplar::BOOL};
    return types[below(std::size(types))];
  }
  // Mostly one of a few elements that is mapped.
  poplar::Tensor variable() {
    auto out = graph.addVariable(usualType(), smallShape());
    if (!oneIn(10))
      graph.setTileMapping(out, unsigned(below(4)));
    return out;
  }
  const poplar::Tensor &tensor() { return works(tensors_[below(tensors_.size())]); }
  // A tensor that the call works on: many elements make it one that does not run.
  const poplar::Tensor &works(const poplar::Tensor &t) {
    small_ = small_ && isSmall(t);
    return t;
  }
  std::vector<poplar::Tensor> someTensors() {
    std::vector<poplar::Tensor> out(below(4));
    for (auto &one : out)
      one = tensor();
    return out;
  }
  // Results take part in later calls.
  void keep(const poplar::Tensor &t) {
    if (tensors_.size() < 60)
      tensors_.push_back(t);
    else
      tensors_[10 + below(50)] = t;
  }
  static bool isSmall(const poplar::Tensor &t) {
    if (!t.valid())
      return false;
    std::size_t elements = 1; // of results too, which may leave out an extent of 0
    for (auto extent : t.shape())
      elements *= std::max<std::size_t>(1, extent);
    return elements < (std::size_t(1) << 16);
  }

  // A call puts what it programs into `step`; it runs later if no tensor is too large for that.
  void call(const char *name, const std::function<void()> &f) {
    step = poplar::program::Sequence();
    small_ = true;
    try {
      f();
      if (small_)
        steps_.push_back(step);
      ++taken;
    } catch (const std::exception &error) {
      ++refused;
      EXPECT_TRUE(refusal_(error)) << name << " ended in another exception: " << error.what();
      EXPECT_GT(std::string(error.what()).size(), 20u) << name << " says too little";
      EXPECT_LT(std::string(error.what()).size(), 20000u) << name << " says too much";
    }
  }

  // What was built compiles and runs, or is refused; then some steps at a time, as one that is
  // wrong keeps all others from running.
  void compileAndRun() {
    if (runs(0, steps_.size()))
      return;
    constexpr std::size_t some = 8;
    for (std::size_t first = 0; first < steps_.size(); first += some)
      runs(first, std::min(first + some, steps_.size()));
  }

private:
  bool runs(std::size_t first, std::size_t last) {
    auto whole = program;
    for (auto i = first; i < last; ++i)
      whole.add(steps_[i]);
    const auto before = taken;
    call("Engine", [&] {
      small_ = false; // it is no step itself
      poplar::Engine engine(graph, whole);
      engine.load(device);
      engine.run();
    });
    return taken > before;
  }
  static poplar::Device smallDevice() {
    poplar::IPUModel model;
    model.tilesPerIPU = 4;
    return model.createDevice();
  }
  std::mt19937_64 random_;
  Refusal refusal_;
  std::vector<poplar::Tensor> tensors_;
  std::vector<poplar::program::Sequence> steps_;
  bool small_ = true;

public:
  poplar::Device device;
  poplar::Graph graph, other;
  poplar::ComputeSet set;
  poplar::program::Sequence program, step; // program: runs before all steps
  unsigned taken = 0, refused = 0;
};

struct Choice {
  const char *name;
  std::function<void(Calls &)> make;
};

// Rounds of calls on fresh graphs; both outcomes must be seen often.
inline void run(const std::vector<Choice> &choices, unsigned rounds,
                const Calls::Refusal &refusal) {
  const auto first = setting("OPENIPU_RANDOM_SEED", 1);
  const auto perRound = 150u;
  rounds = unsigned(setting("OPENIPU_RANDOM_CALLS", rounds * perRound) / perRound);
  unsigned taken = 0, refused = 0;
  for (std::uint64_t seed = first; seed < first + rounds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Calls calls(seed, refusal);
    for (unsigned i = 0; i < perRound; ++i) {
      const auto &choice = choices[calls.below(choices.size())];
      calls.call(choice.name, [&] { choice.make(calls); });
    }
    calls.compileAndRun();
    taken += calls.taken;
    refused += calls.refused;
  }
  EXPECT_GT(taken, rounds * perRound / 10);
  EXPECT_GT(refused, rounds * perRound / 10);
}

} // namespace calls
