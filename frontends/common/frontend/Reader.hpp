// SPDX-License-Identifier: MIT
// Arguments of an operator by name, as a converter asks for them. Each front end's Call derives
// from it and says how arguments are found.
#pragma once
#include "frontend/Writing.hpp"
#include <optional>
#include <variant>

namespace frontend {

using TensorNumber = std::uint32_t;
inline constexpr TensorNumber noTensor = 0xffffffffu;

struct TensorArgument {
  TensorNumber tensor = noTensor;
};
using TensorList = std::vector<TensorNumber>; // noTensor: a None among them

// One argument of an operator; monostate is None.
using Argument =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, DataType, TensorArgument,
                 TensorList, std::vector<std::int64_t>, std::vector<double>>;

// For operators that take them as they are; nothing for tensors, element types and None.
std::optional<popart::ir::Attribute> attributeOf(const Argument &argument);

class Reader : public Writing {
public:
  // Without `otherwise` they must be there. Of another kind: the front end's error.
  bool given(const char *name) const;           // it is there, and not None
  std::int64_t integer(const char *name) const; // bools, whole reals and lists of one too
  std::int64_t integer(const char *name, std::int64_t otherwise) const;
  double real(const char *name) const; // integers and bools too
  double real(const char *name, double otherwise) const;
  bool flag(const char *name, bool otherwise = false) const;
  std::string text(const char *name) const;
  std::string text(const char *name, const std::string &otherwise) const;
  Integers integers(const char *name) const; // one is a list of one; None is empty
  std::vector<double> reals(const char *name) const;
  // n numbers; one stands for all of them (strides, paddings).
  Integers repeated(const char *name, std::size_t n,
                    std::optional<std::int64_t> otherwise = {}) const;
  DataType type(const char *name) const;

protected:
  // `word`: what errors call them, "argument" or "attribute".
  Reader(popart::Model &model, const char *word) : Writing(model), word_(word) {}
  virtual Argument find(const char *name) const = 0; // monostate: None, or not there
  Argument require(const char *name) const;

private:
  const char *word_;
};

} // namespace frontend
