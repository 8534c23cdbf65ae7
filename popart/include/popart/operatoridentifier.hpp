// SPDX-License-Identifier: MIT
// An operator's full name: domain, type, version; and how many inputs and outputs it takes.
#ifndef POPART_OPERATORIDENTIFIER_HPP
#define POPART_OPERATORIDENTIFIER_HPP
#include <ostream>
#include <popart/names.hpp>
#include <tuple>

namespace popart {

namespace Domain {
// Where operators are defined.
const static char *const ai_onnx = "ai.onnx";
const static char *const ai_onnx_ml = "ai.onnx.ml";
const static char *const ai_graphcore = "ai.graphcore";
} // namespace Domain

// How many inputs an operator takes.
struct NumInputs {
  int min = 0, max = 0; // max -1: any number
  NumInputs() = default;
  NumInputs(int both) : min(both), max(both) {}
  NumInputs(int least, int most) : min(least), max(most) {}
};

struct OperatorIdentifier {
  OperatorIdentifier(const OpDomain &d, const OpType &t, OpVersion v, NumInputs inputs = {},
                     int outputs = 0)
      : domain(d), type(t), version(v), numInputs(inputs), numOutputs(outputs) {}
  bool operator==(const OperatorIdentifier &other) const {
    return std::tie(domain, type, version) == std::tie(other.domain, other.type, other.version);
  }
  bool operator!=(const OperatorIdentifier &other) const { return !(*this == other); }
  bool operator<(const OperatorIdentifier &other) const {
    return std::tie(domain, type, version) < std::tie(other.domain, other.type, other.version);
  }

  OpDomain domain;
  OpType type;
  OpVersion version;
  NumInputs numInputs; // how many it takes; not part of the identity
  int numOutputs;      // how many it makes; not part of the identity
};
inline std::ostream &operator<<(std::ostream &out, const OperatorIdentifier &id) {
  return out << id.domain << "." << id.type << ":" << id.version;
}

} // namespace popart
#endif
