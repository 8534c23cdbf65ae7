// SPDX-License-Identifier: MIT
// A line of an optimiser's rule (popart/ruleoptimizer.hpp), read: "m = beta * m + (1 - beta) * g".
// Whoever computes it says what names, numbers and functions are there: the device, and the CPU of
// front ends whose programs have the update written out.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace popart::ops {

struct Formula {
  enum class Kind { Number, Name, Apply } kind = Kind::Number;
  double number = 0;
  // Or the function: add, sub, mul, div, neg, sqrt, square, abs, sign, max, min, trust_ratio.
  // correction(beta) and norm(x) are names, "norm(x)".
  std::string name;
  std::vector<Formula> parts;
};

struct Assignment {
  std::string to;
  Formula value;
};
// popart::error that shows the line and what is wrong with it.
Assignment readAssignment(const std::string &line);

// A line may begin with the modes that it is for: "l2, not tf: x = ...". What follows them, or ""
// if one of them does not hold.
std::string lineOf(const std::string &line, const std::function<bool(const std::string &mode)> &on);

// All names and functions of it, in order.
std::vector<std::string> namesOf(const Formula &formula);
// Of the name "correction(beta)" and the function correction: beta. Nothing of other functions.
std::optional<std::string> argumentOf(const std::string &name, const std::string &function);

template <class T> struct Algebra {
  std::function<T(const std::string &name)> named;
  std::function<T(double)> number;
  std::function<T(const std::string &function, const std::vector<T> &parts)> apply;

  T operator()(const Formula &f) const {
    if (f.kind == Formula::Kind::Number)
      return number(f.number);
    if (f.kind == Formula::Kind::Name)
      return named(f.name);
    std::vector<T> parts; // the last first, as compilers compute what is written out
    for (auto part = f.parts.rbegin(); part != f.parts.rend(); ++part)
      parts.insert(parts.begin(), (*this)(*part));
    return apply(f.name, parts);
  }
};

} // namespace popart::ops
