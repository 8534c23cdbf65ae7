// SPDX-License-Identifier: MIT
// poptorch.MultiConv: convolutions between two markers become one operator.
#include "core/Conversion.hpp"
#include <algorithm>

namespace poptorch {

namespace {

template <class Visit> void eachTensor(const Operation &operation, Visit visit) {
  for (const auto &argument : operation.arguments) {
    if (const auto *one = std::get_if<TensorArgument>(&argument))
      visit(one->tensor);
    else if (const auto *list = std::get_if<TensorList>(&argument))
      std::for_each(list->begin(), list->end(), visit);
  }
}

bool endsRegion(const std::string &name) { return name == "poptorch::end_multi_conv"; }

bool isBody(const std::string &name) {
  for (const char *marker :
       {"start_for_loop", "end_for_loop", "start_if_block", "start_else_block", "end_if_block"})
    if (name == std::string("poptorch::") + marker)
      return true;
  return false;
}

// One value for each convolution; one alone is for all.
template <class List> List forAll(const Call &c, List values, const char *name, std::size_t n) {
  if (values.size() == 1)
    values.resize(n, values[0]);
  if (values.size() != n)
    c.fail("MultiConv.", name, " has ", values.size(), " values for ", n, " convolutions.");
  return values;
}

Attributes optionsOf(const Call &c, std::size_t n) {
  Attributes out;
  if (c.has("availableMemoryProportions")) {
    const auto given = c.reals("availableMemoryProportions");
    out.set("availableMemoryProportions", forAll(c, std::vector<float>(given.begin(), given.end()),
                                                 "availableMemoryProportions", n));
  }
  if (c.has("partialsTypes")) {
    std::vector<std::string> names;
    for (auto half : c.integers("partialsTypes"))
      names.push_back(half ? "half" : "float");
    out.set("partialsTypes", forAll(c, names, "partialsTypes", n));
  }
  if (c.has("enableConvDithering"))
    out.set("enableConvDithering",
            forAll(c, c.integers("enableConvDithering"), "enableConvDithering", n));
  if (c.has("planType"))
    out.set("planType", std::string(c.integer("planType") ? "serial" : "parallel"));
  if (c.has("perConvReservedTiles"))
    out.set("perConvReservedTiles", c.integer("perConvReservedTiles"));
  if (c.has("cycleBackOff"))
    out.set("cycleBackOff", float(c.real("cycleBackOff")));
  return out;
}

} // namespace

bool Conversion::waits(const Operation &operation) const {
  const auto &name = recording_.signatures.at(operation.signature).name;
  if (endsRegion(name))
    return false;
  if (isBody(name))
    throw ConversionError(describe(operation) + ": a poptorch.MultiConv cannot have loops or "
                                                "conditions in it.");
  bool found = operation.writes;
  eachTensor(operation, [&](TensorNumber tensor) {
    found =
        found || (tensor != noTensor &&
                  (gathering_->unknown.count(tensor) ||
                   (states_[tensor].bound && gathering_->written.count(states_[tensor].storage))));
  });
  return found;
}

void Conversion::wait(const Operation &operation) {
  const auto &name = recording_.signatures.at(operation.signature).name;
  if (name.find("conv") != std::string::npos)
    throw ConversionError(describe(operation) +
                          ": a convolution of a poptorch.MultiConv needs the result of another "
                          "one in it, or of a write. They must be independent.");
  gathering_->waiting.push_back(&operation);
  gathering_->unknown.insert(operation.outputs.begin(), operation.outputs.end());
  for (auto tensor : operation.aliases)
    if (operation.writes && tensor != noTensor && states_[tensor].bound)
      gathering_->written.insert(states_[tensor].storage);
}

void Conversion::gather(Convolution convolution) {
  gathering_->unknown.insert(convolution.result);
  gathering_->convolutions.push_back(std::move(convolution));
}

void Conversion::endConvolutions(Call &end) {
  const Gathering region = std::move(*gathering_);
  gathering_.reset();
  if (region.convolutions.empty())
    end.fail("Unexpected end_multi_conv: there is no convolution in the poptorch.MultiConv.");
  Values inputs;
  Integers counts;
  auto attributes = optionsOf(end, region.convolutions.size());
  for (const char *name : {"strides", "dilations", "pads"}) {
    Integers all, lengths;
    for (const auto &convolution : region.convolutions) {
      const auto &own = std::get<Integers>(convolution.attributes.all().at(name));
      all.insert(all.end(), own.begin(), own.end());
      lengths.push_back(std::int64_t(own.size()));
    }
    attributes.set(name, all);
    attributes.set(std::string(name) + "_lengths", lengths);
  }
  for (const auto &convolution : region.convolutions) {
    inputs.insert(inputs.end(), convolution.inputs.begin(), convolution.inputs.end());
    counts.push_back(std::int64_t(convolution.inputs.size()));
  }
  attributes.set("tensors", counts);
  const Values results = model().ops("MultiConv", inputs,
                                     static_cast<unsigned>(region.convolutions.size()), attributes);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto tensor = region.convolutions[i].result;
    const auto &info = recording_.tensors[tensor];
    bind(tensor, model().cast(model().reshape(results[i], info.shape()), info.dataType()));
  }
  for (const auto *operation : region.waiting)
    convert(*operation);
}

} // namespace poptorch
