// SPDX-License-Identifier: MIT
// Connectionist temporal classification: log_probs [T, N, C] or [T, C], targets [N, S] padded.
#include "core/Elementwise.hpp"

namespace poptorch {

namespace {

// Lengths known now, or when it runs: INT32 [N].
Value lengths(Call &c, const char *name, std::int64_t n) {
  if (c.isTensor(name))
    return c.m.reshape(c.cast(c.in(name), DataType::INT32), {n});
  const auto known = c.integers(name);
  if (std::int64_t(known.size()) != n)
    c.fail("its argument \"", name, "\" has ", known.size(), " lengths for a batch of ", n, ".");
  return c.m.constant(HostTensor::fromIntegers({DataType::INT32, {n}}, known));
}

Values ctc(Call &c) {
  Value logs = c.in("log_probs"), targets = c.cast(c.in("targets"), DataType::INT32);
  if (c.rank(logs) == 2)
    logs = c.unsqueeze(logs, 1);
  const auto n = c.shapeOf(logs)[1];
  if (c.rank(targets) == 1 && n == 1)
    targets = c.unsqueeze(targets, 0);
  if (c.rank(targets) != 2)
    c.fail("its targets must be padded to one length, [", n,
           ", S]; targets one behind the other are not supported.");
  constexpr const char *words[] = {"NoReduction", "Mean", "Sum"};
  const auto reduction = c.integer("reduction");
  const Value y = c.m.ops(
      "Ctc", {logs, targets, lengths(c, "input_lengths", n), lengths(c, "target_lengths", n)}, 2,
      {{"blank", c.integer("blank")},
       {"reduction", std::string(words[std::size_t(reduction)])},
       {"zeroInfinity", std::int64_t(c.flag("zero_infinity"))}})[0];
  const Value shaped = c.m.reshape(y, c.shape());
  c.markLoss(shaped);
  return {shaped};
}

// log_probs [T, N, C] -> log-probabilities [N, top], lengths [N, top], paths [N, top, T]
Values decoder(Call &c) {
  const Value logs = c.in("probs");
  if (c.rank(logs) != 3)
    c.fail("its probabilities have ", c.rank(logs), " dimensions; they must be [T, N, C].");
  return c.m.ops("CtcBeamSearchDecoder", {logs, lengths(c, "lengths", c.shapeOf(logs)[1])}, 3,
                 {{"blank", c.integer("blank")},
                  {"beam_width", c.integer("beam_width")},
                  {"top_paths", c.integer("top_paths")}});
}

} // namespace

void addCtc(Registry &r) {
  r.add("ctc_loss", ctc);
  r.add("poptorch::ctc_beam_search_decoder", decoder);
}

} // namespace poptorch
