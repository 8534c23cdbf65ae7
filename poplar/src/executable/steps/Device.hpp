// SPDX-License-Identifier: MIT
// Steps about the state of the device: waiting, cycle counters, floating point, seeds, what is
// known of contents.
#pragma once
#include "executable/steps/Describe.hpp"
#include "poplar/SyncType.hpp"

namespace poplar::executable::steps {

template <class> struct Sync {
  static constexpr Shown shown = Shown::Sync;
  SyncType type = SyncType::INTERNAL;

  static void describe(auto &self, auto &v) { v.number(self.type); }
  bool operator==(const Sync &) const = default;
};

template <class Form> struct WriteUndef {
  static constexpr Shown shown = Shown::WriteUndef;
  typename Form::Tensor tensor{};

  static void describe(auto &self, auto &v) { v.forgets(self.tensor); }
  bool operator==(const WriteUndef &) const = default;
};

template <class Form> struct AssumeEqual {
  typename Form::Tensor tensor{};

  static void describe(auto &self, auto &v) { v.reads(self.tensor); }
  bool operator==(const AssumeEqual &) const = default;
};

template <class Form> struct CycleStamp {
  typename Form::Tensor stamp{};                // two words
  std::optional<typename Form::Tensor> since{}; // an earlier stamp to subtract
  std::uint32_t tile = 0;

  static void describe(auto &self, auto &v) {
    maybe(v, self.since, [&](auto &tensor) { v.reads(tensor); });
    v.writes(self.stamp);
    v.tile(self.tile);
  }
  bool operator==(const CycleStamp &) const = default;
};

template <class Form> struct SetFloatingPoint {
  std::string change{};                          // as FloatingPointState::apply takes it
  std::optional<typename Form::Tensor> before{}; // receives the state until now
  std::optional<typename Form::Tensor> state{};  // the new one, instead of a change

  static void describe(auto &self, auto &v) {
    v.text(self.change);
    maybe(v, self.before, [&](auto &tensor) { v.writes(tensor); });
    maybe(v, self.state, [&](auto &tensor) { v.reads(tensor); });
  }
  bool operator==(const SetFloatingPoint &) const = default;
};

template <class Form> struct GetSeeds {
  typename Form::Tensor seeds{};

  static void describe(auto &self, auto &v) { v.writes(self.seeds); }
  bool operator==(const GetSeeds &) const = default;
};

template <class Form> struct SetSeeds {
  typename Form::Tensor seeds{};

  static void describe(auto &self, auto &v) { v.reads(self.seeds); }
  bool operator==(const SetSeeds &) const = default;
};

} // namespace poplar::executable::steps
