// SPDX-License-Identifier: MIT
// One element of the batch at a time; prefixes are nodes of a tree, so that two beams that grow
// into the same prefix meet in one node.
#include "base/Threads.hpp"
#include "ctc/CtcData.hpp"
#include "poplin/Dense.hpp"
#include "popnn/kernels/CtcBeamSearch.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace popnn::ctc_infer {
namespace {

using openipu::KernelArgs;

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
  const auto attributes = kernels::CtcBeams::read(args.attributes);
  const auto &data = args.inputs[0];
  const std::size_t maxTime = data.shape[0], batch = data.shape[1], classes = data.shape[2],
                    top = args.outputs[0].shape[1];
  const ctc::LogProbs logProbs(data, attributes.logits);
  const auto times = ctc::integers(args.inputs[1], maxTime);
  const poplin::dense::FloatsOut probabilities(args.outputs[0]);
  auto *lengths = args.out<std::uint32_t>(1), *labels = args.out<std::uint32_t>(2);
  base::parallelFor(batch, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto b = begin; b < end; ++b) {
      Search search(classes, attributes.blank, attributes.width);
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

const openipu::Registered registered{{.name = kernels::ctcBeamSearch, .run = run}};

} // namespace
} // namespace popnn::ctc_infer
