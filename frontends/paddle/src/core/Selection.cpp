// SPDX-License-Identifier: MIT
#include "core/Selection.hpp"

#include <algorithm>

namespace paddleipu {

std::int64_t integerOf(const proto::OpDesc &op, const std::string &attribute,
                       std::int64_t otherwise) {
  for (const auto &attr : op.attrs())
    if (attr.name() == attribute)
      return attr.type() == proto::LONG ? attr.l() : attr.i();
  return otherwise;
}
std::int64_t roleOf(const proto::OpDesc &op) { return integerOf(op, "op_role", Role::Forward); }

std::string lossOf(const proto::BlockDesc &block) {
  for (const auto &op : block.ops())
    if (roleOf(op) == (Role::Forward | Role::Loss) && op.outputs_size())
      for (const auto &var : op.outputs())
        if (var.arguments_size() && (var.parameter() == "Out" || var.parameter() == "Y" ||
                                     var.parameter() == "Loss" || op.outputs_size() == 1))
          return var.arguments(0);
  return "";
}

std::set<std::string> trainedBy(const proto::BlockDesc &block) {
  std::set<std::string> out;
  for (const auto &op : block.ops())
    if (roleOf(op) == Role::Optimize)
      for (const auto &var : op.inputs())
        if (var.parameter() == "Param")
          out.insert(var.arguments().begin(), var.arguments().end());
  return out;
}

namespace {

bool isTransfer(const proto::OpDesc &op) { return op.type() == "feed" || op.type() == "fetch"; }

bool makesAny(const proto::OpDesc &op, const std::set<std::string> &wanted) {
  for (const auto &var : op.outputs())
    for (const auto &name : var.arguments())
      if (wanted.count(name))
        return true;
  return false;
}

} // namespace

std::vector<const proto::OpDesc *> select(const proto::BlockDesc &block,
                                          const std::vector<std::string> &results,
                                          const std::set<std::string> &fed, bool whole) {
  std::set<std::string> wanted(results.begin(), results.end());
  for (const auto &var : block.vars())
    if (var.persistable())
      wanted.insert(var.name());
  std::vector<const proto::OpDesc *> out;
  for (int i = block.ops_size(); i-- > 0;) {
    const auto &op = block.ops(i);
    const bool forward = (roleOf(op) & ~std::int64_t(Role::Loss)) == Role::Forward;
    if (isTransfer(op) || !(whole || forward) || !(makesAny(op, wanted) || op.type() == "print"))
      continue;
    out.push_back(&op);
    for (const auto &var : op.inputs())
      for (const auto &name : var.arguments())
        if (!fed.count(name))
          wanted.insert(name);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

} // namespace paddleipu
