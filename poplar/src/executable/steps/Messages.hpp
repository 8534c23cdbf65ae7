// SPDX-License-Identifier: MIT
// Steps that tell the user something, or stop.
#pragma once
#include "executable/steps/Describe.hpp"

namespace poplar::executable {

struct PrintFormat {
  std::uint32_t summariseThreshold = 1000, edgeItems = 3, maxLineWidth = 75, digits = 8;
  std::uint8_t floatFormat = 0;
  char separator = ' ', openBracket = '[', closeBracket = ']';
  bool operator==(const PrintFormat &) const = default;
};

} // namespace poplar::executable

namespace poplar::executable::steps {

template <class Form> struct Print {
  typename Form::Tensor tensor{};
  std::string title{};
  PrintFormat format{};

  static void describe(auto &self, auto &v) {
    v.reads(self.tensor);
    v.text(self.title);
    auto &f = self.format;
    for (auto *number : {&f.summariseThreshold, &f.edgeItems, &f.maxLineWidth, &f.digits})
      v.number(*number);
    v.number(f.floatFormat);
    for (auto *character : {&f.separator, &f.openBracket, &f.closeBracket})
      v.number(*character);
  }
  bool operator==(const Print &) const = default;
};

template <class Form> struct Error {
  typename Form::Tensor tensor{}; // printed before
  std::string message{};

  static void describe(auto &self, auto &v) {
    v.reads(self.tensor);
    v.text(self.message);
  }
  bool operator==(const Error &) const = default;
};

template <class Form> struct Abort {
  std::optional<typename Form::Tensor> condition{}; // always, if it is not there
  std::string message{};

  static void describe(auto &self, auto &v) {
    maybe(v, self.condition, [&](auto &tensor) { v.reads(tensor); });
    v.text(self.message);
  }
  bool operator==(const Abort &) const = default;
};

} // namespace poplar::executable::steps
