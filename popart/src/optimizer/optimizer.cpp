// SPDX-License-Identifier: MIT
#include <popart/optimizer.hpp>

#include "base/Text.hpp"
#include "optimizer/checks.hpp"
#include <algorithm>
#include <popart/error.hpp>

namespace popart {

using Mode = ClipNormSettings::Mode;

namespace {

void checkClipNorm(const std::vector<ClipNormSettings> &groups) {
  std::set<TensorId> seen;
  for (const auto &group : groups) {
    if (!(group.getMaxNorm() > 0))
      throw error(base::str("ClipNormSettings: the largest norm is ", group.getMaxNorm(),
                            "; it must be greater than zero."));
    if (group.getMode() == Mode::ClipAllWeights && groups.size() > 1)
      throw error(base::str("ClipNormSettings: clipAllWeights together with ", groups.size() - 1,
                            " other group(s). It clips every weight; give it alone."));
    for (const auto &id : group.getWeightIds())
      if (!seen.insert(id).second)
        throw error(base::str("ClipNormSettings: the weight \"", id,
                              "\" is listed twice. Give every weight one group."));
  }
}

std::string defaultName(const std::string &name) {
  std::string out = "default" + name;
  out[7] = static_cast<char>(std::toupper(out[7]));
  return out;
}

std::string text(const OptimizerValue &value) {
  return value.isConst() ? base::str("constant ", value.val())
                         : base::str(value.val(), ", which may change");
}

// Constants exactly, others only as such.
void writeExactly(std::ostringstream &out, const OptimizerValue &value) {
  if (value.isConst())
    out << std::hexfloat << value.val() << std::defaultfloat;
  else
    out << '?';
}

[[noreturn]] void refuse(const std::string &why) {
  throw runtime_error("The optimizer cannot be replaced: " + why);
}

void checkReplacement(const std::string &what, const OptimizerValue &now,
                      const OptimizerValue &then) {
  if (!now.validReplacement(then))
    refuse(base::str(what, " is ", text(now), "; the new one is ", text(then),
                     ". Constants are part of the program; a value that shall change must be "
                     "non-constant from the start."));
}

} // namespace

Optimizer::Optimizer(OptimizerValue lossScaling, const std::vector<ClipNormSettings> &clipNorm,
                     const DebugContext &debugContext)
    : lossScaling_(lossScaling), clipNorm_(clipNorm), debugContext_(debugContext) {
  checkClipNorm(clipNorm_);
}
Optimizer::~Optimizer() = default;

void Optimizer::addParameter(
    const std::string &name, OptimizerValue byDefault,
    std::function<void(const std::string &, const OptimizerValue &)> check) {
  parameters_.push_back({name, OptimizerValueMap(byDefault), std::move(check)});
}

const OptimizerValueMap &Optimizer::parameter(const std::string &name) const {
  for (const auto &p : parameters_)
    if (p.name == name)
      return p.values;
  throw internal_error("{} has no hyper-parameter {}.", type_s(), name);
}

void Optimizer::checkTogether(const TensorId &) const {}

void Optimizer::checkDefaults() const {
  optimizer::positive(type_s() + ": lossScaling", lossScaling_);
  for (const auto &p : parameters_)
    p.check(type_s() + ": " + defaultName(p.name), p.values.getDefault());
  checkTogether("");
}

void Optimizer::insertSpecific(const TensorId &weight, const ParameterMap &params) {
  std::vector<std::string> names;
  std::map<std::string, OptimizerValue> values;
  for (const auto &p : parameters_)
    names.push_back(p.name);
  for (const auto &[name, value] : optimizer::onlyKnown(params, names, type_s()))
    values[name] = value;
  insert(weight, values);
}

void Optimizer::insert(const TensorId &weight,
                       const std::map<std::string, OptimizerValue> &values) {
  for (auto &p : parameters_) {
    auto it = values.find(p.name);
    const OptimizerValue value = it == values.end() ? p.values.getDefault() : it->second;
    p.check(base::str(type_s(), ": ", p.name, " of \"", weight, "\""), value);
    p.values.insertSpecific(weight, value);
  }
  checkTogether(weight);
}

bool Optimizer::hasSpecific(const TensorId &weight) const {
  return parameters_.front().values.hasSpecific(weight);
}
bool Optimizer::hasSpecific() const { return parameters_.front().values.hasSpecific(); }

void Optimizer::validReplacement(const Optimizer &other) const {
  if (type() != other.type())
    refuse(base::str("it is ", type_s(), "; the new one is ", other.type_s(), "."));
  const auto now = modes(), then = other.modes();
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != then[i])
      refuse(base::str(now[i].first, " is ", now[i].second, "; the new one has ", then[i].second,
                       "."));
  if (clipNorm_ != other.clipNorm_)
    refuse("the settings of gradient clipping differ.");
  checkReplacement("lossScaling", lossScaling_, other.lossScaling_);
  for (const auto &p : parameters_) {
    const auto &theirs = other.parameter(p.name);
    checkReplacement(defaultName(p.name), p.values.getDefault(), theirs.getDefault());
    for (const auto &[id, value] : p.values.getSpecifics()) {
      if (!theirs.hasSpecific(id))
        refuse(base::str("the weight \"", id, "\" has values of its own; the new one has none."));
      checkReplacement(base::str(p.name, " of \"", id, "\""), value, theirs.get(id));
    }
    for (const auto &[id, value] : theirs.getSpecifics())
      if (!p.values.hasSpecific(id))
        refuse(base::str("the weight \"", id, "\" has values of its own only in the new one."));
  }
}

std::string Optimizer::structure() const {
  base::TextStream out;
  out << type_s();
  for (const auto &[name, value] : modes())
    out << ' ' << name << '=' << value;
  out << " lossScaling=";
  writeExactly(out, lossScaling_);
  for (const auto &group : clipNorm_)
    out << " clip=" << (group.getMode() == Mode::ClipAllWeights) << base::list(group.getWeightIds())
        << std::hexfloat << group.getMaxNorm() << std::defaultfloat;
  for (const auto &p : parameters_) {
    out << ' ' << p.name << '=';
    writeExactly(out, p.values.getDefault());
    for (const auto &[id, value] : p.values.getSpecifics()) {
      out << ' ' << p.name << '[' << id << "]=";
      writeExactly(out, value);
    }
  }
  return out.str();
}

} // namespace popart
