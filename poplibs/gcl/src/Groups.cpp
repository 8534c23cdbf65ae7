// SPDX-License-Identifier: MIT
#include "Groups.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include <istream>
#include <map>
#include <ostream>

namespace gcl {

using base::str;
using poputil::poplibs_error;

static const std::map<std::string, CollectiveOperator> operators{
    {"ADD", CollectiveOperator::ADD},
    {"MEAN", CollectiveOperator::MEAN},
    {"MUL", CollectiveOperator::MUL},
    {"MIN", CollectiveOperator::MIN},
    {"MAX", CollectiveOperator::MAX},
    {"LOGICAL_AND", CollectiveOperator::LOGICAL_AND},
    {"LOGICAL_OR", CollectiveOperator::LOGICAL_OR},
    {"SQUARE_ADD", CollectiveOperator::SQUARE_ADD},
    {"LOCAL", CollectiveOperator::LOCAL}};

std::ostream &operator<<(std::ostream &out, const CollectiveOperator &op) {
  for (const auto &[name, value] : operators)
    if (value == op)
      return out << name;
  return out << "CollectiveOperator(" << int(op) << ')';
}

std::istream &operator>>(std::istream &in, CollectiveOperator &op) {
  std::string name;
  in >> name;
  auto found = operators.find(name);
  if (found == operators.end()) {
    std::vector<std::string> names;
    for (const auto &[known, value] : operators)
      names.push_back(known);
    throw poplibs_error(str("Unknown collective operator \"", name, "\"; known are ",
                            base::list(names, ", "), '.'));
  }
  op = found->second;
  return in;
}

std::ostream &operator<<(std::ostream &out, const CommGroupType &type) {
  return out << (type == CommGroupType::ALL           ? "ALL"
                 : type == CommGroupType::CONSECUTIVE ? "CONSECUTIVE"
                                                      : "ORTHOGONAL");
}

Group resolve(const std::string &call, const CommGroup &group, unsigned replicas) {
  auto size = group.replicaGroupSize(), stride = group.replicaGroupStride();
  if (group.type() == CommGroupType::ALL || size == 0) {
    if (size != 0 && size != replicas)
      throw poplibs_error(str(call, ": a group of ALL has ", size, " members, but there are ",
                              replicas, " replicas; use CONSECUTIVE for smaller groups."));
    return {CommGroupType::ALL, replicas, 1};
  }
  if (stride == 0 || (group.type() == CommGroupType::ORTHOGONAL && stride != 1))
    throw poplibs_error(str(call, ": a stride of ", stride, " in a group of type ", group.type(),
                            "; it must be 1 or more, and 1 for ORTHOGONAL."));
  auto block = std::uint64_t(size) * stride;
  if (replicas % block != 0)
    throw poplibs_error(str(call, ": ", replicas, " replicas cannot be divided into groups of ",
                            size, " with stride ", stride, "; ", block,
                            " must divide the number of replicas."));
  return {group.type(), size, stride};
}

void checkOperator(const std::string &call, CollectiveOperator op, const poplar::Type &type) {
  bool logical = op == CollectiveOperator::LOGICAL_AND || op == CollectiveOperator::LOGICAL_OR;
  bool number = type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
                type == poplar::UNSIGNED_INT;
  if (op != CollectiveOperator::LOCAL && (logical ? type != poplar::BOOL : !number))
    throw poputil::poplibs_error(
        base::str(call, ": no ", op, " of elements of type ", type,
                  logical ? "; bool is needed." : "; float, half, int or unsigned int is needed."));
}

Options parseOptions(const poplar::OptionFlags &flags) {
  using poplibs::OptionHandler;
  Options o;
  const poplibs::OptionSpec spec{
      {"useSynclessCollectives",
       OptionHandler::createWithEnum(o.syncless,
                                     std::map<std::string, Syncless>{{"auto", Syncless::Auto},
                                                                     {"true", Syncless::True},
                                                                     {"false", Syncless::False}})},
      {"maxBytesPerTile", OptionHandler::createWithInteger(o.maxBytesPerTile)},
      {"method", OptionHandler::createWithEnum(
                     o.method, std::map<std::string, Method>{
                                   {"auto", Method::Auto},
                                   {"clockwise_ring", Method::Clockwise},
                                   {"anticlockwise_ring", Method::Anticlockwise},
                                   {"bidirectional_ring_pair", Method::BidirectionalPair},
                                   {"meet_in_middle_ring", Method::MeetInMiddle}})}};
  for (const auto &flag : flags)
    spec.parse(flag.first, flag.second);
  return o;
}

} // namespace gcl
