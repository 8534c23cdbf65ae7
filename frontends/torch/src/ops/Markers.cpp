// SPDX-License-Identifier: MIT
// Operators of PopTorch's own: losses, names, placement, and what they say of other operators.
#include "base/Text.hpp"
#include "core/Conversion.hpp"
#include "core/Overlaps.hpp"
#include "core/Places.hpp"
#include "openipu/CustomOperators.hpp"

namespace poptorch {

namespace {

// 0 sum, 1 mean, 2 as it is
Values identityLoss(Call &c) {
  const auto reduction = c.integer("reduction");
  const Value loss = c.reduced(c.in("self"), reduction == 0 ? 2 : reduction == 1 ? 1 : 0);
  const Value own = c.m.op("Identity", {loss});
  c.markLoss(own);
  return {own};
}

Values print(Call &c) {
  Attributes a;
  a.set("title", c.text("title"));
  if (!c.text("title").empty())
    a.set("gradient_title", c.text("title") + "_gradient");
  a.set("print_gradient", c.integer("print_gradient"));
  a.set("summariseThreshold", c.integer("summarise_threshold"));
  a.set("edgeItems", c.integer("edge_items"));
  a.set("maxLineWidth", c.integer("max_line_width"));
  a.set("digits", c.integer("digits"));
  a.set("floatFormat", c.integer("float_format"));
  a.set("separator", c.text("separator"));
  a.set("openBracket", c.text("open_bracket"));
  a.set("closeBracket", c.text("close_bracket"));
  return {c.m.op("PrintTensor", {c.in("self")}, a)};
}

// ---- where operators are

Values beginBlock(Call &c) {
  auto &s = c.conversion().placement;
  const auto optional = [&](const char *name) {
    return c.has(name) ? std::optional<std::int64_t>(c.integer(name)) : std::nullopt;
  };
  s = {optional("ipu"), optional("stage"), optional("phase")};
  c.conversion().blocks = Conversion::Blocks::Inside;
  return {};
}
Values endBlock(Call &c) {
  c.conversion().blocks = Conversion::Blocks::Outside;
  return {};
}
Values pushName(Call &c) {
  c.conversion().nameScopes.push_back(c.text("name"));
  return {};
}
Values popName(Call &c) {
  c.conversion().nameScopes.pop_back();
  return {};
}
Values setAttribute(Call &c) {
  c.conversion().extra.set(c.text("key"), c.text("value"));
  return {};
}
Values clearAttribute(Call &c) {
  c.conversion().extra.erase(c.text("key"));
  return {};
}

// ---- about the operator that made a tensor

const std::vector<std::string> planned = {
    "MatMul", "Conv", "ConvTranspose",   "Gather",    "GatherND",      "Gemm",           "LSTM",
    "GRU",    "RNN",  "ScatterElements", "ScatterND", "ScatterReduce", "GatherElements", "TopK"};

Values availableMemory(Call &c) {
  const Value v = c.in("self");
  if (auto *settings = c.m.producer(v, planned))
    settings->extra.set("__available_memory_proportion", float(c.real("proportion")));
  else
    c.conversion().warn(c.conversion().describe(c.operation()) +
                        " has no effect: no convolution, product or look-up made the "
                        "tensor.");
  return {v};
}
Values serialization(Call &c) {
  const Value v = c.in("self");
  auto *settings = c.m.producer(v, {"MatMul"});
  if (!settings)
    c.fail("no matrix product made the tensor.");
  const auto mode = c.text("mode");
  if (mode != "none" && c.integer("factor") < 1)
    c.fail("the factor is ", c.integer("factor"), "; it must be at least 1.");
  settings->extra.set("__serialize_matmul_mode", mode);
  settings->extra.set("__serialize_matmul_factor", c.integer("factor"));
  settings->extra.set("__serialize_matmul_prec", c.integer("keep_precision"));
  return {v};
}
Values checkpoint(Call &c) {
  const Value v = c.in("self");
  if (auto *settings = c.m.producer(v, {}))
    settings->recompute = popart::ir::Recompute::Checkpoint;
  return {v};
}

// ---- places that are known when the model runs

Value sliceStart(Call &c, Value x, std::int64_t axis, std::int64_t size) {
  const auto extent = c.shapeOf(x)[std::size_t(axis)];
  return c.cast(checkedStart(c, c.in("start"), extent, size), DataType::UINT32);
}
Values dynamicSlice(Call &c) {
  const Value x = c.in("self");
  const auto axis = c.axis("dim", c.rank(x)), size = c.integer("size"), step = c.integer("step");
  const Value start = sliceStart(c, x, axis, size);
  const Value part =
      c.m.op("DynamicSlice", {x, start}, {{"axes", Integers{axis}}, {"sizes", Integers{size}}});
  return {c.slice(part, axis, 0, size, step)};
}
Values dynamicUpdate(Call &c) {
  const Value x = c.in("self");
  const auto axis = c.axis("dim", c.rank(x)), size = c.integer("size");
  return {c.m.op("DynamicUpdate",
                 {x, sliceStart(c, x, axis, size), c.cast(c.in("src"), c.m.type(x))},
                 {{"axes", Integers{axis}}, {"sizes", Integers{size}}})};
}

// ---- what is not in this folder

std::string listed(const std::set<std::string> &names) {
  std::string text;
  for (const auto &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

// An operator gets only what it asks for; others may be misspelt.
void warnOfAttributes(Call &c, const Attributes &given) {
  const auto declared = popart::declaredAttributes(c.text("domain"), c.text("name"));
  if (!declared)
    return;
  std::set<std::string> unknown;
  for (const auto &[name, value] : given.all())
    if (!declared->count(name))
      unknown.insert(name);
  if (!unknown.empty())
    c.conversion().warn(base::str(c.conversion().describe(c.operation()), ": the operator ",
                                  c.text("domain"), ".", c.text("name"), " has no attribute ",
                                  listed(unknown), "; it declares ",
                                  declared->empty() ? "none" : listed(*declared), "."));
}

Values customOperation(Call &c) {
  Attributes attributes;
  for (const auto &[name, value] : c.attributes("attribute:"))
    attributes.set(name, value);
  warnOfAttributes(c, attributes);
  return c.m.ops(c.text("domain") + "." + c.text("name"), c.list("inputs"),
                 static_cast<unsigned>(c.results()), attributes);
}

// A layer on the host.
Values callCpu(Call &c) {
  Integers types, ranks, extents;
  for (std::size_t i = 0; i < c.results(); ++i) {
    types.push_back(std::int64_t(c.type(i)));
    ranks.push_back(std::int64_t(c.shape(i).size()));
    extents.insert(extents.end(), c.shape(i).begin(), c.shape(i).end());
  }
  return c.m.ops(
      "HostCall", c.list("inputs"), static_cast<unsigned>(c.results()),
      {{"handle", c.text("handle")}, {"types", types}, {"ranks", ranks}, {"shapes", extents}});
}

} // namespace

void addMarkers(Registry &r) {
  r.add("poptorch::identity_loss", identityLoss);
  r.add("poptorch::nop", [](Call &c) -> Values {
    const bool learns = c.conversion().settings().training; // through Nop no gradient flows
    return {c.m.op(learns ? "Identity" : "Nop", {c.in("self")})};
  });
  r.add("poptorch::ipu_print_tensor", print);
  r.add("poptorch::begin_ipu_block", beginBlock);
  r.add("poptorch::end_ipu_block", endBlock);
  r.add("poptorch::push_name_scope", pushName);
  r.add("poptorch::pop_name_scope", popName);
  r.add("poptorch::set_attribute", setAttribute);
  r.add("poptorch::clear_attribute", clearAttribute);
  r.add("poptorch::set_available_memory", availableMemory);
  r.add("poptorch::set_matmul_serialization", serialization);
  r.add("poptorch::recomputation_checkpoint", checkpoint);
  r.add("poptorch::dynamic_slice", dynamicSlice);
  r.add("poptorch::dynamic_update", dynamicUpdate);
  r.add("poptorch::custom_operation", customOperation);
  r.add("poptorch::call_cpu_op", callCpu);
  for (const char *name : {inputOverlap, outputOverlap})
    r.add(name, [](Call &c) -> Values { return {c.in("self")}; });
}

} // namespace poptorch
