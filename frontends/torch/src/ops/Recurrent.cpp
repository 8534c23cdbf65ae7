// SPDX-License-Identifier: MIT
// LSTM, GRU and plain recurrent layers over a sequence [time, batch, in]: layers one after the
// other, in one or both directions. Parameters are views of torch's, so gradients reach them.
//   lstm  i, f, o = sigmoid, g = tanh of W x + U h + b;   c = f * c + i * g;   h = o * tanh(c)
//   gru   r, z = sigmoid;   n = tanh(W x + b + r * (U h + b'));   h = (1 - z) * n + z * h
//   rnn   h = tanh or relu of W x + U h + b
// Packed sequences and projections are taken apart before this, by python/poptorch/packed.py.
#include "core/Call.hpp"

namespace poptorch {

namespace {

struct Cell {
  const char *layer; // the operator of one direction
  std::int64_t gates;
  std::vector<std::string> activations;
  std::string order; // of the gates, in torch
  bool hasCellState, separateBiases;
};

const Cell lstmCell{"LstmLayer", 4, {"sigmoid", "tanh"}, "ifco", true, false};
const Cell gruCell{"GruLayer", 3, {"sigmoid", "tanh"}, "ruc", false, true};
const Cell tanhCell{"RnnLayer", 1, {"tanh"}, "", false, false};
const Cell reluCell{"RnnLayer", 1, {"relu"}, "", false, false};

struct Parameters { // of one layer and direction
  Value input, state, inputBias = none, stateBias = none;
};

// Layer after layer, direction after direction: w_ih, w_hh, then b_ih, b_hh if there are biases.
std::vector<Parameters> parametersOf(Call &c, std::int64_t count) {
  const Values all = c.list("params");
  const bool biases = c.flag("has_biases");
  const std::size_t each = biases ? 4 : 2;
  if (all.size() != each * std::size_t(count))
    c.fail("it has ", all.size(), " parameters, not ", each * std::size_t(count), ".");
  std::vector<Parameters> out;
  for (std::size_t i = 0; i < all.size(); i += each)
    out.push_back({all[i], all[i + 1], biases ? all[i + 2] : none, biases ? all[i + 3] : none});
  return out;
}

// [gates * h, n] -> [gates, n, h]
Value matrices(const Call &c, Value w, std::int64_t gates, DataType type) {
  const Shape shape = c.shapeOf(w);
  const Value split = c.m.reshape(c.cast(w, type), {gates, shape[0] / gates, shape[1]});
  return c.m.transpose(split, {0, 2, 1});
}
// [gates, h], or [gates, 2, h] with those of input and state apart.
Value biasesOf(const Call &c, const Cell &cell, const Parameters &p, DataType type) {
  const auto h = c.shapeOf(p.state)[1];
  if (p.inputBias == none)
    return c.full(cell.separateBiases ? Shape{cell.gates, 2, h} : Shape{cell.gates, h}, 0, type);
  const Value a = c.cast(p.inputBias, type), b = c.cast(p.stateBias, type);
  if (!cell.separateBiases)
    return c.m.reshape(c.m.add(a, b), {cell.gates, h});
  return c.concat({c.m.reshape(a, {cell.gates, 1, h}), c.m.reshape(b, {cell.gates, 1, h})}, 1);
}

// Row i of [n, batch, h] as [batch, h].
Value row(const Call &c, Value v, std::int64_t i) { return c.squeeze(c.slice(v, 0, i, i + 1), 0); }

// y [time, batch, h], the last state and the last cell state of one direction.
Values direction(const Call &c, const Cell &cell, Value x, const Parameters &p,
                 const Values &states, bool reverse) {
  const auto type = c.m.type(x);
  Values inputs{x, matrices(c, p.input, cell.gates, type), matrices(c, p.state, cell.gates, type),
                biasesOf(c, cell, p, type), none};
  inputs.insert(inputs.end(), states.begin(), states.end());
  Attributes attributes{{"activations", cell.activations}, {"reverse", std::int64_t(reverse)}};
  if (!cell.order.empty())
    attributes.set("order", cell.order);
  const unsigned saved = cell.order.empty() ? 0 : 1; // for the gradient
  Values out = c.m.ops(cell.layer, inputs, 1 + unsigned(states.size()) + saved, attributes);
  out.resize(1 + states.size());
  return out;
}

// The initial states [layers * directions, batch, h]: h, and c of an LSTM.
Values initialStates(Call &c, const Cell &cell, DataType type) {
  Values out = cell.hasCellState ? c.list("hx") : Values{c.in("hx")};
  for (auto &v : out)
    v = c.cast(v, type);
  return out;
}

Values recurrent(Call &c, const Cell &cell) {
  Value x = c.in("input");
  const bool batchFirst = c.flag("batch_first"), both = c.flag("bidirectional");
  const auto layers = c.integer("num_layers"), directions = std::int64_t(both ? 2 : 1);
  const double dropout = c.flag("train") ? c.real("dropout") : 0;
  if (batchFirst)
    x = c.m.transpose(x, {1, 0, 2});
  const auto parameters = parametersOf(c, layers * directions);
  const Values initial = initialStates(c, cell, c.m.type(x));
  std::vector<Values> last(initial.size());
  for (std::int64_t l = 0; l < layers; ++l) {
    if (l > 0 && dropout > 0)
      x = c.m.op("Dropout", {x}, {{"ratio", float(dropout)}});
    Values sequences;
    for (std::int64_t d = 0; d < directions; ++d) {
      const auto at = l * directions + d;
      Values states;
      for (Value v : initial)
        states.push_back(row(c, v, at));
      const auto made = direction(c, cell, x, parameters[std::size_t(at)], states, d == 1);
      sequences.push_back(made[0]);
      for (std::size_t i = 0; i < last.size(); ++i)
        last[i].push_back(c.unsqueeze(made[i + 1], 0));
    }
    x = c.concat(sequences, 2);
  }
  Values out{batchFirst ? c.m.transpose(x, {1, 0, 2}) : x};
  for (const auto &rows : last)
    out.push_back(c.concat(rows, 0));
  return out;
}

} // namespace

void addRecurrent(Registry &r) {
  r.add("lstm", [](Call &c) { return recurrent(c, lstmCell); });
  r.add("gru", [](Call &c) { return recurrent(c, gruCell); });
  r.add("rnn_tanh", [](Call &c) { return recurrent(c, tanhCell); });
  r.add("rnn_relu", [](Call &c) { return recurrent(c, reluCell); });
}

} // namespace poptorch
