// SPDX-License-Identifier: MIT
// The variables of a block while it is converted: which value each name has by now, and what the
// program says of it.
#pragma once
#include "core/HostOperators.hpp"
#include <map>
#include <set>

namespace paddleipu {

class Environment {
public:
  explicit Environment(const proto::BlockDesc &block);

  // ---- what the program says
  const proto::VarDesc *declared(const std::string &name) const;
  std::optional<VarType::Type> typeOf(const std::string &name) const;
  // The type of a value's variable: what it was bound with, else the program's.
  VarType::Type typeOrThrow(const std::string &name) const;

  // ---- values
  bool has(const std::string &name) const { return values_.count(name) != 0; }
  Value read(const std::string &name, const Call *reader) const;
  void bind(const std::string &name, Value value, VarType::Type type);
  void unbind(const std::string &name);
  // Names that operators wrote, in order of the first write.
  const std::vector<std::string> &written() const { return written_; }
  void noteWrite(const std::string &name);

  // Types follow from the operators, not from declarations: shapes are being inferred.
  bool inferring = false;
  bool building = false; // of an operator that is being added: a misspelt attribute is an error
  // Every operator is converted as it is written, for a session that does not know of training.
  bool asWritten = false;
  bool testing = false;              // nothing is trained: dropout drops nothing
  DataType floats = DataType::FLOAT; // FLOAT16: what floating-point variables are computed in
  // Operators of users: their name in Paddle -> type with domain, and version.
  std::map<std::string, std::pair<std::string, std::int64_t>> custom;
  HostOperators onHost;
  DataType device(VarType::Type type) const;

private:
  std::map<std::string, const proto::VarDesc *> declarations_;
  struct Bound {
    Value value = none;
    VarType::Type type = VarType::FP32;
  };
  std::map<std::string, Bound> values_;
  std::vector<std::string> written_;
  std::set<std::string> writtenSet_;
};

// Converts one operator, gradients too.
void convertOperator(Environment &environment, const proto::OpDesc &op, popart::Model &model);

} // namespace paddleipu
