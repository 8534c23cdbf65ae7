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

// How an operator computes: derive from it, override grow, register it with an OpxCreator.
class Opx {
public:
  Opx(Op *op, Devicex *devicex) : op_p(op), dv_p(devicex) {}
  virtual ~Opx();
  // Adds the operator's computation to the program: reads getInTensor, sets setOutTensor.
  virtual void grow(poplar::program::Sequence &prog) const = 0;

  // ---- layouts
  // The tensor that an input wants to be. Newer operators override createInputTensor, older ones
  // one of the createInput.
  virtual InputCreatorType getInputCreatorType(InIndex) const { return InputCreatorType::Deadend; }
  virtual poplar::Tensor createInputTensor(InIndex i, const poplar::DebugNameAndId &name) const;
  virtual poplar::Tensor createInput(InIndex i, const poplar::DebugNameAndId &name) const;
  virtual poplar::Tensor createInput(InIndex i, const std::string &name) const;
  // Whether another Opx lays the input out in the same way.
  virtual bool createsEquiv(int, const Opx *, int) const { return false; }
  // Tensors that createInput looks at; the input is laid out linearly if they are not there yet.
  virtual std::set<TensorId> mustExistBeforeCreate(int) const { return std::set<TensorId>(); }
  // Layouts go back through PopART's own operators only: these two are not asked.
  virtual bool canUnwind(InIndex, OutIndex) const { return false; }
  // The input as seen from the output, for an operator that only changes the view.
  virtual poplar::Tensor unwindTensorLayout(poplar::Tensor tensor, InIndex, OutIndex) const {
    return tensor;
  }
  // Where a region of the output is found in the input.
  virtual view::RegMap unwindRegion(InIndex, OutIndex) const;

  // ---- tensors
  poplar::Graph &graph() const; // the graph of the operator's IPU
  // The tensor of an input. It may be written: nobody else reads it. Of a variant in place it is
  // the input itself where the operator says that it modifies it.
  poplar::Tensor getInTensor(InIndex i) const;
  // Says what an output is. Each one must be set by grow.
  void setOutTensor(OutIndex i, const poplar::Tensor &tensor) const;
  poplar::Tensor getOutTensor(OutIndex i) const; // popart::error before it is set
  bool hasOutTensor(OutIndex i) const;           // whether it is set
  // The same by the tensors' names.
  poplar::Tensor get(const TensorId &id) const;
  // Says what a tensor of this name is.
  void insert(const TensorId &id, const poplar::Tensor &tensor) const;
  TensorId inId(InIndex i) const { return op_p->inId(i); }    // the name of an input
  TensorId outId(OutIndex i) const { return op_p->outId(i); } // the name of an output
  // A copy in the same layout, filled when the program comes here.
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
  // A constant, all elements the same.
  poplar::Tensor getConst(const poplar::Type &type, const std::vector<std::size_t> &shape,
                          double value, const std::string &name) const;
  // One element on tile 0.
  poplar::Tensor getScalarVariable(const poplar::Type &type, const std::string &name) const;
  // The operator's name, with a suffix, for what it makes.
  poplar::DebugContext debugContext(const std::string name = "") const;
  poplar::DebugNameAndId getDebugNameAndId(const std::string name = "") const;
  std::string debugPrefix(const std::string &name = "") const;
  // The same as the functions of the operator.
  bool hasInput(InIndex i) const { return op_p->hasInput(i); }
  bool hasOutput(OutIndex i) const { return op_p->hasOutput(i); }
  Tensor *inTensor(InIndex i) const { return op_p->inTensor(i); }
  Tensor *outTensor(OutIndex i) const { return op_p->outTensor(i); }
  const TensorInfo &inInfo(InIndex i) const { return op_p->inInfo(i); }
  const TensorInfo &outInfo(OutIndex i) const { return op_p->outInfo(i); }
  const Shape &inShape(InIndex i) const { return op_p->inShape(i); }
  const Shape &outShape(OutIndex i) const { return op_p->outShape(i); }
  // The operator's IPU; 0 if none was said.
  VGraphId getVirtualGraphId() const {
    return op_p->hasVirtualGraphId() ? op_p->getVirtualGraphId() : 0;
  }

  // The operator as its class. Throws popart::error if it is of another.
  template <class OP> OP &getOp() const {
    OP *op = dynamic_cast<OP *>(op_p);
    if (!op)
      throw error("Opx of {}: its operator is of another class.", op_p->str());
    return *op;
  }
  // For constructors: throws popart::error if the operator is of another class or identifier.
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

  Op *op_p; // the operator

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
