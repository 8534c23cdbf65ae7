// SPDX-License-Identifier: MIT
// Cells of LSTM, GRU and RNN that popnn has no kernels for, written as ONNX defines them: the
// products of all inputs at once, then a Scan over time. Peepholes see the cell state, `clip`
// limits what every activation gets, input_forget makes the forget gate 1 - input gate.
#include "base/Text.hpp"
#include "ops/nn/recurrent.hpp"
#include "ops/shared/loops.hpp"
#include <algorithm>
#include <numeric>
#include <tuple>

namespace popart::ops {

bool isPopnnCell(const OpView &op, const RecurrentNode &node, std::int64_t direction) {
  const auto all = node.activationsOf(direction);
  const bool isLstm = all.size() == 3;
  const bool have = std::all_of(all.begin(), all.end(), [](const Activation &f) {
    return f.name == "sigmoid" || f.name == "tanh" || f.name == "relu" ||
           (f.name == "hardsigmoid" && f.alpha == 0.2f && f.beta == 0.5f);
  });
  return have && node.clip == 0 &&
         !(isLstm && (op.hasIn(7) || op.integer("input_forget", 0) || all[1].name != all[2].name));
}

namespace {

Value applied(GraphBuilder &b, const Activation &f, Value x) {
  if (f.name == "affine")
    return b.add(b.mul(x, f.alpha), f.beta);
  if (f.name == "scaledtanh")
    return b.mul(b.op("Tanh", {b.mul(x, f.beta)}), f.alpha);
  static const std::pair<const char *, const char *> names[] = {
      {"sigmoid", "Sigmoid"},
      {"tanh", "Tanh"},
      {"relu", "Relu"},
      {"softsign", "Softsign"},
      {"softplus", "Softplus"},
      {"leakyrelu", "LeakyRelu"},
      {"elu", "Elu"},
      {"thresholdedrelu", "ThresholdedRelu"},
      {"hardsigmoid", "HardSigmoid"}};
  const auto *name = std::find_if(std::begin(names), std::end(names),
                                  [&](const auto &pair) { return f.name == pair.first; });
  return b.op(name->second, {x}, {{"alpha", f.alpha}, {"beta", f.beta}});
}

// One step, in the body of the Scan.
class Cell {
  std::shared_ptr<ir::Graph> graph_ = std::make_shared<ir::Graph>();

public:
  Cell(GraphBuilder &outer, const OpView &op, const RecurrentNode &node, std::int64_t direction)
      : outer_(outer), op_(op), node_(node), functions_(node.activationsOf(direction)) {
    graph_->name = op.type() + "Cell";
  }
  GraphBuilder b{*graph_};
  ScanParts scan;

  // An input of the body that gets this value, or one slice of it after the other.
  Value state(Value v) { return input(v, scan.states, false); }
  Value slice(Value v, bool backwards) {
    scan.inputAxes.push_back(0);
    scan.inputBackwards.push_back(backwards);
    return input(v, scan.scanned, true);
  }
  Value outer(Value v) { return input(v, scan.outer, false); }

  // x: products of the inputs and their biases [N,GH]; h, c: the states [N,H].
  Value rnn(Value x, Value h, Value feedback) {
    return activated(0, b.add(x, b.matmul(h, feedback)));
  }
  // `bias` [1,GH] of the state, apart if the reset gate comes after the product.
  Value gru(Value x, Value h, Value feedback, Value bias) {
    const auto h3 = node_.hiddenSize;
    const auto xs = parts(x, {2 * h3, h3}, 1), ws = parts(feedback, {2 * h3, h3}, 1);
    Values bs(2, none);
    if (bias != none)
      bs = parts(bias, {2 * h3, h3}, 1);
    const auto product = [&](Value v, std::size_t i) {
      const Value made = b.matmul(v, ws[i]);
      return bs[i] == none ? made : b.add(made, bs[i]);
    };
    const auto gates = parts(activated(0, b.add(xs[0], product(h, 0))), {h3, h3}, 1);
    const Value update = gates[0], reset = gates[1];
    const Value candidate = activated(
        1, b.add(xs[1], bias == none ? product(b.mul(reset, h), 1) : b.mul(reset, product(h, 1))));
    return b.add(b.mul(b.sub(1, update), candidate), b.mul(update, h));
  }
  // The next h and c. `peepholes`: [3,H] of input, output and forget gate.
  std::pair<Value, Value> lstm(Value x, Value h, Value c, Value feedback, Value peepholes) {
    const auto n = node_.hiddenSize;
    const auto sums = parts(b.add(x, b.matmul(h, feedback)), {n, n, n, n}, 1); // i o f c
    Values seen(3, none);
    if (peepholes != none)
      seen = parts(peepholes, {1, 1, 1}, 0);
    const auto gate = [&](std::size_t i, Value state) {
      return activated(0, seen[i] == none ? sums[i] : b.add(sums[i], b.mul(seen[i], state)));
    };
    const Value in = gate(0, c);
    const Value forget = op_.integer("input_forget", 0) ? b.sub(1, in) : gate(2, c);
    const Value next = b.add(b.mul(forget, c), b.mul(in, activated(1, sums[3])));
    return {b.mul(gate(1, next), activated(2, next)), next};
  }

  // Runs the body: the last states, then what is stacked.
  Values run(const Values &states, const Values &stacked, bool backwards) {
    graph_->outputs = states;
    graph_->outputs.insert(graph_->outputs.end(), stacked.begin(), stacked.end());
    graph_->inputs.clear();
    for (const auto *list : {&inner_[0], &inner_[1], &inner_[2]})
      graph_->inputs.insert(graph_->inputs.end(), list->begin(), list->end());
    scan.body = graph_;
    scan.outputAxes = Integers(stacked.size(), 0);
    scan.outputBackwards = Integers(stacked.size(), backwards);
    return appendScan(outer_, scan);
  }

private:
  Value input(Value v, Values &list, bool slice) {
    Shape shape = outer_.shape(v);
    if (slice)
      shape.erase(shape.begin());
    const auto sort = &list == &scan.states ? 0u : &list == &scan.scanned ? 1u : 2u;
    list.push_back(v);
    const Value made = graph_->add(
        {base::str("input", sort, list.size()), {outer_.type(v), shape}, ir::Kind::Computed, {}});
    inner_[sort].push_back(made);
    return made;
  }
  Values parts(Value v, const Integers &sizes, std::int64_t axis) {
    return b.ops("Split", {v}, unsigned(sizes.size()), {{"axis", axis}, {"split", sizes}});
  }
  Value activated(std::size_t function, Value x) {
    if (node_.clip > 0)
      x = b.op("Clip", {x, b.scalar(-node_.clip, x), b.scalar(node_.clip, x)});
    return applied(b, functions_[function], x);
  }

  GraphBuilder &outer_;
  const OpView &op_;
  const RecurrentNode &node_;
  std::vector<Activation> functions_;
  Values inner_[3]; // states, slices, outer values
};

} // namespace

Values cellLayer(GraphBuilder &b, const OpView &op, const RecurrentNode &node,
                 std::int64_t direction, const LayerInputs &in) {
  const std::int64_t t = node.steps, n = node.batch, i = node.inputSize, h = node.hiddenSize,
                     columns = node.gates * h;
  const auto matrix = [&](Value v, std::int64_t rows) { // [G,rows,H] -> [rows,GH]
    return b.reshape(b.transpose(v, {1, 0, 2}), {rows, columns});
  };
  Value bias = in.biases, ofState = none;
  if (in.separateBiases) {
    const auto both =
        b.ops("Split", {in.biases}, 2, {{"axis", std::int64_t(1)}, {"split", Integers{1, 1}}});
    bias = both[0];
    ofState = b.reshape(both[1], {1, columns});
  }
  const Value products = b.add(b.matmul(b.reshape(in.x, {t * n, i}), matrix(in.weights, i)),
                               b.reshape(bias, {columns}));

  Cell cell(b, op, node, direction);
  const Value x = cell.slice(b.reshape(products, {t, n, columns}), in.reverse);
  const Value last = cell.state(in.initial), feedback = cell.outer(matrix(in.feedback, h));
  Value next, c = none, nextC = none;
  if (node.gates == 4) {
    Value peepholes = none;
    if (op.hasIn(7))
      peepholes =
          cell.outer(b.reshape(ofDirection(b, op.in(7), node.directions, direction), {3, h}));
    c = cell.state(initialState(b, op, node, direction, 6));
    std::tie(next, nextC) = cell.lstm(x, last, c, feedback, peepholes);
  } else if (node.gates == 3)
    next = cell.gru(x, last, feedback, ofState == none ? none : cell.outer(ofState));
  else
    next = cell.rnn(x, last, feedback);

  Value y = next;
  if (in.lengths != none) { // beyond its length, an element keeps its states and gives zeros
    Integers numbers(std::size_t(t), 0);
    std::iota(numbers.begin(), numbers.end(), 0);
    const Value time = cell.slice(
        b.constant(HostTensor::fromIntegers({DataType::INT32, {t, 1, 1}}, numbers)), in.reverse);
    const Value length = cell.outer(b.reshape(in.lengths, {n, 1}));
    const Value runs = cell.b.op("Less", {time, length});
    y = cell.b.where(runs, next, cell.b.scalar(0, next));
    next = cell.b.where(runs, next, last);
    if (c != none)
      nextC = cell.b.where(runs, nextC, c);
  }
  Values states{next}, stacked{y};
  if (c != none) {
    states.push_back(nextC);
    stacked.push_back(nextC); // with h, all that the gradient needs
    cell.scan.kept = 1;
  }
  const Values made = cell.run(states, stacked, in.reverse);
  Values out{made[states.size()]};
  out.insert(out.end(), made.begin(), made.begin() + std::ptrdiff_t(states.size()));
  return out;
}

} // namespace popart::ops
