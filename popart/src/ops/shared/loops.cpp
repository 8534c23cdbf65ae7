// SPDX-License-Identifier: MIT
// The gradient of a loop. Its states are the gradients of the forward loop's states and the sums of
// those of outer values; it scans, from the end, the states that entered each iteration, the
// slices, and the gradients of what was stacked; it stacks the gradients of the slices.
#include "ops/shared/loops.hpp"

#include "ops/shared/bodies.hpp"
#include "transforms/rewriting/prune.hpp"
#include <algorithm>
#include <set>

namespace popart::ops {

namespace {

// A tensor scanned along an axis in the backward loop, and the input of the body that gets its
// slices.
struct Scanned {
  Value outer = none, inner = none;
  std::int64_t axis = 0, backwards = 1;
};

Value withFirstAxis(GraphBuilder &b, Value v) {
  Shape shape = b.shape(v);
  shape.insert(shape.begin(), 1);
  return b.reshape(v, shape);
}

class Backward {
public:
  Backward(GradBuilder &g, const ScanParts &scan, const Values &made)
      : g_(g), scan_(scan), made_(made), states_(scan.states.size()) {}

  Values run() {
    differentiate();
    const auto sums = outputsOfBody();
    dropUnused();
    keepStates();
    return results(sums, appendScan(g_, parts()));
  }

private:
  const ir::Graph &forward() const { return *scan_.body; }
  std::size_t stacked() const { return forward().outputs.size() - states_; }
  bool isReal(std::size_t state) const { return isFloatingPoint(g_.type(scan_.states[state])); }
  // Where the body's inputs of one sort begin.
  std::size_t slices() const { return states_; }
  std::size_t outers() const { return states_ + scan_.scanned.size(); }

  // The body's gradient, whose inputs are those of the body and the gradients of its outputs.
  void differentiate() {
    std::vector<bool> marked;
    for (std::size_t i = 0; i < states_; ++i)
      marked.push_back(isReal(i));
    for (std::size_t k = 0; k < stacked(); ++k)
      marked.push_back(g_.dy(unsigned(states_ + k)) != none);
    auto made = differentiateBody(forward(), marked);
    body_ = std::make_shared<ir::Graph>(std::move(made.graph));
    gradients_ = std::move(made.gradients);
    const Values in = body_->inputs;
    for (std::size_t i = 0; i < states_; ++i)
      entered_.push_back({none, in[i]});
    for (std::size_t i = 0; i < scan_.scanned.size(); ++i)
      scanned_.push_back(
          {scan_.scanned[i], in[slices() + i], scan_.inputAxes[i], 1 - scan_.inputBackwards[i]});
    outer_.assign(in.begin() + std::ptrdiff_t(outers()),
                  in.begin() + std::ptrdiff_t(forward().inputs.size()));
    auto next = in.begin() + std::ptrdiff_t(forward().inputs.size());
    for (std::size_t i = 0; i < states_; ++i)
      if (isReal(i))
        carried_.push_back(*next++);
    for (std::size_t k = 0; k < stacked(); ++k)
      if (marked[states_ + k])
        scanned_.push_back({g_.dy(unsigned(states_ + k)), *next++, scan_.outputAxes[k],
                            1 - scan_.outputBackwards[k]});
  }

  // Outputs: gradients of the states, sums for outer values (their inputs are returned), gradients
  // of slices.
  Values outputsOfBody() {
    GraphBuilder b(*body_);
    Values sums;
    body_->outputs.clear();
    for (std::size_t i = 0; i < states_; ++i)
      if (isReal(i))
        body_->outputs.push_back(gradients_[i] == none ? b.zerosLike(body_->inputs[i])
                                                       : gradients_[i]);
    for (std::size_t i = outers(); i < gradients_.size(); ++i)
      if (gradients_[i] != none) {
        const auto &of = (*body_)[body_->inputs[i]];
        sums.push_back(body_->add({"Sum/" + of.name, of.info, ir::Kind::Computed, {}}));
        body_->outputs.push_back(b.add(sums.back(), gradients_[i]));
      }
    for (std::size_t i = slices(); i < outers(); ++i)
      if (gradients_[i] != none)
        body_->outputs.push_back(gradients_[i]);
    transforms::prune(*body_, {body_->outputs.begin(), body_->outputs.end()});
    carried_.insert(carried_.end(), sums.begin(), sums.end());
    return sums;
  }

  // Values that the backward body does not read are not kept for it; one scanned input says how
  // long the loop is.
  void dropUnused() {
    std::set<Value> used(body_->outputs.begin(), body_->outputs.end());
    for (const auto &node : body_->nodes)
      used.insert(node.inputs.begin(), node.inputs.end());
    const Scanned first = scanned_.front();
    const auto unused = [&](const Scanned &s) { return !used.count(s.inner); };
    std::erase_if(scanned_, unused);
    std::erase_if(entered_, unused);
    if (scanned_.empty())
      scanned_.push_back(first);
    for (std::size_t i = 0; i < outer_.size(); ++i)
      if (!used.count(outer_[i]))
        outer_[i] = none;
  }

  // The states that entered each iteration: from an output that stacks what left the one before, or
  // by running the loop again.
  void keepStates() {
    std::vector<std::size_t> missing;
    for (auto &state : entered_)
      if (!fromOutput(state))
        missing.push_back(indexOf(state));
    if (missing.empty())
      return;
    auto body = std::make_shared<ir::Graph>(forward());
    body->outputs.resize(states_);
    for (auto i : missing)
      body->outputs.push_back(body->inputs[i]);
    transforms::prune(*body, {body->outputs.begin(), body->outputs.end()});
    ScanParts again = scan_;
    again.body = body;
    again.outputAxes = again.outputBackwards = Integers(missing.size(), 0);
    again.kept = 0;
    const Values kept = appendScan(g_, again);
    for (auto &state : entered_)
      if (state.outer == none)
        state.outer =
            kept[states_ + std::size_t(std::find(missing.begin(), missing.end(), indexOf(state)) -
                                       missing.begin())];
  }
  std::size_t indexOf(const Scanned &state) const {
    const auto &in = forward().inputs;
    return std::size_t(std::find(in.begin(), in.end(), state.inner) - in.begin());
  }
  bool fromOutput(Scanned &state) {
    const auto i = indexOf(state);
    const auto &out = forward().outputs;
    for (std::size_t k = 0; k < stacked(); ++k) {
      const auto at = states_ + k;
      if (sourceOf(forward(), out[at]) != sourceOf(forward(), out[i]) || scan_.outputAxes[k] != 0 ||
          at >= made_.size() || made_[at] == none)
        continue;
      const bool back = scan_.outputBackwards[k] != 0;
      const Value first = withFirstAxis(g_, scan_.states[i]), all = made_[at];
      const std::int64_t length = g_.shape(all)[0];
      state.backwards = !back;
      state.outer = first;
      if (length > 1) {
        const Value rest =
            g_.ops("Split", {all}, 2,
                   {{"axis", std::int64_t(0)},
                    {"split", back ? Integers{1, length - 1} : Integers{length - 1, 1}}})[back];
        state.outer = g_.op("Concat", back ? Values{rest, first} : Values{first, rest},
                            {{"axis", std::int64_t(0)}});
      }
      return true;
    }
    return false;
  }

  ScanParts parts() {
    ScanParts back;
    body_->inputs = carried_;
    for (std::size_t i = 0; i < states_; ++i)
      if (isReal(i)) {
        const Value dy = g_.dy(unsigned(i));
        back.states.push_back(dy == none ? g_.zerosLike(scan_.states[i]) : dy);
      }
    for (std::size_t i = outers(); i < gradients_.size(); ++i)
      if (gradients_[i] != none)
        back.states.push_back(g_.zerosLike(scan_.outer[i - outers()]));
    for (const auto *list : {&entered_, &scanned_})
      for (const auto &s : *list) {
        body_->inputs.push_back(s.inner);
        back.scanned.push_back(s.outer);
        back.inputAxes.push_back(s.axis);
        back.inputBackwards.push_back(s.backwards);
      }
    for (std::size_t i = 0; i < outer_.size(); ++i)
      if (outer_[i] != none) {
        body_->inputs.push_back(outer_[i]);
        back.outer.push_back(scan_.outer[i]);
      }
    for (std::size_t i = 0; i < scan_.scanned.size(); ++i)
      if (gradients_[slices() + i] != none) {
        back.outputAxes.push_back(scan_.inputAxes[i]);
        back.outputBackwards.push_back(1 - scan_.inputBackwards[i]);
      }
    back.body = body_;
    back.seedModifier = scan_.seedModifier; // the same numbers again
    back.fromTheEnd = !scan_.fromTheEnd;
    return back;
  }

  Values results(const Values &sums, const Values &made) const {
    Values out(gradients_.size(), none);
    std::size_t next = 0;
    for (std::size_t i = 0; i < states_; ++i)
      if (isReal(i))
        out[i] = made[next++];
    std::size_t slice = next + sums.size();
    for (std::size_t i = outers(); i < out.size(); ++i)
      if (gradients_[i] != none)
        out[i] = made[next++];
    for (std::size_t i = slices(); i < outers(); ++i)
      if (gradients_[i] != none)
        out[i] = made[slice++];
    return out;
  }

  GradBuilder &g_;
  const ScanParts &scan_;
  const Values &made_;
  const std::size_t states_;
  std::shared_ptr<ir::Graph> body_;
  Values gradients_; // in the body, one per input of the forward body
  Values carried_;   // inputs of the body: gradients of states, sums
  std::vector<Scanned> entered_, scanned_;
  Values outer_; // inputs of the body that are outer values; `none`: not needed
};

} // namespace

Value sourceOf(const ir::Graph &body, Value v) {
  for (auto node = body.nodes.rbegin(); node != body.nodes.rend(); ++node)
    if (node->def->type == "Identity" && node->outputs[0] == v)
      v = node->inputs[0];
  return v;
}

Values appendScan(GraphBuilder &b, const ScanParts &scan) {
  ir::Node node;
  node.def = &opOf("Scan");
  for (const auto *list : {&scan.states, &scan.scanned, &scan.outer})
    node.inputs.insert(node.inputs.end(), list->begin(), list->end());
  node.bodies = {scan.body};
  node.attributes = {{"num_scan_inputs", std::int64_t(scan.scanned.size())},
                     {"given", std::int64_t(scan.states.size() + scan.scanned.size())},
                     {"scan_input_axes", scan.inputAxes},
                     {"scan_input_directions", scan.inputBackwards},
                     {"scan_output_axes", scan.outputAxes},
                     {"scan_output_directions", scan.outputBackwards},
                     {"kept", scan.kept}};
  if (drawsNumbers(node)) {
    node.attributes.set("seedModifier", scan.seedModifier);
    node.attributes.set("fromTheEnd", std::int64_t(scan.fromTheEnd));
  }
  return b.append(std::move(node), unsigned(scan.body->outputs.size()));
}

Values scanGradients(GradBuilder &g, const ScanParts &scan, const Values &made) {
  return Backward(g, scan, made).run();
}

} // namespace popart::ops
