// SPDX-License-Identifier: MIT
// Operators that cannot run here, with the reason: containers of tensors, which a compiled program
// cannot have. The importer follows sequences where it can (onnx/sequences.cpp).
#include "opdef/opdef.hpp"

namespace popart::ops {

namespace {

OpDef refused(const std::string &type, const std::string &reason, const std::string &domain = "") {
  OpDef op;
  op.type = type;
  op.domain = domain;
  op.doc = "Refused: " + reason + ".";
  op.in = {0, any};
  op.out = {0, any};
  op.infer = [reason](const OpView &view) -> Infos {
    view.fail("it is not supported: ", reason, ".");
  };
  op.gradientError = reason;
  return op;
}

} // namespace

std::vector<OpDef> refusedOps() {
  const std::string lists = "sequences and optional values exist only when the program runs, but "
                            "compiled programs have fixed tensors. Write the tensors themselves";
  std::vector<OpDef> all{refused(
      "PackedDataBlock", "sequences are not unpacked on the device. Pad them, and use a Call",
      "ai.graphcore")};
  for (const char *type :
       {"SequenceAt", "SequenceConstruct", "SequenceEmpty", "SequenceErase", "SequenceInsert",
        "SequenceLength", "SplitToSequence", "ConcatFromSequence", "Optional", "OptionalGetElement",
        "OptionalHasElement"})
    all.push_back(refused(type, lists));
  return all;
}

} // namespace popart::ops
