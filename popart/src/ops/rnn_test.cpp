// SPDX-License-Identifier: MIT
// LSTM, GRU and RNN against plain loops written from ONNX's equations.
#include "model.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

using I = ir::Integers;
using Texts = std::vector<std::string>;

struct Sizes {
  std::int64_t steps = 4, batch = 3, in = 2, hidden = 3;
};

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
struct Function {
  std::string name;
  double alpha = 0, beta = 0;
};
double apply(const Function &f, double x) {
  const auto &[name, a, b] = f;
  return name == "Sigmoid"           ? sigmoid(x)
         : name == "Tanh"            ? std::tanh(x)
         : name == "Relu"            ? std::max(0.0, x)
         : name == "HardSigmoid"     ? std::min(1.0, std::max(0.0, a * x + b))
         : name == "LeakyRelu"       ? (x < 0 ? a * x : x)
         : name == "ThresholdedRelu" ? (x > a ? x : 0)
         : name == "Elu"             ? (x < 0 ? a * (std::exp(x) - 1) : x)
         : name == "Softsign"        ? x / (1 + std::abs(x))
         : name == "Softplus"        ? std::log(1 + std::exp(x))
         : name == "Affine"          ? a * x + b
         : name == "ScaledTanh"      ? a * std::tanh(b * x)
                                     : NAN;
}

// One direction of one batch element; matrices are [gates * hidden][n].
struct Cell {
  std::string type;
  std::vector<Function> activations;
  bool linearBeforeReset, inputForget;
  double clip; // 0: none
  std::int64_t in, hidden;
  const double *w, *r, *b; // b: of the input, then of the state; null if there are none
  const double *p;         // peepholes of input, output, forget gate, or null

  double row(const double *m, std::int64_t n, std::int64_t row, const Doubles &v) const {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i)
      sum += m[row * n + i] * v[std::size_t(i)];
    return sum;
  }
  std::int64_t gates() const { return type == "LSTM" ? 4 : type == "GRU" ? 3 : 1; }
  double bias(std::int64_t row, bool state) const {
    return b ? b[(state ? gates() * hidden : 0) + row] : 0;
  }
  // W x + R h + biases of one row.
  double sum(std::int64_t at, const Doubles &x, const Doubles &h) const {
    return row(w, in, at, x) + row(r, hidden, at, h) + bias(at, false) + bias(at, true);
  }

  double activated(std::size_t i, double x) const {
    return apply(activations[i], clip ? std::min(clip, std::max(-clip, x)) : x);
  }
  double peephole(std::int64_t at, double state) const { return p ? p[at] * state : 0; }

  void step(const Doubles &x, Doubles &h, Doubles &c) const {
    const auto H = hidden;
    Doubles next(h.size()), reset(h.size()), update(h.size());
    for (std::int64_t j = 0; j < H; ++j) {
      const auto k = std::size_t(j);
      if (type == "RNN")
        next[k] = activated(0, sum(j, x, h));
      else if (type == "LSTM") {
        const double i = activated(0, sum(j, x, h) + peephole(j, c[k])),
                     f = inputForget
                             ? 1 - i
                             : activated(0, sum(2 * H + j, x, h) + peephole(2 * H + j, c[k])),
                     g = activated(1, sum(3 * H + j, x, h));
        c[k] = f * c[k] + i * g;
        next[k] = activated(0, sum(H + j, x, h) + peephole(H + j, c[k])) * activated(2, c[k]);
      } else {
        update[k] = activated(0, sum(j, x, h));
        reset[k] = activated(0, sum(H + j, x, h)) * (linearBeforeReset ? 1 : h[k]);
      }
    }
    for (std::int64_t j = 0; j < H && type == "GRU"; ++j) {
      const auto k = std::size_t(j), at = std::size_t(2 * H + j);
      const double state = linearBeforeReset
                               ? reset[k] * (row(r, H, 2 * H + j, h) + bias(std::int64_t(at), true))
                               : row(r, H, 2 * H + j, reset) + bias(std::int64_t(at), true);
      const double candidate =
          activated(1, row(w, in, 2 * H + j, x) + bias(std::int64_t(at), false) + state);
      next[k] = (1 - update[k]) * candidate + update[k] * h[k];
    }
    h = next;
  }
};

struct Case {
  std::string name, type, direction = "forward";
  bool biases = true, lengths = false, initial = false, batchFirst = false, before = false;
  Texts activations = {};                   // empty: the defaults
  std::vector<float> alpha = {}, beta = {}; // as the attributes have them
  std::vector<Function> functions = {};     // what these say, if they say it; of all directions
  bool peepholes = false, forget = false;
  float clip = 0;
};

struct Built {
  Values inputs, outputs; // inputs: X, W, R, B, lengths, initial_h, initial_c as they are there
  std::vector<Function> functions;
  std::int64_t gates, directions;
};

Built build(Model &m, const Case &c, const Sizes &s, DataType type) {
  Built out;
  out.gates = c.type == "LSTM" ? 4 : c.type == "GRU" ? 3 : 1;
  const auto D = out.directions = c.direction == "bidirectional" ? 2 : 1;
  const auto G = out.gates * s.hidden;
  const Shape state = c.batchFirst ? Shape{s.batch, D, s.hidden} : Shape{D, s.batch, s.hidden};
  const auto random = [&](const Shape &shape) { return m.randomInput(shape, -1, 1, type); };
  out.inputs = {
      random(c.batchFirst ? Shape{s.batch, s.steps, s.in} : Shape{s.steps, s.batch, s.in}),
      random({D, G, s.in}),
      random({D, G, s.hidden}),
      c.biases ? random({D, 2 * G}) : ir::none,
      c.lengths ? m.input({s.batch}, {2, double(s.steps), 3}, DataType::INT32) : ir::none,
      c.initial ? random(state) : ir::none,
      c.initial && c.type == "LSTM" ? random(state) : ir::none,
      c.peepholes ? random({D, 3 * s.hidden}) : ir::none};
  Texts names = c.activations;
  const Texts defaults = c.type == "LSTM"  ? Texts{"Sigmoid", "Tanh", "Tanh"}
                         : c.type == "GRU" ? Texts{"Sigmoid", "Tanh"}
                                           : Texts{"Tanh"};
  for (std::int64_t d = 0; d < D && c.activations.empty(); ++d)
    names.insert(names.end(), defaults.begin(), defaults.end());
  out.functions = c.functions;
  for (std::size_t i = 0; i < names.size() && c.functions.empty(); ++i)
    out.functions.push_back({names[i], 0.2, 0.5}); // of HardSigmoid
  ir::Attributes attributes{{"hidden_size", s.hidden}, {"direction", c.direction}};
  if (!c.activations.empty())
    attributes.set("activations", c.activations);
  if (c.batchFirst)
    attributes.set("layout", std::int64_t(1));
  if (!c.alpha.empty())
    attributes.set("activation_alpha", c.alpha);
  if (!c.beta.empty())
    attributes.set("activation_beta", c.beta);
  if (c.clip > 0)
    attributes.set("clip", c.clip);
  if (c.forget)
    attributes.set("input_forget", std::int64_t(1));
  if (c.before)
    attributes.set("linear_before_reset", std::int64_t(1));
  out.outputs = m.imported(c.type, out.inputs, attributes, 14, c.type == "LSTM" ? 3 : 2);
  return out;
}

// Y, Y_h (and Y_c) of plain loops.
std::vector<Doubles> wanted(Model &m, const Case &c, const Sizes &s, const Built &built) {
  const auto D = built.directions, G = built.gates * s.hidden;
  const auto fed = [&](std::size_t i) {
    return built.inputs[i] == ir::none ? Doubles() : m.fed(built.inputs[i]);
  };
  const auto x = fed(0), w = fed(1), r = fed(2), b = fed(3), lengths = fed(4), h0 = fed(5),
             c0 = fed(6), p = fed(7);
  const auto at = [&](std::int64_t t, std::int64_t n) {
    return c.batchFirst ? n * s.steps + t : t * s.batch + n;
  };
  const auto state = [&](std::int64_t d, std::int64_t n) {
    return (c.batchFirst ? n * D + d : d * s.batch + n) * s.hidden;
  };
  std::vector<Doubles> out{Doubles(std::size_t(s.steps * s.batch * D * s.hidden), 0),
                           Doubles(std::size_t(s.batch * D * s.hidden), 0)};
  out.push_back(out[1]);
  const auto each = std::int64_t(built.functions.size()) / D;
  for (std::int64_t d = 0; d < D; ++d)
    for (std::int64_t n = 0; n < s.batch; ++n) {
      const Cell cell{
          c.type,
          {built.functions.begin() + d * each, built.functions.begin() + (d + 1) * each},
          c.before,
          c.forget,
          double(c.clip),
          s.in,
          s.hidden,
          w.data() + d * G * s.in,
          r.data() + d * G * s.hidden,
          b.empty() ? nullptr : b.data() + d * 2 * G,
          p.empty() ? nullptr : p.data() + d * 3 * s.hidden};
      const auto first = [&](const Doubles &v) {
        const auto i = v.begin() + (v.empty() ? 0 : state(d, n));
        return v.empty() ? Doubles(std::size_t(s.hidden), 0) : Doubles(i, i + s.hidden);
      };
      Doubles h = first(h0), cellState = first(c0);
      const std::int64_t steps = lengths.empty() ? s.steps : std::int64_t(lengths[std::size_t(n)]);
      for (std::int64_t i = 0; i < steps; ++i) {
        const bool back = c.direction == "reverse" || d == 1;
        const std::int64_t t = back ? steps - 1 - i : i;
        const auto from = x.begin() + at(t, n) * s.in;
        cell.step(Doubles(from, from + s.in), h, cellState);
        const auto to = c.batchFirst ? ((n * s.steps + t) * D + d) * s.hidden
                                     : ((t * D + d) * s.batch + n) * s.hidden;
        std::copy(h.begin(), h.end(), out[0].begin() + to);
      }
      std::copy(h.begin(), h.end(), out[1].begin() + state(d, n));
      std::copy(cellState.begin(), cellState.end(), out[2].begin() + state(d, n));
    }
  out.resize(c.type == "LSTM" ? 3 : 2);
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string type : {"LSTM", "GRU", "RNN"}) {
    all.push_back({type + " plain", type, "forward", false});
    all.push_back({type + " biases, initial states", type, "forward", true, false, true});
    all.push_back({type + " reverse", type, "reverse", true, false, true});
    all.push_back({type + " lengths", type, "forward", true, true, true});
    all.push_back(
        {type + " both ways, batch first", type, "bidirectional", true, false, true, true});
  }
  all.push_back({"GRU linear before reset", "GRU", "forward", true, false, true, false, true});
  all.push_back({"LSTM activations",
                 "LSTM",
                 "forward",
                 true,
                 false,
                 false,
                 false,
                 false,
                 {"HardSigmoid", "Relu", "Relu"}});
  all.push_back({"RNN activations",
                 "RNN",
                 "bidirectional",
                 true,
                 false,
                 false,
                 false,
                 false,
                 {"Relu", "Sigmoid"}});
  return all;
}

// Cells that popnn does not have.
std::vector<Case> ownCells() {
  std::vector<Case> all;
  const auto add = [&](Case c, auto change) {
    change(c);
    all.push_back(std::move(c));
  };
  const auto peepholes = [](Case &c) { c.peepholes = true; };
  add({"peepholes", "LSTM"}, peepholes);
  add({"peepholes, lengths", "LSTM", "forward", true, true, true}, peepholes);
  add({"peepholes, reverse, no biases", "LSTM", "reverse", false, false, true}, peepholes);
  add({"peepholes, both ways, batch first", "LSTM", "bidirectional", true, false, true, true},
      peepholes);
  add({"peepholes, both ways, lengths", "LSTM", "bidirectional", true, true, true}, peepholes);
  add({"coupled gates", "LSTM", "forward", true, false, true}, [](Case &c) { c.forget = true; });
  for (const std::string type : {"LSTM", "GRU", "RNN"})
    add({type + " clipped", type, "bidirectional", true, true, true},
        [](Case &c) { c.clip = 0.4f; });
  add({"clipped after the product", "GRU", "reverse", true, false, true, false, true},
      [](Case &c) { c.clip = 0.7f; });
  add({"LSTM functions", "LSTM", "forward", true, false, true}, [](Case &c) {
    c.activations = {"HardSigmoid", "ScaledTanh", "Softsign"};
    c.alpha = {0.3f, 1.5f}; // of those that have one
    c.beta = {0.4f, 0.7f};
    c.functions = {{"HardSigmoid", 0.3f, 0.4f}, {"ScaledTanh", 1.5, 0.7f}, {"Softsign"}};
  });
  add({"GRU functions", "GRU", "bidirectional", true, false, true, false, true}, [](Case &c) {
    c.activations = {"Softplus", "Elu", "Affine", "tanh"};
    c.alpha = {9, 0.5f, 0.3f, 9}; // one per activation
    c.functions = {{"Softplus"}, {"Elu", 0.5}, {"Affine", 0.3f, 0}, {"Tanh"}};
  });
  add({"RNN functions", "RNN", "bidirectional", true, false, true}, [](Case &c) {
    c.activations = {"LeakyRelu", "ThresholdedRelu"};
    c.functions = {{"LeakyRelu", 0.01f}, {"ThresholdedRelu", 1}};
  });
  return all;
}

} // namespace

TEST(RecurrentOps, GiveWhatPlainLoopsGive) {
  const Sizes s;
  auto all = cases();
  for (auto &c : ownCells())
    all.push_back(c);
  for (const auto &c : all)
    for (auto type : {DataType::FLOAT, DataType::FLOAT16}) {
      Model m;
      const auto built = build(m, c, s, type);
      const auto want = wanted(m, c, s, built);
      const auto got = m.run(built.outputs);
      SCOPED_TRACE(c.name);
      const double precision = type == DataType::FLOAT ? 1e-5 : 5e-3;
      for (std::size_t i = 0; i < want.size(); ++i) {
        SCOPED_TRACE(i);
        expectNear(got[i], want[i], precision, precision);
      }
    }
}

TEST(RecurrentOps, Differentiate) {
  const Sizes s{3, 3, 2, 2};
  auto all = cases();
  for (auto &c : ownCells())
    all.push_back(c);
  for (const auto &c : all) {
    if (!c.activations.empty() || c.clip > 0) // kinks
      continue;
    Model m;
    m.options.training = true;
    const auto built = build(m, c, s, DataType::FLOAT);
    Value loss = ir::none; // of all outputs, each with its own weight
    for (Value v : built.outputs) {
      const auto &info = m.graph[v].info;
      const Value r = m.constant(info.shape(), m.random(info.nelms()));
      const Value part = m.b.op("ReduceSum", {m.b.mul(v, r)}, {{"keepdims", std::int64_t(0)}});
      loss = loss == ir::none ? part : m.b.add(loss, part);
    }
    Values inputs;
    for (std::size_t i = 0; i < built.inputs.size(); ++i)
      if (i != 4 && built.inputs[i] != ir::none)
        inputs.push_back(built.inputs[i]);
    SCOPED_TRACE(c.name);
    m.checkGradients(loss, inputs);
    if (c.peepholes && !c.lengths) { // h and c of all steps are there: nothing runs twice
      EXPECT_EQ(m.count("Scan"), 2 * built.directions);
    }
  }
}

// Any output alone must lead back to the inputs.
TEST(RecurrentOps, DifferentiateThroughOneOutput) {
  for (const std::string type : {"LSTM", "GRU", "RNN"})
    for (std::size_t output = 0; output < (type == "LSTM" ? 3u : 2u); ++output) {
      Model m;
      const auto built = build(m, {type, type}, {3, 3, 2, 2}, DataType::FLOAT);
      SCOPED_TRACE(type + std::to_string(output));
      m.checkGradients(built.outputs[output], {built.inputs[0], built.inputs[1]});
    }
}

TEST(GraphcoreLstm, HasTheWeightsOfPopLibs) {
  for (bool full : {true, false}) {
    Model m;
    const Sizes s;
    const auto x = m.randomInput({s.steps, s.batch, s.in}),
               w = m.randomInput({4, s.in + s.hidden, s.hidden}), b = m.randomInput({4, s.hidden}),
               initial = m.randomInput({2, s.batch, s.hidden});
    const auto y = m.imported("LSTM", {x, w, b, initial},
                              {{"outputFullSequence", std::int64_t(full)}}, 1, 2, "ai.graphcore");
    // The same in ONNX's order of gates: i, o, f, c from f, i, c, o.
    const std::size_t order[] = {1, 3, 0, 2};
    const auto ws = m.fed(w), bs = m.fed(b), init = m.fed(initial);
    Doubles input, feedback, bias;
    for (std::size_t g : order)
      for (std::size_t h = 0; h < 3; ++h) {
        for (std::size_t i = 0; i < 2; ++i)
          input.push_back(ws[(g * 5 + i) * 3 + h]);
        for (std::size_t i = 0; i < 3; ++i)
          feedback.push_back(ws[(g * 5 + 2 + i) * 3 + h]);
        bias.push_back(bs[g * 3 + h]);
      }
    bias.resize(24, 0);
    const auto half = init.begin() + std::int64_t(init.size() / 2);
    const auto onnx = m.imported("LSTM",
                                 {x, m.input({1, 12, 2}, input), m.input({1, 12, 3}, feedback),
                                  m.input({1, 24}, bias), ir::none,
                                  m.input({1, 3, 3}, Doubles(init.begin(), half)),
                                  m.input({1, 3, 3}, Doubles(half, init.end()))},
                                 {{"hidden_size", s.hidden}}, 14, 3);
    const auto got = m.run({y[0], y[1], onnx[full ? 0 : 1], onnx[2]});
    expectNear(got[0], got[2]);
    expectNear(got[1], got[3]);
    m.checkGradients(y[0], {x, w, b, initial});
  }
}

// Layers take their gates in the order that the framework keeps them in; Gather moves them.
TEST(RecurrentLayers, TakeGatesInTorchsOrder) {
  struct Order {
    std::string layer, onnx, torch;
    I gates; // of torch's order, where each is in ONNX's
    unsigned states;
  };
  for (const auto &o : {Order{"LstmLayer", "iofc", "ifco", {0, 2, 3, 1}, 2},
                        Order{"GruLayer", "urc", "ruc", {1, 0, 2}, 1}}) {
    Model m;
    const auto n = std::int64_t(o.gates.size());
    Values in{m.randomInput({4, 3, 2}), m.randomInput({n, 2, 3}), m.randomInput({n, 3, 3}),
              m.randomInput(o.states == 2 ? Shape{n, 3} : Shape{n, 2, 3}), ir::none};
    for (unsigned i = 0; i < o.states; ++i)
      in.push_back(m.randomInput({3, 3}));
    const auto run = [&](const std::string &order, const Values &inputs) {
      return m.b.ops(o.layer, inputs, 2 + o.states,
                     {{"activations", Texts{"sigmoid", "tanh"}}, {"order", order}})[0];
    };
    Values moved = in;
    for (std::size_t i : {1u, 2u, 3u})
      moved[i] = m.b.op("Gather", {in[i], m.b.integers(o.gates)}, {{"axis", std::int64_t(0)}});
    const Value y = run(o.torch, moved);
    const auto got = m.run({run(o.onnx, in), y});
    expectNear(got[0], got[1]);
    m.checkGradients(y, {in[0], in[1], in[2], in[3], in[5]});
  }
}

TEST(RecurrentOps, RefuseWhatOnnxDoesNotDefine) {
  struct Bad {
    std::string type;
    ir::Attributes attributes;
    std::string message;
  };
  for (const auto &[type, attributes, message] : std::vector<Bad>{
           {"LSTM",
            {{"direction", std::string("up")}},
            "LSTM: direction \"up\" must be forward, reverse or bidirectional."},
           {"LSTM", {{"clip", -3.f}}, "LSTM: clip is -3; it must not be negative."},
           {"GRU",
            {{"activations", Texts{"Softmax", "Tanh"}}},
            "GRU: activation \"softmax\" is not one of ONNX's: Sigmoid, Tanh, Relu, HardSigmoid, "
            "LeakyRelu, ThresholdedRelu, Elu, Softsign, Softplus, Affine, ScaledTanh."},
           {"RNN",
            {{"activation_alpha", std::vector<float>{1, 2}}},
            "RNN: activation_alpha has 2 numbers; its activations take 0."},
           {"RNN",
            {{"activations", Texts{"Tanh", "Tanh"}}},
            "RNN: 2 activations given; it has 1 for each of its 1 directions."},
           {"RNN",
            {{"hidden_size", std::int64_t(4)}},
            "RNN: W (input 1) is FLOAT [1,3,2]; it must have shape [1,4,2]."}}) {
    Model m;
    const std::int64_t gates = type == "LSTM" ? 4 : type == "GRU" ? 3 : 1;
    const auto x = m.randomInput({4, 3, 2}), w = m.randomInput({1, 3 * gates, 2}),
               r = m.randomInput({1, 3 * gates, 3});
    try {
      m.b.op(type, {x, w, r}, attributes);
      FAIL() << message;
    } catch (const error &e) {
      EXPECT_EQ(e.what(), message);
    }
  }
}
