// SPDX-License-Identifier: MIT
// A recording becomes a model. Tensors that share memory in torch are followed: a write to a view
// is a new value of its base, and every other view of that base is made anew when it is next read.
#pragma once
#include "core/Call.hpp"
#include "openipu/Converted.hpp"
#include <optional>
#include <popart/error.hpp>
#include <set>

namespace poptorch {

// The module or its arguments are at fault; the text names operator, module and source line.
class ConversionError : public popart::error {
public:
  using error::error;
};

using popart::Converted;

struct ConversionSettings {
  bool training = false;
  bool maximize = false;   // the loss is to grow
  bool moduleNames = true; // operators are named after the modules they stand in
  std::map<std::int64_t, float>
      memory; // IPU -> share of its memory for what operators need briefly
};

// All operators of a recording that have no converter: "aten::x (in "layer1", at model.py:12)".
// Empty if there is none.
std::vector<std::string> unsupported(const Recording &recording);

class Conversion {
public:
  Conversion(const Recording &recording, const ConversionSettings &settings);
  Converted run(); // once
  // Instead of run(): the shapes of what the operators make, which depend on inputs and constants
  // alone.
  std::vector<Shape> resultShapes();

  // ---- for Call and the converters of markers
  popart::Model &model() { return *frames_.back()->model; }
  const ConversionSettings &settings() const { return settings_; }
  const Recording &recording() const { return recording_; }
  Value read(TensorNumber tensor);
  void write(TensorNumber tensor, Value value);
  void markLoss(const Operation &operation, Value value);
  // "aten::kl_div" for a value that it marked as a loss; empty for others.
  std::string lossBy(Value value) const;
  // Operators from here on belong to a body with these values as inputs; what they use from outside
  // is added to the inputs behind them. endBody gives the finished body and those outer values.
  void beginBody(const std::string &name, const Values &inputs);
  struct Body {
    popart::Model model;
    Values inputs;   // the body's own values of the inputs given
    Values captured; // values of the graph around it
  };
  // The outputs are values of the body.
  Body endBody(const Values &outputs);
  Value bodyInput(std::size_t i) const { return frames_.back()->inputs.at(i); }
  // What the markers of a body must know of each other.
  struct Open {
    Values inputs; // of the graph around it
    Value condition = none;
    std::vector<popart::Model> bodies;
  };
  void openBody(Open open) { open_.push_back(std::move(open)); }
  Open closeBody();
  // Binds a tensor to a value (the formal inputs of a body, results of a marker).
  void bind(TensorNumber tensor, Value value);

  // poptorch.MultiConv: convolutions between its markers become one operator at the end. What
  // depends on one of them waits until then, and so do writes.
  struct Convolution {
    Values inputs; // activations, weights and perhaps a bias
    Attributes attributes;
    TensorNumber result = noTensor;
  };
  void beginConvolutions() { gathering_.emplace(); }
  bool gathersConvolutions() const { return gathering_.has_value(); }
  void gather(Convolution convolution);
  void endConvolutions(Call &end);

  // What operators from here on inherit.
  struct Placement {
    std::optional<std::int64_t> ipu, stage, phase;
  } placement;
  enum class Blocks { Never, Inside, Outside } blocks = Blocks::Never;
  std::vector<std::string> nameScopes;
  Attributes extra;

  std::string describe(const Operation &operation) const;
  void warn(const std::string &text); // once

private:
  struct Frame {
    std::size_t number = 0; // of all that there were
    popart::Model *model = nullptr;
    std::unique_ptr<popart::Model> own;
    Values inputs;
    std::map<Value, Value> captures; // value of the frame around -> input here
    Values captured;                 // in order
  };
  struct Bound {
    Value value;
    std::size_t frame = 0;  // in which graph the value is,
    std::size_t number = 0; // which may have ended
  };
  struct State {
    std::optional<Bound> bound;
    std::uint32_t storage = 0, version = 0;
    TensorNumber base = noTensor; // a view of this
    const Operation *view = nullptr;
    std::size_t output = 0; // of the view
  };

  struct Gathering {
    std::vector<Convolution> convolutions;
    std::vector<const Operation *> waiting;
    std::set<TensorNumber> unknown;  // tensors that there are at the end only
    std::set<std::uint32_t> written; // storages
  };
  bool waits(const Operation &operation) const;
  void wait(const Operation &operation);
  void declare();
  void placeBeginning();
  void placeWeights();
  void settle(const Placement &placement);
  void convert(const Operation &operation);
  Values call(const Operation &operation);
  void place(const Operation &operation);
  Value fitted(Value v, const TensorInfo &info, const Operation &operation) const;
  Value withoutGradient(Value value, TensorNumber written);
  Value overwriting(const Operation &operation, TensorNumber written, Value value);
  void startRoot(TensorNumber tensor, Value value);
  Bound here(Value value) const { return {value, frames_.size() - 1, frames_.back()->number}; }
  bool hasEnded(const Bound &bound) const;
  Value intoFrame(const Bound &bound);
  Value madeAnew(TensorNumber tensor);
  Value withWrite(const State &view, Value base, Value value);
  Value scattered(const State &view, Value base, Value value);
  void finish(Converted &into);
  std::string lossName();
  void warnOfReturnedLoss(Converted &into) const;

  const Recording &recording_;
  ConversionSettings settings_;
  popart::Model main_{"maingraph"};
  std::vector<std::unique_ptr<Frame>> frames_;
  std::size_t bodies_ = 0; // that began
  std::vector<State> states_;
  Values variables_;                                      // by weight
  std::map<TensorNumber, Placement> weightPlaces_;        // of their first uses
  std::vector<std::uint32_t> versions_;                   // by storage
  std::set<std::uint32_t> fixed_;                         // storages of buffers
  std::optional<std::pair<TensorNumber, Value>> instead_; // read() gives this for that tensor
  std::vector<std::pair<const Operation *, Value>> losses_;
  const Operation *minimised_ = nullptr; // the last of them
  std::vector<Open> open_;
  std::optional<Gathering> gathering_;
  const Operation *current_ = nullptr;
  std::vector<std::string> warnings_;
  friend class Call;
};

} // namespace poptorch
