// SPDX-License-Identifier: MIT
// Functions of one number that several front ends have alike: a formula, and what each of them
// calls it. A row of functions() is all that another one needs: converters, TensorFlow's function
// and Paddle's, with what they say of themselves, follow.
#pragma once
#include "frontend/Reader.hpp"
#include <functional>

namespace frontend {

// How a front end knows a function: "leaky_relu alpha=0.02" is its operator with the attribute
// alpha, which is 0.02 where it is not given; "hardshrink lambd" says nothing of what is not given.
// "=6" is a number that nobody may choose. Nothing: it has no such operator.
struct FunctionName {
  struct Number {
    std::string attribute;
    std::optional<double> otherwise;
  };
  FunctionName(const char *text);
  std::vector<double> read(const Reader &call) const; // its numbers

  std::string operation;
  std::vector<Number> numbers;
};

using Numbers = std::vector<double>;
using Formula = std::function<Value(const Writing &, Value x, const Numbers &)>;

struct Function {
  std::string name;  // of the function in Python
  std::string words; // what that says of itself
  Formula formula;
  FunctionName tensorflow, paddle, torch;
};
const std::vector<Function> &functions();

// call(function, what this front end calls it), for all that it has.
template <class Call> void forFunctionsOf(FunctionName Function::*frontEnd, const Call &call) {
  for (const auto &function : functions())
    if (!(function.*frontEnd).operation.empty())
      call(function, function.*frontEnd);
}

} // namespace frontend
