// SPDX-License-Identifier: MIT
// Recurrent layers of Keras over a sequence [time, batch, in], through popnn's fused kernels.
// Kernels are [in, gates * units] and [units, gates * units], gates in Keras' order:
//   LSTM  i, f, c, o;   biases [4 * units]
//   GRU   z, r, h;      biases [3 * units], or [2, 3 * units] if the reset gate works on the
//   product RNN   one
// Results: all outputs [time, batch, units], then the last states. Attribute reverse: from the end
// of the sequence; outputs stay where their inputs are.
#include "core/Call.hpp"

namespace tensorflow {

namespace {

struct Cell {
  const char *layer;
  std::int64_t gates;
  std::size_t states;
  const char *order; // of the gates
  unsigned saved;    // results for the gradient alone
};

const Cell lstm{"LstmLayer", 4, 2, "ifco", 1};
const Cell gru{"GruLayer", 3, 1, "urc", 1};
const Cell simple{"RnnLayer", 1, 1, nullptr, 0};

// [n, gates * units] -> [gates, n, units]
Value matrices(const Call &c, Value w, std::int64_t gates) {
  const Shape shape = c.shapeOf(w);
  return c.m.transpose(c.m.reshape(w, {shape[0], gates, shape[1] / gates}), {1, 0, 2});
}

// [gates, units], or [gates, 2, units] of input and state
Value biases(const Call &c, Value b, std::int64_t gates) {
  const Shape shape = c.shapeOf(b);
  if (shape.size() == 1)
    return c.m.reshape(b, {gates, shape[0] / gates});
  return c.m.transpose(c.m.reshape(b, {2, gates, shape[1] / gates}), {1, 0, 2});
}

// Inputs: x, kernel, recurrent kernel, biases, initial states.
Converter recurrent(const Cell &cell) {
  return [cell](Call &c) -> Values {
    Values inputs{c.in(0), matrices(c, c.in(1), cell.gates), matrices(c, c.in(2), cell.gates),
                  biases(c, c.in(3), cell.gates), none};
    for (std::size_t i = 0; i < cell.states; ++i)
      inputs.push_back(c.in(4 + i));
    std::vector<std::string> functions{c.text("activation", "tanh")};
    if (cell.gates > 1)
      functions.insert(functions.begin(), c.text("recurrent_activation", "sigmoid"));
    Attributes attributes{{"activations", functions}, {"reverse", std::int64_t(c.flag("reverse"))}};
    if (cell.order)
      attributes.set("order", std::string(cell.order));
    Values out = c.m.ops(cell.layer, inputs, 1 + unsigned(cell.states) + cell.saved, attributes);
    out.resize(1 + cell.states);
    return out;
  };
}

} // namespace

void addRecurrent(Registry &r) {
  r.add("LSTMLayer", recurrent(lstm));
  r.add("GRULayer", recurrent(gru));
  r.add("RNNLayer", recurrent(simple));
}

} // namespace tensorflow
