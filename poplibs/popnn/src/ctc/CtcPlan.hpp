// SPDX-License-Identifier: MIT
// The contents of a ctc::Plan: for which problem it is, how the work is split, what it costs.
#pragma once
#include "openipu/Plan.hpp"
#include "popnn/CTCPlan.hpp"
#include <optional>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <tuple>
#include <vector>

namespace popnn::ctc {

struct Plan::Impl {
  bool inference = false;
  poplar::Type in, out, partials;
  unsigned batch = 0, time = 0, labels = 0, classes = 0, beams = 0;
  // Loss: elements of the batch, and blocks of (time, label) that a wavefront crosses. Inference:
  // elements of the batch, and classes that extend the beams.
  unsigned batchSplit = 1, timeSplit = 1, labelSplit = 1, classSplit = 1;
  std::vector<unsigned> sortGroups; // inference: candidates are selected in so many groups first
  bool reducedClasses = true;
  bool lastBlankApart = false; // the blank behind the last label has tiles of its own
  std::uint64_t cycles = 0, tempBytes = 0;

  auto key() const {
    return std::tie(inference, in, out, partials, batch, time, labels, classes, beams, batchSplit,
                    timeSplit, labelSplit, classSplit, sortGroups, reducedClasses, lastBlankApart);
  }
  unsigned tiles() const {
    return batchSplit * timeSplit * (labelSplit + lastBlankApart) * classSplit;
  }
};

openipu::Plan lossSupersteps(const poplar::Target &target, const Plan::Impl &plan, bool gradient,
                             bool softmax);
openipu::Plan inferenceSupersteps(const poplar::Target &target, const Plan::Impl &plan,
                                  unsigned topPaths, bool softmax);

// poplibs_error unless the data are [time][batch][classes] of this plan.
void checkData(const char *function, const Plan::Impl &plan, const poplar::Tensor &data);
void checkLengths(const char *function, const char *what, const poplar::Tensor &lengths,
                  std::size_t batch);
// poplibs_error unless the plan is of the right kind; an empty plan is not.
void checkKind(const char *function, const Plan::Impl &plan, bool inference);

poplar::Tensor createData(const char *function, poplar::Graph &graph, const poplar::Type &type,
                          std::size_t batch, std::size_t time, std::size_t classes,
                          const Plan &plan, const poplar::DebugContext &context);

// The inner object of {"parallel": {...}} as numbers, true as 1 and false as 0, nothing where it
// does not say; throws poplar::invalid_option for other members than `known`.
using Forced = std::vector<std::optional<unsigned>>;
Forced parallelConstraints(const std::string &json, const std::vector<std::string> &known);

} // namespace popnn::ctc
