// SPDX-License-Identifier: MIT
// One operator of a program as its converter sees it: inputs by Paddle's slots, attributes by name,
// the model to write into, and where results go.
//
//   void scale(Call &c) {  // scale * x + bias
//     c.out("Out", c.m.add(c.m.mul(c.in("X"), c.real("scale", 1)), c.real("bias", 0)));
//   }
//
// Results are cast to what the program says of their variables.
#pragma once
#include "format/Types.hpp"
#include "frontend/Reader.hpp"
#include "frontend/Registry.hpp"
#include <functional>
#include <optional>
#include <set>

namespace paddleipu {

using namespace frontend; // values, shapes, elements on the host
using VarType = proto::VarType;

// The program is at fault; the text names operator, variables and values.
class ProgramError : public popart::error {
public:
  using error::error;
};
// An operator, or something that it asks for, that is not there.
class UnimplementedError : public popart::error {
public:
  using error::error;
};

class Environment;

class Call : public frontend::Reader {
public:
  Call(Environment &environment, const proto::OpDesc &op, popart::Model &model);

  // ---- inputs
  std::size_t count(const char *slot) const;
  bool has(const char *slot) const { return count(slot) > 0; }
  Value in(const char *slot, std::size_t i = 0);
  Value maybe(const char *slot); // `none` if the slot is empty
  Values ins(const char *slot);
  // Numbers of a tensor that is constant: shapes and axes that are given as tensors.
  Integers constants(const char *slot, std::size_t i = 0);
  // The type that the program says an input has.
  VarType::Type typeIn(const char *slot, std::size_t i = 0) const;

  // ---- attributes, as the Reader has them
  using Reader::text;
  std::string text(const char *name) const { return text(name, ""); }
  std::vector<std::string> texts(const char *name) const;
  std::int64_t axis(const char *name, std::int64_t otherwise, std::size_t rank) const; // positive

  // ---- results
  bool wants(const char *slot, std::size_t i = 0) const; // somebody named it
  std::size_t wanted(const char *slot) const;            // how many names the slot has
  // `type`: what Paddle says of the result where it is not that of the value.
  void out(const char *slot, Value v, std::size_t i = 0, std::optional<VarType::Type> type = {});
  // A result that stands in the program for its own backward pass and is never looked at: it has
  // the shape only.
  void unused(const char *slot, const Shape &shape, VarType::Type type = VarType::FP32);

  // ---- often needed
  Value floating(Value v) const; // integers and bools as FLOAT
  Value flat(Value v) const;
  Value mean(Value v) const; // of all elements, rank 0
  Value sum(Value v) const;

  bool testing() const; // of dropout: is_test, or a program that is not trained
  Environment &environment() { return environment_; }
  const proto::OpDesc &op() const { return op_; }
  const std::string &type() const { return op_.type(); }
  const std::set<std::string> &attributesRead() const { return read_; }

  [[noreturn]] void failWith(const std::string &message) const override;
  [[noreturn]] void unimplementedWith(const std::string &message) const;
  template <class... Parts> [[noreturn]] void unimplemented(const Parts &...parts) const {
    unimplementedWith(joined(parts...));
  }

private:
  const proto::OpDesc::Attr *attribute(const char *name) const;
  frontend::Argument find(const char *name) const override;
  const proto::OpDesc::Var *inputs(const char *slot) const;
  const proto::OpDesc::Var *outputs(const char *slot) const;
  Environment &environment_;
  const proto::OpDesc &op_;
  mutable std::set<std::string> read_; // attributes that were asked for
};

// An attribute as converters read it.
frontend::Argument argumentOf(const proto::OpDesc::Attr &attribute);

using Converter = std::function<void(Call &)>;

// The converters of src/ops, by Paddle's names.
class Registry : public frontend::Converters<Converter> {
public:
  static const Registry &all();
};

} // namespace paddleipu
