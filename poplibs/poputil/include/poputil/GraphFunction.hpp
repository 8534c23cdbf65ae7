// SPDX-License-Identifier: MIT
// Functions of tensors whose program exists once and is called from several places. A call copies
// its inputs to the parameters, runs the program, and copies the outputs back.
//
//   graphfn::VoidFunction f(graph, {graphfn::input(a), graphfn::created("y")},
//                           [&](std::vector<Tensor> &args, Sequence &prog) {
//                             args[1] = popops::exp(graph, args[0], prog);
//                           });
//   std::vector<Tensor> args{b, Tensor()};
//   f(args, prog);                            // args[1] is new: exp(b)
//
// Inlined functions run their body at every call instead.
#pragma once
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace graphfn {

enum ArgType {
  InputArg,   // read
  OutputArg,  // written; the caller gives the tensor
  InOutArg,   // read and written
  CreatedArg, // made by the body; the caller gets a new tensor
};

struct ArgSig {
  ArgType type;
  poplar::Tensor similarTensor; // the parameter is a clone of this
  std::string debugName;
  ArgSig(ArgType t, poplar::Tensor tensor, std::string name = "")
      : type(t), similarTensor(std::move(tensor)), debugName(std::move(name)) {}
};

inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

using Signature = std::vector<ArgSig>;

class VoidFunction {
public:
  using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  using NamedBody = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &,
                                       const poplar::DebugNameAndId &)>;

  VoidFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
               const poplar::DebugContext &debugContext = {});
  VoidFunction(VoidFunction &&) = default;
  VoidFunction &operator=(VoidFunction &&) = default;
  VoidFunction(const VoidFunction &) = delete;
  VoidFunction &operator=(const VoidFunction &) = delete;

  // Throws poplibs_error when number, shapes or types of the arguments differ from the signature.
  void operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});

private:
  poplar::Graph *graph_;
  Signature sig_;
  bool inlined_;
  NamedBody body_;
  std::vector<poplar::Tensor> params_;
  poplar::Function function_;
};

class ProgramFunction {
public:
  using Body = std::function<poplar::program::Program(std::vector<poplar::Tensor> &)>;
  using NamedBody = std::function<poplar::program::Program(std::vector<poplar::Tensor> &,
                                                           const poplar::DebugNameAndId &)>;

  ProgramFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  ProgramFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                  const poplar::DebugContext &debugContext = {});
  poplar::program::Program operator()(std::vector<poplar::Tensor> &args,
                                      const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

class TensorFunction {
public:
  using Body =
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  using NamedBody = std::function<poplar::Tensor(
      std::vector<poplar::Tensor> &, poplar::program::Sequence &, const poplar::DebugNameAndId &)>;

  TensorFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  TensorFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined = false,
                 const poplar::DebugContext &debugContext = {});
  poplar::Tensor operator()(std::vector<poplar::Tensor> &args, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});

private:
  VoidFunction function_;
};

} // namespace graphfn
} // namespace poputil
