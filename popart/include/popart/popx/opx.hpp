// SPDX-License-Identifier: MIT
// The base of how custom operators are computed: grow() adds programs to the sequence given.
#ifndef POPART_OPX_HPP
#define POPART_OPX_HPP
#include <popart/debugcontext.hpp>
#include <popart/op.hpp>
#include <popart/popx/devicex.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popart {
namespace popx {

// Whether an Opx chooses how an input lies on the tiles. Unwinding is not asked for: Deadend.
enum class InputCreatorType {
  CanCreate = 0,
  CanUnwind,
  CanCreateOrUnwind,
  CanDelegate,
  CanDelegateOrUnwind,
  CanCreateOrDelegate,
  Deadend
};

class Opx {
public:
  Opx(Op *op, Devicex *devicex) : op_p(op), dv_p(devicex) {}
  virtual ~Opx();
  virtual void grow(poplar::program::Sequence &prog) const = 0;

  // ---- layouts: the tensor that an input wants to be. Newer operators override createInputTensor,
  // older ones createInput.
  virtual InputCreatorType getInputCreatorType(InIndex) const { return InputCreatorType::Deadend; }
  virtual poplar::Tensor createInputTensor(InIndex i, const poplar::DebugNameAndId &name) const;
  virtual poplar::Tensor createInput(InIndex i, const std::string &name) const;
  virtual bool createsEquiv(int, const Opx *, int) const { return false; }
  // Tensors that createInput looks at; the input is laid out linearly if they are not there yet.
  virtual std::set<TensorId> mustExistBeforeCreate(int) const { return std::set<TensorId>(); }
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
    return tensor;
  }
  virtual view::RegMap unwindRegion(InIndex, OutIndex) const;

  // ---- tensors
  poplar::Graph &graph() const;
  // The tensor of an input. It may be written: nobody else reads it. Of a variant in place it is
  // the input itself where the operator says that it modifies it.
  poplar::Tensor getInTensor(InIndex i) const;
  void setOutTensor(OutIndex i, const poplar::Tensor &tensor) const;
  poplar::Tensor getOutTensor(OutIndex i) const; // popart::error before it is set
  bool hasOutTensor(OutIndex i) const;
  // The same by the tensors' names.
  poplar::Tensor get(const TensorId &id) const;
  void insert(const TensorId &id, const poplar::Tensor &tensor) const;
  TensorId inId(InIndex i) const { return op_p->inId(i); }
  TensorId outId(OutIndex i) const { return op_p->outId(i); }
  poplar::Tensor cloneNcopy(poplar::program::Sequence &prog, const poplar::Tensor &tensor,
                            const std::string name = "") const;
  poplar::Tensor cloneNcopy(poplar::program::Sequence &prog, const TensorId &id) const {
    return cloneNcopy(prog, get(id), id);
  }
  // The tensor, repeated until it has the shape (numpy's rule).
  poplar::Tensor broadcast(const std::vector<std::int64_t> &shape, const TensorId &id) const {
    return broadcast(shape, get(id));
  }
  poplar::Tensor broadcast(const std::vector<std::int64_t> &shape, poplar::Tensor tensor) const;
  poplar::Tensor getConst(const poplar::Type &type, const std::vector<std::size_t> &shape,
                          double value, const std::string &name) const;
  // One element on tile 0.
  poplar::Tensor getScalarVariable(const poplar::Type &type, const std::string &name) const;
  poplar::DebugContext debugContext(const std::string name = "") const;
  poplar::DebugNameAndId getDebugNameAndId(const std::string name = "") const;
  std::string debugPrefix(const std::string &name = "") const;
  bool hasInput(InIndex i) const { return op_p->hasInput(i); }
  bool hasOutput(OutIndex i) const { return op_p->hasOutput(i); }
  Tensor *inTensor(InIndex i) const { return op_p->inTensor(i); }
  Tensor *outTensor(OutIndex i) const { return op_p->outTensor(i); }
  const TensorInfo &inInfo(InIndex i) const { return op_p->inInfo(i); }
  const TensorInfo &outInfo(OutIndex i) const { return op_p->outInfo(i); }
  const Shape &inShape(InIndex i) const { return op_p->inShape(i); }
  const Shape &outShape(OutIndex i) const { return op_p->outShape(i); }
  VGraphId getVirtualGraphId() const {
    return op_p->hasVirtualGraphId() ? op_p->getVirtualGraphId() : 0;
  }

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

// How PopART's own operator computes: for classes that derive from one and only add to it.
class BuiltinOpx : public Opx {
public:
  BuiltinOpx(Op *op, Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &prog) const override;
};

} // namespace popx
} // namespace popart
#endif
