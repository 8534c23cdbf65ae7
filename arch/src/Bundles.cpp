// SPDX-License-Identifier: MIT
#include "arch/Bundles.hpp"
#include <algorithm>
#include <set>
#include <utility>

namespace arch {
namespace {

class Scheduler {
public:
  explicit Scheduler(const std::vector<Issue> &stretch)
      : stretch_(stretch), waiting_(stretch.size()), users_(stretch.size()),
        height_(stretch.size(), 0), start_(stretch.size(), 0), at_(stretch.size(), 0) {
    for (unsigned i = 0; i < stretch.size(); ++i)
      for (const unsigned before : stretch[i].after) {
        users_[before].push_back(i);
        ++waiting_[i];
      }
    for (unsigned i = unsigned(stretch.size()); i-- > 0;) {
      for (const unsigned user : users_[i])
        height_[i] = std::max(height_[i], height_[user]);
      height_[i] += stretch[i].bundles;
    }
  }

  Schedule run() {
    for (unsigned i = 0; i < stretch_.size(); ++i)
      if (waiting_[i] == 0)
        makeReady(i);
    for (unsigned now = 0; placed_ < stretch_.size(); ++now)
      fill(now);
    return {std::move(at_), end_};
  }

private:
  // Jumps go by themselves: after everything else.
  void makeReady(unsigned i) {
    if (!stretch_[i].last)
      ready_.insert({-int(height_[i]), i});
    else
      jumps_.push_back(i);
  }

  void place(unsigned i, unsigned at) {
    const unsigned done = at + stretch_[i].bundles;
    if (stretch_[i].slot != Slot::Aux || stretch_[i].bundles > 1)
      mainFrom_ = std::max(mainFrom_, done);
    end_ = std::max(end_, done);
    at_[i] = at;
    ++placed_;
    for (const unsigned user : users_[i]) {
      start_[user] = std::max(start_[user], done);
      if (--waiting_[user] == 0)
        makeReady(user);
    }
  }

  void fill(unsigned now) {
    bool main = now >= busyUntil_, aux = main;
    for (auto at = ready_.begin(); (main || aux) && at != ready_.end();) {
      const unsigned i = at->second;
      const Slot slot = stretch_[i].bundles > 1 ? Slot::Both : stretch_[i].slot;
      const bool free = slot == Slot::Main ? main : slot == Slot::Aux ? aux : main && aux;
      if (!free || start_[i] > now) {
        ++at;
        continue;
      }
      at = ready_.erase(at);
      place(i, now);
      if (slot == Slot::Both)
        busyUntil_ = now + stretch_[i].bundles;
      main = main && slot == Slot::Aux;
      aux = aux && slot == Slot::Main;
    }
    if (placed_ + jumps_.size() == stretch_.size())
      placeJumps();
  }

  void placeJumps() {
    for (const unsigned i : std::exchange(jumps_, {}))
      place(i, std::max({start_[i], mainFrom_, std::max(end_, 1u) - 1}));
  }

  const std::vector<Issue> &stretch_;
  std::vector<unsigned> waiting_;
  std::vector<std::vector<unsigned>> users_;
  std::vector<unsigned> height_, start_; // start_: the first bundle with all operands
  std::vector<unsigned> at_;
  std::set<std::pair<int, unsigned>> ready_;
  std::vector<unsigned> jumps_;
  unsigned placed_ = 0, end_ = 0, busyUntil_ = 0;
  unsigned mainFrom_ = 0; // from here on the main slot is free
};

} // namespace

Schedule scheduleOf(const std::vector<Issue> &stretch, Pairing pairing) {
  if (pairing == Pairing::Scheduled)
    return Scheduler(stretch).run();
  Schedule oneByOne;
  for (const Issue &i : stretch) {
    oneByOne.at.push_back(oneByOne.bundles);
    oneByOne.bundles += i.bundles;
  }
  return oneByOne;
}

unsigned bundlesOf(const std::vector<Issue> &stretch, Pairing pairing) {
  return scheduleOf(stretch, pairing).bundles;
}

} // namespace arch
