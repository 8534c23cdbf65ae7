// SPDX-License-Identifier: MIT
// poptorch.for_loop and poptorch.cond: operators between two markers are a body.
#include "core/Conversion.hpp"

namespace poptorch {

namespace {

// Body of a Loop: (iteration, condition, carried..., captured...) -> (condition, carried...)
constexpr std::size_t firstCarried = 2;

Values startLoop(Call &c) {
  Values inputs = {c.m.scalar(0, DataType::INT32), c.m.scalar(1, DataType::BOOL)};
  const Values carried = c.list("inputs");
  inputs.insert(inputs.end(), carried.begin(), carried.end());
  auto &conversion = c.conversion();
  conversion.beginBody("loop", inputs);
  conversion.openBody({carried, none, {}});
  Values formals;
  for (std::size_t i = 0; i < carried.size(); ++i)
    formals.push_back(conversion.bodyInput(firstCarried + i));
  return formals;
}

Values endLoop(Call &c) {
  auto &conversion = c.conversion();
  Values outputs = {conversion.bodyInput(1)};
  for (Value v : c.list("outputs"))
    outputs.push_back(v);
  const auto trips = c.integer("trip_count");
  auto body = conversion.endBody(outputs);
  const auto open = conversion.closeBody();
  auto &m = conversion.model();
  Values inputs = {none, m.scalar(1, DataType::BOOL)};
  inputs.insert(inputs.end(), open.inputs.begin(), open.inputs.end());
  inputs.insert(inputs.end(), body.captured.begin(), body.captured.end());
  std::vector<popart::Model> bodies;
  bodies.push_back(std::move(body.model));
  return m.ops("Loop", inputs, static_cast<unsigned>(open.inputs.size()), std::move(bodies),
               {{"trip", trips}, {"carried", std::int64_t(open.inputs.size())}});
}

// Both bodies of an If get the same inputs: what the one uses from outside, then what the other
// does.
Values startIf(Call &c) {
  auto &conversion = c.conversion();
  const Value condition = c.m.reshape(c.cast(c.in("condition"), DataType::BOOL), {});
  conversion.beginBody("then", {});
  conversion.openBody({{}, condition, {}});
  return {};
}
Values startElse(Call &c) {
  auto &conversion = c.conversion();
  auto then = conversion.endBody(c.list("outputs"));
  auto open = conversion.closeBody();
  conversion.beginBody("else", then.captured);
  open.inputs = then.captured;
  open.bodies.push_back(std::move(then.model));
  conversion.openBody(std::move(open));
  return {};
}
Values endIf(Call &c) {
  auto &conversion = c.conversion();
  const auto results = static_cast<unsigned>(c.results());
  auto other = conversion.endBody(c.list("outputs"));
  auto open = conversion.closeBody();
  auto &m = conversion.model();
  Values inputs = {open.condition};
  inputs.insert(inputs.end(), open.inputs.begin(), open.inputs.end());
  for (std::size_t i = 0; i < other.captured.size(); ++i) {
    inputs.push_back(other.captured[i]);
    open.bodies[0].input("unused/" + std::to_string(i), m.info(other.captured[i]));
  }
  open.bodies.push_back(std::move(other.model));
  return m.ops("If", inputs, results, std::move(open.bodies), {});
}

} // namespace

void addBodies(Registry &r) {
  r.add("poptorch::start_for_loop", startLoop);
  r.add("poptorch::end_for_loop", endLoop);
  r.add("poptorch::start_if_block", startIf);
  r.add("poptorch::start_else_block", startElse);
  r.add("poptorch::end_if_block", endIf);
}

} // namespace poptorch
