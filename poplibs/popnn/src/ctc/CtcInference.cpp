// SPDX-License-Identifier: MIT
// Beam search over label prefixes. Host: one element of the batch at a time; prefixes are nodes of
// a tree, so that two beams that grow into the same prefix meet in one node. Of equally probable
// candidates the one found first wins: beams by rank, each first unchanged, then by class.
#include "popnn/CTCInference.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "ctc/CtcData.hpp"
#include "ctc/CtcPlan.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Dense.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace popnn::ctc_infer {

using openipu::KernelArgs;
using poplar::Tensor;

namespace {

constexpr double none = -std::numeric_limits<double>::infinity();
constexpr float noBeam = -65504; // of results beyond the beams that exist: the least half
constexpr std::uint32_t noSymbol = std::numeric_limits<std::uint32_t>::max();

double logAdd(double a, double b) {
  const double most = std::max(a, b);
  return most == none ? none : most + std::log1p(std::exp(std::min(a, b) - most));
}

// All prefixes seen so far; node 0 is the empty one.
class Prefixes {
public:
  std::uint32_t symbol(std::uint32_t node) const { return nodes_[node].symbol; }
  std::uint32_t child(std::uint32_t node, std::uint32_t symbol) {
    auto [found, isNew] = children_.try_emplace({node, symbol}, std::uint32_t(nodes_.size()));
    if (isNew)
      nodes_.push_back({node, symbol});
    return found->second;
  }
  // The child's node if it is one of the beams' (or was), else noSymbol.
  std::uint32_t find(std::uint32_t node, std::uint32_t symbol) const {
    auto found = children_.find({node, symbol});
    return found == children_.end() ? noSymbol : found->second;
  }
  std::vector<std::uint32_t> path(std::uint32_t node) const {
    std::vector<std::uint32_t> symbols;
    for (; node; node = nodes_[node].parent)
      symbols.push_back(nodes_[node].symbol);
    std::reverse(symbols.begin(), symbols.end());
    return symbols;
  }

private:
  struct Node {
    std::uint32_t parent, symbol;
  };
  std::vector<Node> nodes_{{0, noSymbol}};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> children_;
};

struct Beam {
  std::uint32_t node = 0;
  double blank = none, label = none; // log probability of ending in a blank, in the last label
  double sum = none;
};

// A way on: a beam unchanged (symbol is noSymbol) or with one more symbol.
struct Candidate {
  double sum, blank, label;
  std::uint32_t from, symbol, order;
};
bool better(const Candidate &a, const Candidate &b) {
  return a.sum != b.sum ? a.sum > b.sum : a.order < b.order;
}

class Search {
public:
  Search(std::size_t classes, unsigned blank, unsigned width)
      : classes_(classes), blank_(blank), width_(width), beams_(1) {
    beams_[0].blank = beams_[0].sum = 0;
  }

  void step(const float *p) {
    collect(p);
    const auto keep = std::min<std::size_t>(width_, candidates_.size());
    std::partial_sort(candidates_.begin(), candidates_.begin() + long(keep), candidates_.end(),
                      better);
    std::vector<Beam> next;
    for (std::size_t i = 0; i < keep && candidates_[i].sum > none; ++i) {
      const auto &c = candidates_[i];
      const auto node = beams_[c.from].node;
      next.push_back(
          {c.symbol == noSymbol ? node : prefixes_.child(node, c.symbol), c.blank, c.label, c.sum});
    }
    beams_ = std::move(next);
  }

  const std::vector<Beam> &beams() const { return beams_; }
  std::vector<std::uint32_t> path(const Beam &beam) const { return prefixes_.path(beam.node); }

private:
  // Beam whose prefix is this node, or the number of beams.
  std::size_t beamAt(std::uint32_t node) const {
    auto found = std::lower_bound(byNode_.begin(), byNode_.end(), std::pair{node, std::size_t(0)});
    return found != byNode_.end() && found->first == node ? found->second : beams_.size();
  }

  void collect(const float *p) {
    candidates_.clear();
    byNode_.clear();
    for (std::size_t i = 0; i < beams_.size(); ++i) {
      const auto &b = beams_[i];
      const auto last = prefixes_.symbol(b.node);
      const double label = last == noSymbol ? none : b.label + p[last];
      const double blank = b.sum + p[blank_];
      candidates_.push_back({0, blank, label, std::uint32_t(i), noSymbol, 0});
      byNode_.push_back({b.node, i});
    }
    std::sort(byNode_.begin(), byNode_.end());
    for (std::size_t i = 0; i < beams_.size(); ++i)
      extend(i, p);
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      auto &c = candidates_[i];
      c.sum = logAdd(c.blank, c.label);
      c.order = std::uint32_t(i);
    }
  }

  void extend(std::size_t i, const float *p) {
    const auto b = beams_[i];
    const auto last = prefixes_.symbol(b.node);
    for (std::uint32_t c = 0; c < classes_; ++c) {
      if (c == blank_)
        continue;
      const double label = (c == last ? b.blank : b.sum) + p[c];
      const auto node = prefixes_.find(b.node, c);
      const auto met = node == noSymbol ? beams_.size() : beamAt(node);
      if (met < beams_.size())
        candidates_[met].label = logAdd(candidates_[met].label, label);
      else
        candidates_.push_back({0, none, label, std::uint32_t(i), c, 0});
    }
  }

  std::size_t classes_;
  std::uint32_t blank_;
  unsigned width_;
  Prefixes prefixes_;
  std::vector<Beam> beams_;
  std::vector<Candidate> candidates_;
  std::vector<std::pair<std::uint32_t, std::size_t>> byNode_;
};

void run(const KernelArgs &args) {
  openipu::AttributeReader reader(args.attributes);
  const auto blank = reader.get<std::uint32_t>(), width = reader.get<std::uint32_t>();
  const bool logits = reader.get<bool>();
  const auto &data = args.inputs[0];
  const std::size_t maxTime = data.shape[0], batch = data.shape[1], classes = data.shape[2],
                    top = args.outputs[0].shape[1];
  const ctc::LogProbs logProbs(data, logits);
  const auto times = ctc::integers(args.inputs[1], maxTime);
  const poplin::dense::FloatsOut probabilities(args.outputs[0]);
  auto *lengths = args.out<std::uint32_t>(1), *labels = args.out<std::uint32_t>(2);
  base::parallelFor(batch, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto b = begin; b < end; ++b) {
      Search search(classes, blank, width);
      for (std::size_t t = 0; t < times[b]; ++t)
        search.step(logProbs.data() + (t * batch + b) * classes);
      for (std::size_t k = 0; k < top; ++k) {
        const bool exists = k < search.beams().size();
        const auto path = exists ? search.path(search.beams()[k]) : std::vector<std::uint32_t>();
        auto *to = labels + (b * top + k) * maxTime;
        probabilities.data()[b * top + k] = exists ? float(search.beams()[k].sum) : noBeam;
        lengths[b * top + k] = std::uint32_t(path.size());
        std::fill_n(to, maxTime, noSymbol);
        std::copy(path.begin(), path.end(), to);
      }
    }
  });
  probabilities.flush();
}

const openipu::Registered registered{{"popnn.ctcBeamSearch", run, {}, {}, nullptr}};

void check(const char *function, const ctc::Plan::Impl &p, const Tensor &data,
           const Tensor &lengths, unsigned blank, unsigned width, unsigned top,
           const poplar::OptionFlags &options) {
  ctc::checkKind(function, p, true);
  ctc::checkData(function, p, data);
  ctc::checkLengths(function, "lengths", lengths, p.batch);
  if (blank >= p.classes)
    throw poputil::poplibs_error(base::str(function, ": the blank class ", blank,
                                           " is not one of the ", p.classes, " classes."));
  if (width != p.beams || !top || top > width)
    throw poputil::poplibs_error(base::str(function, ": ", top, " paths from ", width,
                                           " beams; the plan has ", p.beams,
                                           " beams, and there can be 1 to as many paths."));
  if (!options.empty())
    throw poplar::invalid_option("Unrecognised option '" + options.begin()->first + "'");
}

std::tuple<Tensor, Tensor, Tensor> addSearch(const char *function, poplar::Graph &graph,
                                             const Tensor &data, const Tensor &lengths,
                                             poplar::program::Sequence &prog, unsigned blank,
                                             unsigned width, unsigned top, const ctc::Plan &plan,
                                             bool logits, const poplar::DebugContext &debugContext,
                                             const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(
      debugContext,
      {{"data", poputil::toProfileValue(data)}, {"options", poputil::toProfileValue(options)}},
      function);
  const auto &p = plan.getImpl();
  check(function, p, data, lengths, blank, width, top, options);
  auto probabilities = graph.addVariable(p.in, {p.batch, top}, {di, "probabilities"});
  auto found = graph.addVariable(poplar::UNSIGNED_INT, {p.batch, top}, {di, "lengths"});
  auto labels = graph.addVariable(poplar::UNSIGNED_INT, {p.batch, top, p.time}, {di, "labels"});
  for (const auto &t : {probabilities, found, labels})
    poputil::mapTensorLinearly(graph, t);
  openipu::AttributeWriter attributes;
  attributes.put(std::uint32_t(blank)).put(std::uint32_t(width)).put(logits);
  prog.add(
      openipu::operation(graph, {"popnn.ctcBeamSearch",
                                 {openipu::out(probabilities), openipu::out(found),
                                  openipu::out(labels), openipu::in(data), openipu::in(lengths)},
                                 attributes.take(),
                                 ctc::inferenceSupersteps(graph.getTarget(), p, top, logits),
                                 {di, "beamSearch"}}));
  return {probabilities, found, labels};
}

} // namespace

std::tuple<Tensor, Tensor, Tensor>
beamSearchDecoderLogProbabilities(poplar::Graph &graph, const Tensor &logProbs,
                                  const Tensor &lengths, poplar::program::Sequence &prog,
                                  unsigned blankClass, unsigned beamwidth, unsigned topPaths,
                                  const ctc::Plan &plan, const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options) {
  return addSearch("ctc_infer::beamSearchDecoderLogProbabilities", graph, logProbs, lengths, prog,
                   blankClass, beamwidth, topPaths, plan, false, debugContext, options);
}

std::tuple<Tensor, Tensor, Tensor>
beamSearchDecoderLogits(poplar::Graph &graph, const Tensor &logits, const Tensor &lengths,
                        poplar::program::Sequence &prog, unsigned blankClass, unsigned beamwidth,
                        unsigned topPaths, const ctc::Plan &plan,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options) {
  return addSearch("ctc_infer::beamSearchDecoderLogits", graph, logits, lengths, prog, blankClass,
                   beamwidth, topPaths, plan, true, debugContext, options);
}

} // namespace popnn::ctc_infer
