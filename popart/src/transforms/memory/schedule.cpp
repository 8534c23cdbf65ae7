// SPDX-License-Identifier: MIT
// The order with the lowest peak cannot be found in reasonable time, so several are made and
// measured. An order is a permutation of the nodes that respects `before` of every one (Orders:
// data, updates of variables, segments such as pipeline stages). Greedy makes one by taking the
// ready node that frees most; shift moves what adds bytes right before its first user and what
// frees them right behind what it waits for; Scheduler keeps the best for each segment. It is hard
// because what a node frees depends on who else still needs its inputs, and because views share
// bytes: they are counted by storage, and only the last of all users of a storage frees it.
//
//   w1, dw1 = grad(...); w2, dw2 = grad(...); w1 -= dw1; w2 -= dw2      both gradients are alive
//   w1, dw1 = grad(...); w1 -= dw1; w2, dw2 = grad(...); w2 -= dw2      one at a time
#include "transforms/memory/schedule.hpp"

#include "analysis/orders.hpp"
#include "analysis/storage.hpp"
#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <popart/error.hpp>
#include <random>
#include <set>

namespace popart::transforms {

using analysis::isValid;
using analysis::isView;
using analysis::lastUsers;
using analysis::measure;
using analysis::Measures;
using analysis::Order;
using analysis::Orders;
using ir::Graph;
using ir::Node;

namespace {

// Who goes before whom among nodes that could run: users' wishes first.
struct Ranks {
  std::vector<double> rank; // higher: earlier
  Ranks(const Graph &graph, const SessionOptions &options) {
    constexpr double soon = 1e6; // beyond what people write
    for (const Node &node : graph.nodes) {
      const bool updates = node.def->updates >= 0, gathers = node.def->accumulates;
      const bool early = updates && (gathers ? options.scheduleNonWeightUpdateGradientConsumersEarly
                                             : !options.delayVarUpdates);
      rank.push_back(node.settings.schedulePriority + (early ? soon : 0));
    }
  }
};

// Kahn's algorithm from either end: of the nodes that may come next, the one that leaves the fewest
// bytes alive. `tie` orders nodes of equal effect.
class Greedy {
public:
  Greedy(const Orders &p, const Ranks &ranks, bool backwards, bool byBytes,
         const std::vector<unsigned> &tie)
      : p_(p), ranks_(ranks), backwards_(backwards), byBytes_(byBytes), tie_(tie), waits_(p.size()),
        change_(p.size(), 0), left_(p.bytes.size()), sum_(p.bytes.size(), 0),
        live_(p.bytes.size(), false) {
    for (unsigned n = 0; n < p.size(); ++n) {
      waits_[n] = unsigned((backwards ? p.after : p.before)[n].size());
      for (unsigned s : p.touches[n])
        change_[n] += backwards ? p.bytes[s] : 0;
      for (unsigned s : p.makes[n])
        change_[n] += backwards ? -p.bytes[s] : p.bytes[s];
    }
    for (unsigned s = 0; s < p.bytes.size(); ++s) {
      left_[s] = unsigned(p.users[s].size());
      for (unsigned n : p.users[s])
        sum_[s] ^= n;
      if (!backwards && left_[s] == 1)
        change_[sum_[s]] -= p.bytes[s];
    }
  }

  Order run() {
    Order order;
    for (unsigned n = 0; n < p_.size(); ++n)
      if (!waits_[n])
        ready_.insert(key(n));
    while (!ready_.empty()) {
      const unsigned n = std::get<4>(*ready_.begin());
      ready_.erase(ready_.begin());
      placed(n);
      order.push_back(n);
      for (unsigned other : (backwards_ ? p_.before : p_.after)[n])
        if (!--waits_[other])
          ready_.insert(key(other));
    }
    if (backwards_)
      std::reverse(order.begin(), order.end());
    return order;
  }

private:
  using Key = std::tuple<std::int64_t, double, std::int64_t, std::int64_t, unsigned>;
  Key key(unsigned n) const {
    const auto segment = p_.segment[n];
    const auto tie = std::int64_t(tie_[n]);
    return {backwards_ ? -segment : segment, backwards_ ? ranks_.rank[n] : -ranks_.rank[n],
            byBytes_ ? change_[n] : 0, backwards_ ? -tie : tie, n};
  }
  void adjust(unsigned n, std::int64_t by) {
    const bool waiting = !waits_[n] && ready_.erase(key(n));
    change_[n] += by;
    if (waiting)
      ready_.insert(key(n));
  }
  void placed(unsigned n) {
    for (unsigned s : p_.touches[n])
      backwards_ ? revive(s, n) : release(s, n);
  }
  // Who is left alone with a storage will free it.
  void release(unsigned s, unsigned n) {
    sum_[s] ^= n;
    if (--left_[s] == 1)
      adjust(sum_[s], -p_.bytes[s]);
  }
  // Once a later user is placed, the bytes are there for all earlier ones.
  void revive(unsigned s, unsigned n) {
    if (live_[s])
      return;
    live_[s] = true;
    for (unsigned user : p_.users[s])
      if (user != n)
        adjust(user, -p_.bytes[s]);
  }

  const Orders &p_;
  const Ranks &ranks_;
  bool backwards_, byBytes_;
  const std::vector<unsigned> &tie_;
  std::vector<unsigned> waits_;
  std::vector<std::int64_t> change_; // of live bytes when a node is placed now
  std::vector<unsigned> left_, sum_; // by storage: users not placed; their numbers, combined by xor
  std::vector<bool> live_;
  std::set<Key> ready_;
};

// Single nodes to better places: what adds bytes right before its first user, what frees bytes
// right behind the last node it waits for. Returns how many moved.
std::int64_t shift(const Orders &p, Order &order, bool later, std::int64_t limit) {
  const auto last = lastUsers(p, order);
  std::vector<double> place(p.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    place[order[i]] = double(i);
  std::int64_t moved = 0;
  const auto gain = [&](unsigned n) {
    std::int64_t bytes = 0;
    for (unsigned s : p.makes[n])
      bytes += p.bytes[s];
    for (unsigned s : p.touches[n])
      if (last[s] == n)
        bytes -= p.bytes[s];
    return bytes;
  };
  const auto visit = [&](unsigned n) {
    const auto &bounds = later ? p.after[n] : p.before[n];
    if (bounds.empty() || moved >= limit || (later ? gain(n) <= 0 : gain(n) >= 0))
      return;
    double to = place[bounds[0]];
    for (unsigned b : bounds)
      if (p.segment[b] == p.segment[n])
        to = later ? std::min(to, place[b]) : std::max(to, place[b]);
      else
        return; // its stage ends before
    place[n] = later ? std::nextafter(to, 0.0) : std::nextafter(to, 1e300);
    ++moved;
  };
  if (later)
    std::for_each(order.rbegin(), order.rend(), visit);
  else
    std::for_each(order.begin(), order.end(), visit);
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return place[a] < place[b]; });
  return moved;
}

// Views cost nothing, so they come right before who looks through them first: layouts are chosen by
// the first user of a value, and that is to be the one who really computes with it first.
class ViewsLate {
public:
  explicit ViewsLate(const Orders &p) : p_(p), late_(p.size(), false), done_(p.size(), false) {
    for (unsigned n = unsigned(p.size()); n-- > 0;)
      late_[n] = isView(p.graph.nodes[n]) &&
                 std::any_of(p.after[n].begin(), p.after[n].end(),
                             [&](unsigned a) { return late_[a] || !isView(p.graph.nodes[a]); });
  }
  Order run(const Order &order) {
    for (unsigned n : order)
      if (!late_[n])
        emit(n);
    return std::move(out_);
  }

private:
  void emit(unsigned n) {
    if (done_[n])
      return;
    done_[n] = true;
    for (unsigned b : p_.before[n])
      if (late_[b])
        emit(b);
    out_.push_back(n);
  }
  const Orders &p_;
  std::vector<bool> late_, done_;
  Order out_;
};

class Scheduler {
public:
  Scheduler(const Graph &graph, const SessionOptions &options)
      : orders_(graph), ranks_(graph, options), options_(options), present_(orders_.size()),
        swapsLeft_(options.swapLimitScheduler < 0 ? std::numeric_limits<std::int64_t>::max()
                                                  : options.swapLimitScheduler) {
    std::iota(present_.begin(), present_.end(), 0u);
    for (const unsigned char c : options.kahnTieBreaker)
      tie_ += static_cast<char>(std::tolower(c));
  }

  Order run() {
    best_ = Greedy(orders_, ranks_, false, false, present_).run();
    measures_ = measure(orders_, best_);
    if (tie_ == "greedy") {
      improve(); // the present order often needs no more than its updates next to their gradients
      consider(Greedy(orders_, ranks_, false, true, present_).run());
      consider(Greedy(orders_, ranks_, true, true, present_).run());
    } else if (tie_ == "random") {
      auto tie = present_;
      std::mt19937 random(1); // the same for everybody: equal input, equal program
      for (std::size_t i = tie.size(); i > 1; --i)
        std::swap(tie[i - 1], tie[random() % i]);
      best_ = Greedy(orders_, ranks_, false, false, tie).run();
      measures_ = measure(orders_, best_);
    } else if (tie_ != "fifo")
      throw error(base::str("kahnTieBreaker is \"", options_.kahnTieBreaker,
                            "\"; it can be \"greedy\", \"fifo\" or \"random\"."));
    improve();
    return ViewsLate(orders_).run(best_);
  }

private:
  // Segments follow each other in all orders, so each takes the order that is best for it: stages
  // of a pipeline are on IPUs of their own, and the fullest one says nothing about the others.
  bool consider(const Order &order) {
    const auto measures = measure(orders_, order);
    bool better = false;
    for (auto first = order.begin(); first != order.end();) {
      const auto segment = orders_.segment[*first];
      const auto end = std::find_if(first, order.end(),
                                    [&](unsigned n) { return orders_.segment[n] != segment; });
      if (measures.at(segment) < measures_.at(segment)) {
        std::copy(first, end, best_.begin() + (first - order.begin()));
        measures_[segment] = measures.at(segment);
        better = true;
      }
      first = end;
    }
    return better;
  }
  void improve() {
    if (orders_.size() > options_.transitiveClosureOptimizationThreshold)
      return;
    const auto start = std::chrono::steady_clock::now();
    const auto spent = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    constexpr int rounds = 8;
    auto &left = swapsLeft_;
    bool better = true;
    for (int i = 0; i < rounds && better; ++i) {
      better = false;
      for (bool later : {true, false}) {
        if (left <= 0 || spent() >= options_.timeLimitScheduler)
          return;
        auto order = best_;
        left -= shift(orders_, order, later, left);
        if (isValid(orders_, order))
          better = consider(order) || better;
      }
    }
  }

  Orders orders_;
  Ranks ranks_;
  const SessionOptions &options_;
  Order present_, best_;
  std::string tie_;   // kahnTieBreaker in small letters
  Measures measures_; // of the best
  std::int64_t swapsLeft_;
};

} // namespace

void schedule(Graph &graph, const SessionOptions &options) {
  std::vector<Node> nodes;
  nodes.reserve(graph.nodes.size());
  for (unsigned n : Scheduler(graph, options).run())
    nodes.push_back(std::move(graph.nodes[n]));
  graph.nodes = std::move(nodes);
}

} // namespace popart::transforms
