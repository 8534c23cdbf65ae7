// SPDX-License-Identifier: MIT
// The generic loop: a body that sums its inputs, forward, backward, in shards, with lengths known
// at run time, and gathered.
#include "popnn/Rnn.hpp"
#include "popops/ElementWise.hpp"
#include "popops/Reduce.hpp"
#include "poputil/exceptions.hpp"
#include "Session.hpp"

using namespace popnn;
using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;

namespace {

// state := state + input (only elements that run); output := state; interim := 2 * input
Sequence accumulate(poplar::Graph &graph, const rnn::TimeStepState &,
                    const rnn::RnnBatchwiseFlags &flags, std::vector<Tensor> &state,
                    rnn::RnnSlice &slice, std::vector<Tensor> &, Sequence *,
                    const poplar::DebugNameAndId &dnai) {
  Sequence prog;
  auto in = slice.inputs[0];
  if (flags.valid())
    in = popops::mul(graph, in, flags.mask.expand({1}), prog, {dnai});
  state[0] = popops::add(graph, state[0], in, prog, {dnai});
  slice.outputs = {state[0]};
  slice.interimOut = popops::mul(graph, in, 2.f, prog, {dnai});
  return prog;
}

TEST(RnnLoop, StatesAreCarriedThroughEveryStepInEitherDirection) {
  struct Run {
    bool reverse;
    std::size_t output, interim, sequence, state;
  };
  Session s;
  const std::size_t steps = 6, batch = 2, size = 3;
  const auto x = s.integers(steps * batch * size, -9, 9);
  std::vector<Run> runs;
  for (bool reverse : {false, true})
    for (unsigned shards : {1u, 2u, 4u})
      for (auto reuse : {"false", "true"}) {
        rnn::RnnParams p(FLOAT, batch, steps, {size, size});
        auto in = rnn::createInputTensor(s.graph, p, shards);
        auto out = rnn::createOutputTensor(s.graph, p, shards),
             kept = rnn::createOutputTensor(s.graph, p, shards);
        auto init = rnn::createInitialState(s.graph, p, true, 1, shards);
        s.set(in, x);
        s.set(init, Doubles(6, 100));
        Tensor interim;
        poplar::OptionFlags options{{"codeReuse", reuse}};
        auto state = rnn::Rnn(s.graph, p, reverse, {init}, {kept, 0}, {in}, nullptr, &interim,
                              {out}, {}, s.prog, accumulate, shards, options, "loop");
        runs.push_back(
            {reverse, s.output(out), s.output(interim), s.output(kept), s.output(state.at(0))});
      }
  s.run();
  for (const auto &r : runs) {
    Doubles sum(6, 100), expected(x.size()), twice;
    for (std::size_t i = 0; i < steps; ++i) {
      const auto t = r.reverse ? steps - 1 - i : i;
      for (std::size_t k = 0; k < 6; ++k)
        expected[t * 6 + k] = sum[k] += x[t * 6 + k];
    }
    for (double v : x)
      twice.push_back(2 * v);
    EXPECT_EQ(s.values(r.output), expected);
    EXPECT_EQ(s.values(r.sequence), expected);
    EXPECT_EQ(s.values(r.interim), twice);
    EXPECT_EQ(s.values(r.state), sum);
  }
}

TEST(RnnLoop, LengthsKnownAtRunTimeEndTheLoop) {
  Session s;
  const std::size_t steps = 5, batch = 2;
  const auto x = s.integers(steps * batch, 1, 9);
  struct Run {
    std::vector<std::size_t> lengths;
    bool reverse;
    std::size_t output, state;
  };
  std::vector<Run> runs;
  for (auto lengths : {std::vector<std::size_t>{3}, {2, 4}, {5, 0}, {0, 0}})
    for (bool reverse : {false, true})
      for (unsigned shards : {1u, 2u}) {
        auto t = s.input(poplar::UNSIGNED_INT, {lengths.size()},
                         Doubles(lengths.begin(), lengths.end()));
        if (lengths.size() == 1)
          t = t.reshape({});
        rnn::RnnParams p(FLOAT, batch, steps, t, {1, 1});
        auto in = rnn::createInputTensor(s.graph, p, shards);
        auto out = rnn::createOutputTensor(s.graph, p, shards);
        auto init = rnn::createInitialState(s.graph, p, true, 1, shards);
        s.set(in, x);
        s.set(init, {0, 0});
        poplar::OptionFlags options;
        auto state = rnn::Rnn(s.graph, p, reverse, {init}, {}, {in}, nullptr, nullptr, {out}, {},
                              s.prog, accumulate, shards, options, "loop");
        runs.push_back({lengths, reverse, s.output(out), s.output(state.at(0))});
      }
  s.run();
  for (const auto &r : runs) {
    const auto loop = *std::max_element(r.lengths.begin(), r.lengths.end());
    Doubles sum(2, 0), expected(10, 0);
    for (std::size_t i = 0; i < loop; ++i) {
      const auto t = r.reverse ? loop - 1 - i : i;
      for (std::size_t e = 0; e < 2; ++e) {
        if (t < r.lengths[r.lengths.size() == 1 ? 0 : e])
          sum[e] += x[t * 2 + e];
        expected[t * 2 + e] = sum[e];
      }
    }
    EXPECT_EQ(s.values(r.output), expected);
    EXPECT_EQ(s.values(r.state), sum);
  }
}

TEST(RnnLoop, GatheredStepsSeeTheirInputsAndTemporaries) {
  Session s;
  const std::size_t steps = 6, batch = 2;
  const auto x = s.integers(steps * batch, 1, 9), y = s.integers(steps * batch, 1, 9);
  rnn::RnnParams p(FLOAT, batch, steps, {1, 1});
  auto in = s.input(FLOAT, {steps, batch, 1}, x), other = s.input(FLOAT, {steps, batch, 1}, y);
  auto init = s.input(FLOAT, {batch, 1}, {0, 0});
  auto sum = s.input(FLOAT, {}, {0});
  auto loop = [](poplar::Graph &graph, const rnn::TimeStepState &, const rnn::RnnBatchwiseFlags &,
                 std::vector<Tensor> &state, rnn::RnnSlice &slice, std::vector<Tensor> &,
                 Sequence *, const poplar::DebugNameAndId &dnai) {
    Sequence prog;
    state[0] = popops::add(graph, state[0], slice.interimIn, prog, {dnai});
    slice.outputs = {popops::mul(graph, slice.inputs[0], 10.f, prog, {dnai})};
    return prog;
  };
  auto gather = [&](poplar::Graph &graph, const rnn::RnnSlice &slice, unsigned count, Sequence *,
                    const poplar::DebugNameAndId &dnai) {
    EXPECT_EQ(slice.inputs[0].shape(), (Shape{count, batch, 1}));
    EXPECT_EQ(slice.outputs[0].shape(), (Shape{count, batch, 1}));
    Sequence prog;
    auto both = popops::mul(graph, slice.inputs[0], slice.outputs[0], prog, {dnai});
    popops::addInPlace(graph, sum,
                       popops::reduce(graph, both, {0, 1, 2}, popops::Operation::ADD, prog), prog,
                       {dnai});
    return prog;
  };
  poplar::OptionFlags options;
  auto state = rnn::Rnn(s.graph, p, {init}, {}, {in}, in, 1, s.prog, loop, {other}, gather, 2, 3,
                        options, "g");
  const auto a = s.output(sum), b = s.output(state.at(0));
  s.run();
  double expected = 0;
  Doubles total(2, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    expected += 10 * x[i] * y[i];
    total[i % 2] += x[i];
  }
  EXPECT_EQ(s.values(a), Doubles{expected});
  EXPECT_EQ(s.values(b), total);
  EXPECT_THROW(rnn::Rnn(s.graph, p, {init}, {}, {in}, in, 1, s.prog, loop, {other}, gather, 2, 2,
                        options, "g"),
               poputil::poplibs_error);
}

TEST(RnnTensors, ShiftedSequencesBeginWithTheGivenStep) {
  Session s;
  rnn::RnnParams p(FLOAT, 2, 3, {4, 1});
  auto base = rnn::createOutputTensor(s.graph, p, 1);
  s.set(base, {1, 2, 3, 4, 5, 6});
  auto first = s.input(FLOAT, {2, 1}, {8, 9});
  EXPECT_EQ(s.run(rnn::shiftRnnTensor(s.graph, p, base, first, s.prog, 1)),
            (Doubles{8, 9, 1, 2, 3, 4}));
  EXPECT_EQ(rnn::createOutputTensor(s.graph, p, 2, 1).shape(), (Shape{6, 2, 1}));
}

TEST(RnnTensors, ShardsTakeTilesOfTheirOwn) {
  Session s;
  rnn::RnnParams p(FLOAT, 2, 8, {32, 32}); // 64 elements a step: 4 of 16 tiles
  EXPECT_EQ(p.getMaxShards(s.graph), 4u);
  EXPECT_EQ(p.getInputBytesPerTile(s.graph), 16u * 8 * 4);
  auto t = rnn::createInputTensor(s.graph, p, 2);
  const auto mapping = s.graph.getTileMapping(t);
  for (unsigned tile = 0; tile < 16; ++tile) {
    std::size_t elements = 0;
    for (const auto &interval : mapping[tile])
      elements += interval.size();
    EXPECT_EQ(elements, tile < 8 ? 64u : 0u);
  }
}

} // namespace
