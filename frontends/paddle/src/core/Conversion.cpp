// SPDX-License-Identifier: MIT
#include "core/Conversion.hpp"

#include "base/Text.hpp"
#include "core/Attributes.hpp"
#include "core/Environment.hpp"
#include "core/Gradient.hpp"
#include "core/Placement.hpp"
#include "core/Selection.hpp"

namespace paddleipu {

namespace {

void convertCustom(Call &c, const std::pair<std::string, std::int64_t> &to) {
  Values inputs;
  for (const auto &var : c.op().inputs())
    for (std::size_t i = 0; i < std::size_t(var.arguments_size()); ++i)
      inputs.push_back(c.in(var.parameter().c_str(), i));
  unsigned outputs = 0;
  for (const auto &var : c.op().outputs())
    outputs += unsigned(var.arguments_size());
  const auto made = c.m.ops(to.first, inputs, outputs, attributesOf(c));
  std::size_t at = 0;
  for (const auto &var : c.op().outputs())
    for (std::size_t i = 0; i < std::size_t(var.arguments_size()); ++i)
      c.out(var.parameter().c_str(), made[at++], i);
}

// All inputs that have a value: those of a gradient may be missing.
std::vector<Slot> slotsOf(Call &c) {
  std::vector<Slot> out;
  for (const auto &var : c.op().inputs())
    for (const auto &name : var.arguments())
      if (c.environment().has(name))
        out.push_back(
            {name, c.environment().typeOrThrow(name), c.m.shape(c.environment().read(name, &c))});
  return out;
}
void convertOnHost(Call &c, const HostCall &call) {
  Values inputs;
  for (const auto &name : call.inputs)
    inputs.push_back(c.environment().read(name, &c));
  Integers types, ranks, shapes;
  for (const auto &slot : call.outputs) {
    types.push_back(std::int64_t(deviceType(slot.type)));
    ranks.push_back(std::int64_t(slot.shape.size()));
    shapes.insert(shapes.end(), slot.shape.begin(), slot.shape.end());
  }
  const auto made =
      c.m.ops("openipu.HostCall", inputs, unsigned(call.outputs.size()),
              {{"handle", call.handle}, {"types", types}, {"ranks", ranks}, {"shapes", shapes}});
  std::size_t at = 0;
  for (const auto &var : c.op().outputs())
    for (std::size_t i = 0; i < std::size_t(var.arguments_size()); ++i, ++at)
      if (var.arguments(int(i)) != "@EMPTY@")
        c.out(var.parameter().c_str(), made[at], i, call.outputs[at].type);
}

[[noreturn]] void unknown(const proto::OpDesc &op) {
  throw UnimplementedError("There is no operator \"" + op.type() +
                           "\" on the IPU. docs/paddle.md lists those that there "
                           "are; IpuStrategy.add_custom_op adds one.");
}

} // namespace

void convertOperator(Environment &environment, const proto::OpDesc &op, popart::Model &model) {
  Call call(environment, op, model);
  model.settings.name = op.type();
  frontend::converting<ProgramError, UnimplementedError>(call, [&] {
    if (const auto it = environment.custom.find(op.type()); it != environment.custom.end())
      return convertCustom(call, it->second);
    if (environment.onHost)
      if (const auto made = environment.onHost(op, slotsOf(call)))
        return convertOnHost(call, *made);
    if (const auto *converter = Registry::all().find(op.type())) {
      refuseFusions(call);
      (*converter)(call);
      if (environment.building)
        refuseUnknownAttributes(call, call.attributesRead());
      return;
    }
    if (isGradient(op.type()))
      return convertGradient(call);
    unknown(op);
  });
}

namespace {

class ModelBuilder {
public:
  ModelBuilder(const proto::ProgramDesc &program, const Feeds &feeds,
               const std::vector<std::string> &fetches,
               const std::map<std::string, Variable> &variables, const ConversionSettings &settings)
      : block_(program.blocks(0)), feeds_(feeds), fetches_(fetches), variables_(variables),
        settings_(settings), environment_(block_), ops_(chosen()), placement_(ops_, settings) {
    environment_.floats = settings.half ? DataType::FLOAT16 : DataType::FLOAT;
    environment_.custom = settings.custom;
    environment_.onHost = settings.onHost;
    environment_.asWritten = settings.whole;
    environment_.testing = !settings.whole && !settings.training;
  }

  Conversion run() {
    for (const auto &[name, shape] : feeds_)
      addFeed(name, shape);
    addVariables();
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      settle(placement_.of(i));
      convertOperator(environment_, *ops_[i], model_);
    }
    finish();
    out_.converted.model = std::move(model_);
    return std::move(out_);
  }

private:
  std::vector<const proto::OpDesc *> chosen() {
    auto results = fetches_;
    if (settings_.training) {
      loss_ = lossOf(block_);
      if (loss_.empty())
        throw ProgramError("The program has no loss: IpuStrategy says is_training=True, but nobody "
                           "called minimize() of "
                           "an optimizer on it. Call it, or set_graph_config(is_training=False).");
      results.push_back(loss_);
    }
    std::set<std::string> fed;
    for (const auto &feed : feeds_)
      fed.insert(feed.first);
    return select(block_, results, fed, settings_.whole);
  }

  void settle(const Place &place) {
    model_.settings.virtualGraph = place.ipu;
    model_.settings.pipelineStage = place.stage;
    if (settings_.memoryProportion > 0)
      model_.settings.extra.set("__available_memory_proportion", settings_.memoryProportion);
  }

  Shape declaredShape(const std::string &name, const proto::VarDesc &var) const {
    const auto &dims = var.type().lod_tensor().tensor().dims();
    Shape out(dims.begin(), dims.end());
    for (std::size_t d = 0; d < out.size(); ++d) {
      if (out[d] == -1 && d == 0)
        out[d] = settings_.microBatch;
      if (out[d] < 0)
        throw ProgramError(
            base::str("The feed \"", name, "\" has an unknown extent in dimension ", d,
                      ": only the first one, the batch, may be -1 on the IPU. Please check "
                      "tensor shape setting."));
    }
    return out;
  }

  void addFeed(const std::string &name, const std::optional<Shape> &shape) {
    const auto *var = environment_.declared(name);
    if (!var || !var->type().has_lod_tensor())
      throw ProgramError("The program has no variable \"" + name + "\" to feed.");
    const auto type = var->type().lod_tensor().tensor().data_type();
    const Slot slot{name, type, shape ? *shape : declaredShape(name, *var)};
    settle(placement_.ofVariable(name));
    const Value v = model_.input(name, {deviceType(type), slot.shape});
    environment_.bind(name, model_.cast(v, environment_.device(type)), type);
    out_.inputs.push_back(slot);
    out_.converted.inputs.push_back(name);
  }

  // Persistable variables that are read before they are written, or fetched.
  void addVariables() {
    std::set<std::string> used(fetches_.begin(), fetches_.end());
    for (const auto *op : ops_)
      for (const auto *side : {&op->inputs(), &op->outputs()})
        for (const auto &var : *side)
          used.insert(var.arguments().begin(), var.arguments().end());
    const auto trained = settings_.training ? trainedBy(block_) : std::set<std::string>();
    for (const auto &name : used) {
      const auto it = variables_.find(name);
      if (it == variables_.end() || environment_.has(name))
        continue;
      addVariable(name, it->second, trained.count(name) != 0);
    }
  }
  void addVariable(const std::string &name, const Variable &variable, bool trained) {
    const auto role = trained ? popart::ir::Role::Weight : popart::ir::Role::Fixed;
    settle(placement_.ofVariable(name));
    const Value v = model_.weight(name, {hostType(variable.type), variable.shape}, variable.data,
                                  variable.owner, role);
    handles_[name] = v;
    environment_.bind(name, model_.cast(v, environment_.device(variable.type)), variable.type);
    first_[name] = environment_.read(name, nullptr);
    out_.variables.push_back(name);
  }

  void finish() {
    settle(placement_.last());
    if (settings_.training)
      out_.converted.loss = lossName();
    for (const auto &name : fetches_)
      addOutput(name);
    for (const auto &name : environment_.written()) {
      const auto *var = environment_.declared(name);
      if (!var || !var->persistable())
        continue;
      if (const auto it = handles_.find(name); it != handles_.end())
        update(name, it->second);
      else
        out_.created.push_back(addOutput(name));
    }
  }
  void update(const std::string &name, Value handle) {
    Value v = environment_.read(name, nullptr);
    if (v == first_.at(name)) // an operator gave back what it got
      return;
    settle(placement_.ofVariable(name));
    if (model_.shape(v) != model_.shape(handle)) // a startup program that runs again
      throw ProgramError(base::str("The variable \"", name, "\" gets a value of shape ",
                                   popart::ir::text(model_.shape(v)), " and has shape ",
                                   popart::ir::text(model_.shape(handle)), "."));
    model_.update(handle, model_.cast(v, model_.type(handle)));
    out_.converted.changed.insert(name);
  }
  Slot addOutput(const std::string &name) {
    const auto type = environment_.typeOf(name);
    if (!type)
      throw ProgramError("The program has no variable \"" + name + "\" to fetch.");
    const Value v = model_.cast(environment_.read(name, nullptr), deviceType(*type));
    const auto id = base::str("output/", out_.outputs.size());
    model_.output(model_.op("Identity", {v}), id);
    out_.converted.outputs.push_back(id);
    out_.outputs.push_back({name, *type, model_.shape(v)});
    return out_.outputs.back();
  }
  std::string lossName() {
    const Value v = environment_.read(loss_, nullptr);
    if (model_.info(v).nelms() != 1)
      throw ProgramError("The loss \"" + loss_ + "\" has shape " +
                         popart::ir::text(model_.shape(v)) +
                         "; it must be one number. Use paddle.mean or paddle.sum.");
    return model_.nameOf(model_.cast(model_.reshape(v, {}), DataType::FLOAT));
  }

  const proto::BlockDesc &block_;
  const Feeds &feeds_;
  const std::vector<std::string> &fetches_;
  const std::map<std::string, Variable> &variables_;
  const ConversionSettings &settings_;
  Environment environment_;
  std::string loss_;
  std::vector<const proto::OpDesc *> ops_;
  Placement placement_;
  popart::Model model_{"program"};
  std::map<std::string, Value> handles_, first_; // variables, and their values at the beginning
  Conversion out_;
};

} // namespace

Conversion convert(const proto::ProgramDesc &program, const Feeds &feeds,
                   const std::vector<std::string> &fetches,
                   const std::map<std::string, Variable> &variables,
                   const ConversionSettings &settings) {
  return ModelBuilder(program, feeds, fetches, variables, settings).run();
}

} // namespace paddleipu
