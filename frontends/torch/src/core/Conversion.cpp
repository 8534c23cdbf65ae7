// SPDX-License-Identifier: MIT
#include "core/Conversion.hpp"

#include "base/Text.hpp"
#include "core/Overlaps.hpp"
#include "core/Regions.hpp"
#include "core/ReturnedLoss.hpp"
#include <algorithm>
#include <utility>

namespace poptorch {

namespace {

// Who uses an operator: its module and the user's line.
std::string whereOf(const Recording &recording, const Operation &operation) {
  const auto &scope = recording.scopes.at(operation.scope);
  const auto &source = recording.sources.at(operation.source);
  std::string out;
  if (!scope.empty())
    out += base::str("in \"", scope, "\"");
  if (!source.empty())
    out += base::str(out.empty() ? "" : ", ", "at ", source);
  return out.empty() ? out : " (" + out + ")";
}

bool isReal(DataType type) { return type != DataType::BOOL && popart::isFloatingPoint(type); }

} // namespace

std::vector<std::string> unsupported(const Recording &recording) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const auto &operation : recording.operations) {
    const auto &name = recording.signatures.at(operation.signature).name;
    if (Registry::all().find(name) || !seen.insert(name).second)
      continue;
    out.push_back(name + whereOf(recording, operation));
  }
  return out;
}

Conversion::Conversion(const Recording &recording, const ConversionSettings &settings)
    : recording_(recording), settings_(settings), states_(recording.tensors.size()) {
  auto frame = std::make_unique<Frame>();
  frame->model = &main_;
  frames_.push_back(std::move(frame));
}

std::string Conversion::describe(const Operation &operation) const {
  return recording_.signatures.at(operation.signature).name + whereOf(recording_, operation);
}

// ---- tensors and their memory

void Conversion::startRoot(TensorNumber tensor, Value value) {
  auto &state = states_.at(tensor);
  state.bound = here(value);
  state.base = noTensor;
  state.storage = static_cast<std::uint32_t>(versions_.size());
  state.version = 0;
  versions_.push_back(0);
}
void Conversion::bind(TensorNumber tensor, Value value) { startRoot(tensor, value); }

bool Conversion::hasEnded(const Bound &bound) const {
  return bound.frame >= frames_.size() || frames_[bound.frame]->number != bound.number;
}

// A value of a graph around the body becomes an input of the body, and of those between.
Value Conversion::intoFrame(const Bound &bound) {
  Value value = bound.value;
  for (std::size_t i = bound.frame + 1; i < frames_.size(); ++i) {
    auto &frame = *frames_[i];
    auto it = frame.captures.find(value);
    if (it == frame.captures.end()) {
      const auto &outer = *frames_[i - 1]->model;
      const auto name = base::str("outer/", frame.captured.size());
      frame.captured.push_back(value);
      it = frame.captures.emplace(value, frame.model->input(name, outer.info(value))).first;
    }
    value = it->second;
  }
  return value;
}

Value Conversion::read(TensorNumber tensor) {
  if (instead_ && instead_->first == tensor)
    return instead_->second;
  const auto &state = states_.at(tensor);
  if (!state.bound)
    throw popart::internal_error("Tensor {} of the recording is used before it is made.", tensor);
  const bool ended = hasEnded(*state.bound);
  if (ended && state.base == noTensor)
    throw ConversionError((current_ ? describe(*current_) + ": a" : "A") +
                          " tensor that is made in the body of a poptorch.for_loop or "
                          "poptorch.cond is used outside of it. Return it from the body.");
  if (!ended && (state.base == noTensor || state.version == versions_[state.storage]))
    return intoFrame(*state.bound);
  return madeAnew(tensor);
}

Value Conversion::madeAnew(TensorNumber tensor) {
  auto &state = states_.at(tensor);
  const Value value = call(*state.view).at(state.output);
  state.bound = here(value);
  state.version = versions_[state.storage];
  return value;
}

void Conversion::write(TensorNumber tensor, Value value) {
  auto &state = states_.at(tensor);
  if (state.bound && state.bound->frame + 1 < frames_.size())
    throw ConversionError(describe(*current_) + ": a tensor from outside of a poptorch.for_loop or "
                                                "poptorch.cond is written in its body. Pass it in, "
                                                "and return its new value.");
  value = fitted(value, recording_.tensors[tensor], *current_);
  if (state.base == noTensor)
    ++versions_[state.storage];
  else {
    Value base = withWrite(state, read(state.base), value);
    const bool apart = state.view->noGradient ||
                       recording_.signatures.at(state.view->signature).name == "aten::detach";
    if (apart && settings_.training && isReal(model().type(base)))
      base = withoutGradient(base, state.base);
    write(state.base, base);
  }
  state.bound = here(value);
  state.version = versions_[state.storage];
}

// The base of a view once the view has these values.
Value Conversion::withWrite(const State &view, Value base, Value value) {
  auto &m = model();
  const Call c(*this, recording_, *view.view, m);
  const auto region = regionOf(c, view.output, m.shape(base));
  const Shape &shape = m.shape(base);
  if (region.kind == Region::Reshaped)
    return m.reshape(value, shape);
  if (region.kind == Region::Permuted) {
    Integers back(region.permutation.size());
    for (std::size_t i = 0; i < back.size(); ++i)
      back[std::size_t(region.permutation[i])] = std::int64_t(i);
    return m.transpose(value, back);
  }
  if (region.kind == Region::Range) {
    Shape part = shape;
    part[std::size_t(region.axis)] = region.end - region.begin;
    Values parts;
    if (region.begin > 0)
      parts.push_back(c.slice(base, region.axis, 0, region.begin));
    parts.push_back(m.reshape(value, part));
    if (region.end < shape[std::size_t(region.axis)])
      parts.push_back(c.slice(base, region.axis, region.end, shape[std::size_t(region.axis)]));
    return c.concat(parts, region.axis);
  }
  return scattered(view, base, value);
}

// Any view: where its elements are in the base is what the view makes of their numbers.
Value Conversion::scattered(const State &view, Value base, Value value) {
  auto &m = model();
  const Shape shape = m.shape(base);
  const auto elements = m.info(base).nelms();
  const Call c(*this, recording_, *view.view, m);
  const auto before = instead_;
  instead_ = {view.base, m.reshape(c.iota(elements), shape)};
  Value places = call(*view.view).at(view.output);
  instead_ = before;
  const auto count = m.info(value).nelms();
  places = m.reshape(m.cast(places, DataType::INT32), {count});
  const Value flat =
      m.op("ScatterElements", {m.reshape(base, {elements}), places, m.reshape(value, {count})},
           {{"axis", std::int64_t(0)}});
  return m.reshape(flat, shape);
}

// ---- operators

// What torch says a result is; types are brought there.
Value Conversion::fitted(Value v, const TensorInfo &info, const Operation &operation) const {
  auto &m = *frames_.back()->model;
  if (m.shape(v) != info.shape())
    throw popart::internal_error(base::str(describe(operation), " was converted to shape ",
                                           popart::ir::text(m.shape(v)), ", but torch makes ",
                                           popart::ir::text(info.shape()), "."));
  return m.cast(v, info.dataType());
}

// Markers that are no operators of the model.
static bool standsOutside(const std::string &name) {
  for (const char *marker : {"begin_ipu_block", "end_ipu_block", "push_name_scope",
                             "pop_name_scope", "set_attribute", "clear_attribute"})
    if (name == std::string("poptorch::") + marker)
      return true;
  return false;
}

// The module, the block and the attributes that an operator stands in.
void Conversion::place(const Operation &operation) {
  const auto &name = recording_.signatures.at(operation.signature).name;
  if (blocks == Blocks::Outside && !standsOutside(name))
    throw ConversionError(describe(operation) + ": No active Block, all the ops must belong to a "
                                                "Block. Put it into one with poptorch.Block or "
                                                "poptorch.BeginBlock.");
  std::string full = settings_.moduleNames ? recording_.scopes.at(operation.scope) : "";
  for (const auto &scope : nameScopes)
    full += (full.empty() ? "" : "/") + scope;
  auto &settings = model().settings;
  settings.name = full;
  settings.extra = extra;
  if (const auto it = settings_.memory.find(placement.ipu.value_or(0));
      it != settings_.memory.end())
    settings.extra.set("__available_memory_proportion", it->second);
  settle(placement);
}
void Conversion::settle(const Placement &placement) {
  auto &settings = model().settings;
  settings.virtualGraph = placement.ipu;
  settings.pipelineStage = placement.stage;
  settings.executionPhase = placement.phase;
}

// What stands in front of the first block: on IPU 0, or with that block if it is the first stage or
// phase itself.
void Conversion::placeBeginning() {
  for (const auto &operation : recording_.operations) {
    if (recording_.signatures.at(operation.signature).name != "poptorch::begin_ipu_block")
      continue;
    call(operation);
    blocks = Blocks::Never;
    auto &p = placement;
    if (p.stage.value_or(p.phase.value_or(1)) > 0) {
      p.ipu = 0;
      p.stage = p.stage ? std::optional<std::int64_t>(0) : std::nullopt;
      p.phase = p.phase ? std::optional<std::int64_t>(0) : std::nullopt;
    }
    return;
  }
}

// Weights are where they are used first, with the casts between their own type and the device's.
void Conversion::placeWeights() {
  for (const auto &weight : recording_.weights)
    weightPlaces_[weight.tensor] = placement;
  const auto beginning = placement;
  std::set<TensorNumber> seen;
  const auto use = [&](TensorNumber tensor) {
    if (const auto at = weightPlaces_.find(tensor);
        at != weightPlaces_.end() && seen.insert(tensor).second)
      at->second = placement;
  };
  for (const auto &operation : recording_.operations) {
    if (recording_.signatures.at(operation.signature).name == "poptorch::begin_ipu_block")
      call(operation);
    for (const auto &argument : operation.arguments) {
      if (const auto *one = std::get_if<TensorArgument>(&argument))
        use(one->tensor);
      else if (const auto *list = std::get_if<TensorList>(&argument))
        std::for_each(list->begin(), list->end(), use);
    }
  }
  placement = beginning;
  blocks = Blocks::Never;
}

Values Conversion::call(const Operation &operation) {
  const auto &signature = recording_.signatures.at(operation.signature);
  const auto *converter = Registry::all().find(signature.name);
  if (!converter)
    throw ConversionError("Unsupported ops found in compiled model: [" + describe(operation) + "]");
  place(operation);
  auto &m = model();
  Call c(*this, recording_, operation, m);
  return frontend::converting<ConversionError>(c, [&] { return (*converter)(c); });
}

// What is computed within torch.no_grad(). A write there changes values, but the tensor keeps the
// gradient that it had:  y = new + (old - old), where only the first old one lets gradients
// through.
Value Conversion::withoutGradient(Value value, TensorNumber written) {
  auto &m = model();
  value = m.op("Detach", {value});
  if (written == noTensor || fixed_.count(states_[written].storage))
    return value;
  const Value old = m.cast(read(written), m.type(value));
  return m.add(value, m.sub(old, m.op("Detach", {old})));
}

// What is written over a tensor without looking at it: gradients of what led to the old values are
// zero there, not absent.
Value Conversion::overwriting(const Operation &operation, TensorNumber written, Value value) {
  static const std::set<std::string> all{"aten::zero", "aten::fill", "aten::copy"};
  const auto &name = recording_.signatures.at(operation.signature).name;
  if (!settings_.training || operation.noGradient || !all.count(name) ||
      fixed_.count(states_[written].storage) || !isReal(model().type(value)))
    return value;
  const Value old = read(written);
  return model().valuesOf(old) ? value : model().op("InsteadOf", {value, old});
}

void Conversion::convert(const Operation &operation) {
  const auto *before = std::exchange(current_, &operation);
  const Values values = call(operation);
  if (values.size() < operation.outputs.size())
    throw popart::internal_error("{} was converted to {} results; torch has {}.",
                                 describe(operation), values.size(), operation.outputs.size());
  for (std::size_t i = 0; i < operation.outputs.size(); ++i) {
    const auto tensor = operation.outputs[i];
    if (tensor == noTensor || values[i] == none)
      continue;
    Value value = fitted(values[i], recording_.tensors[tensor], operation);
    const auto alias = i < operation.aliases.size() ? operation.aliases[i] : noTensor;
    const bool writes = operation.writes && alias != noTensor;
    if (operation.noGradient && settings_.training && isReal(model().type(value)))
      value = withoutGradient(value, writes ? alias : noTensor);
    if (writes) {
      write(alias, overwriting(operation, alias, value));
      if (alias != tensor)
        states_[tensor] = states_[alias];
      continue;
    }
    startRoot(tensor, value);
    if (alias != noTensor) {
      auto &state = states_[tensor];
      state.storage = states_[alias].storage;
      state.version = versions_[state.storage];
      state.base = alias;
      state.view = &operation;
      state.output = i;
      versions_.pop_back();
    }
  }
  current_ = before;
}

void Conversion::markLoss(const Operation &operation, Value value) {
  losses_.emplace_back(&operation, value);
}
std::string Conversion::lossBy(Value value) const {
  for (const auto &[operation, loss] : losses_)
    if (loss == value)
      return recording_.signatures.at(operation->signature).name;
  return "";
}

// ---- bodies

void Conversion::beginBody(const std::string &name, const Values &inputs) {
  auto frame = std::make_unique<Frame>();
  frame->number = ++bodies_;
  frame->own = std::make_unique<popart::Model>(model().body(name));
  frame->model = frame->own.get();
  frame->model->settings = model().settings;
  for (Value v : inputs) {
    const auto name = base::str("in/", frame->inputs.size());
    frame->inputs.push_back(frame->model->input(name, model().info(v)));
  }
  frames_.push_back(std::move(frame));
}
Conversion::Open Conversion::closeBody() {
  auto out = std::move(open_.back());
  open_.pop_back();
  return out;
}
Conversion::Body Conversion::endBody(const Values &outputs) {
  auto &frame = *frames_.back();
  for (std::size_t i = 0; i < outputs.size(); ++i)
    frame.model->output(frame.model->op("Identity", {outputs[i]}), base::str("out/", i));
  Body out{std::move(*frame.own), frame.inputs, frame.captured};
  frames_.pop_back();
  return out;
}

// ---- the whole

void Conversion::declare() {
  std::map<TensorNumber, popart::InputSettings> settings;
  for (const auto &[tensor, strategy] : overlapsIn(recording_, inputOverlap))
    if (strategy != popart::ExchangeStrategy::JustInTime)
      settings[tensor] = {popart::TileSet::IO, strategy};
  for (const auto &[tensor, name] : recording_.inputs)
    startRoot(tensor, main_.input(name, recording_.tensors[tensor], settings[tensor]));
  for (const auto &weight : recording_.weights) {
    const auto role = weight.trained ? popart::ir::Role::Weight : popart::ir::Role::Fixed;
    const auto &info = recording_.tensors[weight.tensor];
    variables_.push_back(main_.weight(weight.name, TensorInfo(weight.stored, info.shape()),
                                      weight.data, weight.owner, role, weight.settings));
    settle(weightPlaces_.at(weight.tensor));
    startRoot(weight.tensor, main_.cast(variables_.back(), info.dataType()));
    if (!weight.trained)
      fixed_.insert(states_[weight.tensor].storage);
  }
  for (const auto &[tensor, values] : recording_.constants)
    startRoot(tensor, main_.constant(values));
}

std::string Conversion::lossName() {
  if (losses_.empty())
    throw ConversionError("Couldn't find a loss in graph! A model that is trained computes one in "
                          "forward(): with one of torch's losses, or poptorch.identity_loss.");
  // Losses that another loss is made of are not the last one.
  std::vector<const Operation *> producer(recording_.tensors.size());
  for (const auto &operation : recording_.operations)
    for (auto tensor : operation.outputs)
      if (tensor != noTensor)
        producer[tensor] = &operation;
  std::set<const Operation *> reached;
  const auto follow = [&](const Operation *from) {
    std::vector<const Operation *> open{from};
    while (!open.empty()) {
      const auto *operation = open.back();
      open.pop_back();
      const auto visit = [&](TensorNumber tensor) {
        if (tensor == noTensor || !producer[tensor] || producer[tensor] == operation)
          return;
        if (reached.insert(producer[tensor]).second)
          open.push_back(producer[tensor]);
      };
      for (const auto &argument : operation->arguments) {
        if (const auto *one = std::get_if<TensorArgument>(&argument))
          visit(one->tensor);
        else if (const auto *list = std::get_if<TensorList>(&argument))
          std::for_each(list->begin(), list->end(), visit);
      }
    }
  };
  for (const auto &loss : losses_)
    follow(loss.first);
  std::vector<Value> last;
  std::string names;
  for (const auto &[operation, value] : losses_)
    if (!reached.count(operation)) {
      last.push_back(value);
      minimised_ = operation;
      names += base::str(names.empty() ? "" : ", ", describe(*operation));
    }
  if (last.size() > 1)
    throw ConversionError(
        base::str("Multiple independent losses found in graph. Graph must have one final loss. "
                  "Wrap final graph loss in poptorch.identity_loss. The losses are ",
                  names, ": add them up, and pass the sum through it."));
  if (main_.info(last[0]).nelms() != 1)
    throw ConversionError(base::str("The loss ", names, " has shape ",
                                    popart::ir::text(main_.shape(last[0])),
                                    "; it must be one number. Use reduction=\"mean\" or \"sum\"."));
  const Value loss = main_.reshape(last[0], {});
  return main_.nameOf(settings_.maximize ? main_.neg(loss) : loss);
}

// The vendor's rule finds the loss, whatever is returned; who returns a sum with it may not know.
void Conversion::warnOfReturnedLoss(Converted &into) const {
  const auto derived = derivedFromLoss(recording_, *minimised_);
  if (derived.empty())
    return;
  into.warnings.push_back(base::str(
      "The loss that is minimised is ", describe(*minimised_),
      ". An output is computed from it, by ", describe(*derived.front().operation),
      ", and is not minimised itself. If it is meant to be, "
      "pass it through poptorch.identity_loss(..., reduction=\"none\"); if it is only to be seen, "
      "compute it from loss.detach()."));
}

void Conversion::finish(Converted &into) {
  for (std::size_t i = 0; i < recording_.weights.size(); ++i) {
    const auto &weight = recording_.weights[i];
    const auto &state = states_[weight.tensor];
    if (versions_[state.storage] == 0)
      continue;
    settle(weightPlaces_.at(weight.tensor));
    const auto last = std::exchange(main_.settings.name, weight.name); // profiles show whose it is
    main_.update(variables_[i], main_.cast(state.bound->value, weight.stored));
    main_.settings.name = last;
    into.changed.insert(weight.name);
  }
  settle(placement);
  for (const auto &[tensor, name] : recording_.inputs)
    into.inputs.push_back(name);
  const auto overlaps = overlapsIn(recording_, outputOverlap);
  for (std::size_t i = 0; i < recording_.outputs.size(); ++i) {
    const Value value = read(recording_.outputs[i]);
    // An input, a weight or one value twice: an output of its own.
    const Value own = main_.op("Identity", {value});
    const auto name = base::str("output/", i);
    main_.output(own, name);
    into.outputs.push_back(name);
    if (const auto it = overlaps.find(recording_.outputs[i]); it != overlaps.end())
      into.overlaps.emplace(name, it->second);
  }
}

void Conversion::warn(const std::string &text) {
  if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end())
    warnings_.push_back(text);
}

std::vector<Shape> Conversion::resultShapes() {
  declare();
  std::vector<Shape> out;
  for (const auto &operation : recording_.operations)
    for (const Value v : call(operation))
      out.push_back(main_.shape(v));
  return out;
}

Converted Conversion::run() {
  placeBeginning();
  placeWeights();
  declare();
  for (const auto &operation : recording_.operations)
    if (gathering_ && waits(operation))
      wait(operation);
    else
      convert(operation);
  if (frames_.size() != 1)
    throw popart::internal_error("A body of the recording does not end.");
  Converted out;
  if (settings_.training) {
    out.loss = lossName();
    warnOfReturnedLoss(out);
  }
  finish(out);
  out.model = std::move(main_);
  out.warnings.insert(out.warnings.end(), warnings_.begin(), warnings_.end());
  return out;
}

} // namespace poptorch
