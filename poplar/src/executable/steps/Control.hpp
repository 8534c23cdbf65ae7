// SPDX-License-Identifier: MIT
// Steps that run others.
#pragma once
#include "executable/steps/Describe.hpp"

namespace poplar::executable::steps {

template <class Form> struct Sequence {
  static constexpr Flow flow = Flow::InOrder;
  static constexpr Shown shown = Shown::Sequence;
  std::vector<typename Form::Part> parts{};
  bool together = false;     // side by side, on IPUs of their own
  std::uint32_t code = none; // outlined: sequences of one number are one code on the device
  std::vector<typename Form::Tensor> arguments{}; // of it: a tensor, the buffer for it, in turn

  static void describe(auto &self, auto &v) {
    list(v, self.parts, [&](auto &part) { v.part(part); });
    v.flag(self.together);
    v.number(self.code);
    list(v, self.arguments, [&](auto &tensor) { v.names(tensor); });
  }
  bool operator==(const Sequence &) const = default;
};

template <class Form> struct Block { // of the profile
  static constexpr Flow flow = Flow::InOrder;
  static constexpr Shown shown = Shown::Block;
  typename Form::Part body{};

  static void describe(auto &self, auto &v) { v.part(self.body); }
  bool operator==(const Block &) const = default;
};

template <class Form> struct Repeat {
  static constexpr Flow flow = Flow::Repeated;
  static constexpr Shown shown = Shown::Repeat;
  std::uint64_t count = 0;
  typename Form::Part body{};

  static void describe(auto &self, auto &v) {
    v.number(self.count);
    v.part(self.body);
  }
  bool operator==(const Repeat &) const = default;
};

template <class Form> struct RepeatWhile {
  static constexpr Flow flow = Flow::While;
  static constexpr Shown shown = Shown::Repeat;
  typename Form::Part condition{};
  typename Form::Tensor predicate{};
  bool wanted = true; // the predicate's value that goes on
  typename Form::Part body{};

  static void describe(auto &self, auto &v) {
    v.part(self.condition);
    v.reads(self.predicate);
    v.flag(self.wanted);
    v.part(self.body);
  }
  bool operator==(const RepeatWhile &) const = default;
};

template <class Form> struct If {
  static constexpr Flow flow = Flow::OneOf;
  static constexpr Shown shown = Shown::Switch;
  typename Form::Tensor predicate{};
  typename Form::Part then{}, otherwise{};

  static void describe(auto &self, auto &v) {
    v.reads(self.predicate);
    v.part(self.then);
    v.part(self.otherwise);
  }
  bool operator==(const If &) const = default;
};

template <class Form> struct Switch {
  static constexpr Flow flow = Flow::OneOf;
  static constexpr Shown shown = Shown::Switch;
  struct Case {
    std::int64_t value = 0;
    typename Form::Part part{};
    bool operator==(const Case &) const = default;
  };
  typename Form::Tensor control{};
  std::vector<Case> cases{};
  typename Form::Part otherwise{};
  bool checked = false; // a value that no case has is an error

  static void describe(auto &self, auto &v) {
    v.reads(self.control);
    list(v, self.cases, [&](auto &one) {
      v.number(one.value);
      v.part(one.part);
    });
    v.part(self.otherwise);
    v.flag(self.checked);
  }
  bool operator==(const Switch &) const = default;
};

template <class> struct Call {
  static constexpr Flow flow = Flow::Called;
  static constexpr Shown shown = Shown::Call;
  std::uint32_t target = none; // function

  static void describe(auto &self, auto &v) { v.function(self.target); }
  bool operator==(const Call &) const = default;
};

} // namespace poplar::executable::steps
