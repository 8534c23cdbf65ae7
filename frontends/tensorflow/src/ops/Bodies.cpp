// SPDX-License-Identifier: MIT
// Loops and conditions. Their bodies see their own inputs only: what they use from outside is among
// them.
#include "core/Conversion.hpp"
#include <popart/error.hpp>

namespace tensorflow {

namespace {

// A body with inputs like these values, in front of which `more` are put.
struct Body {
  popart::Model model;
  Values outputs; // in the body
};

Body bodyOf(Call &c, const Recording &recording, const Values &front, const Values &inputs,
            const char *name) {
  Body out{c.m.body(name), {}};
  out.model.settings = c.m.settings;
  Values formals;
  std::size_t n = 0;
  for (Value v : front)
    out.model.input("front/" + std::to_string(n++), c.m.info(v));
  for (Value v : inputs)
    formals.push_back(out.model.input("in/" + std::to_string(n++), c.m.info(v)));
  Conversion conversion(recording, out.model, formals);
  conversion.follow();
  for (auto tensor : recording.outputs)
    out.outputs.push_back(out.model.op("Identity", {conversion.at(tensor)}));
  return out;
}

void give(Body &body, const Values &outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    body.model.output(outputs[i], "out/" + std::to_string(i));
}

// Body: all inputs -> the first `carried` of them; of a while loop the condition comes first.
// Inputs of the node: the condition's value in front of the first round if there is one, then the
// body's.
Values loop(Call &c) {
  const bool conditional = c.flag("conditional");
  Values inputs(c.all().begin() + (conditional ? 1 : 0), c.all().end());
  const auto carried = std::size_t(c.integer("carried"));
  const Value start = conditional ? c.m.reshape(c.in(0), {}) : c.m.scalar(1, DataType::BOOL);
  const Values front{c.m.scalar(0, DataType::INT32), start};
  auto body = bodyOf(c, *c.node().bodies.at(0), front, inputs, "loop");
  Values outputs = body.outputs;
  if (!conditional)
    outputs.insert(outputs.begin(), body.model.scalar(1, DataType::BOOL));
  else
    outputs[0] = body.model.reshape(outputs[0], {});
  give(body, outputs);
  Values all{none, start};
  all.insert(all.end(), inputs.begin(), inputs.end());
  std::vector<popart::Model> bodies;
  bodies.push_back(std::move(body.model));
  Attributes attributes{{"carried", std::int64_t(carried)}};
  if (c.has("trip"))
    attributes.set("trip", c.integer("trip"));
  return c.m.ops("Loop", all, unsigned(carried), std::move(bodies), attributes);
}

// Inputs: the condition, then what both bodies get.
Values conditional(Call &c) {
  Values inputs{c.m.reshape(c.cast(c.in(0), DataType::BOOL), {})};
  const Values given(c.all().begin() + 1, c.all().end());
  std::vector<popart::Model> bodies;
  for (const auto &recording : c.node().bodies) {
    auto body = bodyOf(c, *recording, {}, given, "branch");
    give(body, body.outputs);
    bodies.push_back(std::move(body.model));
  }
  inputs.insert(inputs.end(), given.begin(), given.end());
  return c.m.ops("If", inputs, unsigned(c.results()), std::move(bodies), {});
}

// Inputs: results, what they have gradients by, and what the body captures. Its own inputs are the
// results' gradients and the captured ones.
Values customGradient(Call &c) {
  const auto results = std::size_t(c.integer("results")), by = std::size_t(c.integer("by"));
  Values given(c.all().begin(), c.all().begin() + std::ptrdiff_t(results));
  given.insert(given.end(), c.all().begin() + std::ptrdiff_t(results + by), c.all().end());
  auto body = bodyOf(c, *c.node().bodies.at(0), {}, given, "gradient");
  give(body, body.outputs);
  std::vector<popart::Model> bodies;
  bodies.push_back(std::move(body.model));
  return c.m.ops("openipu.CustomGradient", c.all(), unsigned(c.results()), std::move(bodies),
                 {{"results", std::int64_t(results)}, {"by", std::int64_t(by)}});
}

} // namespace

void addBodies(Registry &r) {
  r.add("While", loop);
  r.add("If", conditional);
  r.add("CustomGradient", customGradient);
}

} // namespace tensorflow
