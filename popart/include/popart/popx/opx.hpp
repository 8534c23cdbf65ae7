// SPDX-License-Identifier: MIT
// The base of how custom operators are computed: grow() adds programs to the sequence given.
#ifndef POPART_OPX_HPP
#define POPART_OPX_HPP
#include <popart/debugcontext.hpp>
#include <popart/op.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popart {
namespace popx {

class Devicex; // what an Opx is connected to; handed through, never looked into

class Opx {
public:
  Opx(Op *op, Devicex *devicex) : op_p(op), dv_p(devicex) {}
  virtual ~Opx();
  virtual void grow(poplar::program::Sequence &prog) const = 0;

  poplar::Graph &graph() const;
  // The tensor of an input. It may be written: nobody else reads it.
  poplar::Tensor getInTensor(InIndex i) const;
  void setOutTensor(OutIndex i, const poplar::Tensor &tensor) const;
  poplar::Tensor cloneNcopy(poplar::program::Sequence &prog, const poplar::Tensor &tensor,
                            const std::string name = "") const;
  poplar::Tensor getConst(const poplar::Type &type, const std::vector<std::size_t> &shape,
                          double value, const std::string &name) const;
  poplar::DebugContext debugContext(const std::string name = "") const;
  poplar::DebugNameAndId getDebugNameAndId(const std::string name = "") const;
  bool hasInput(InIndex i) const { return op_p->hasInput(i); }
  const TensorInfo &inInfo(InIndex i) const { return op_p->inInfo(i); }
  const TensorInfo &outInfo(OutIndex i) const { return op_p->outInfo(i); }
  const Shape &inShape(InIndex i) const { return op_p->inShape(i); }
  const Shape &outShape(OutIndex i) const { return op_p->outShape(i); }

  template <class OP> OP &getOp() const {
    OP *op = dynamic_cast<OP *>(op_p);
    if (!op)
      throw error("Opx of {}: its operator is of another class.", op_p->str());
    return *op;
  }
  template <class OP> void verifyOp(Op *op, const OperatorIdentifier &id) {
    verifyOp<OP>(op, std::vector<OperatorIdentifier>{id});
  }
  template <class OP> void verifyOp(Op *op, const std::vector<OperatorIdentifier> &ids) {
    verifyOp<OP>(op);
    for (const auto &id : ids)
      if (op->opid == id)
        return;
    throw error("An Opx was made for {}, which it is not registered for.", op->str());
  }
  template <class OP> void verifyOp(Op *op) {
    if (!dynamic_cast<OP *>(op))
      throw error("An Opx was made for {}, whose class it does not serve.", op->str());
  }

  Op *op_p;

protected:
  Devicex *dv_p;
};

} // namespace popx
} // namespace popart
#endif
