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

// What a function does with an argument: reads it, makes it, changes it, or returns it as new.
enum ArgType {
  InputArg,   // read
  OutputArg,  // written; the caller gives the tensor
  InOutArg,   // read and written
  CreatedArg, // made by the body; the caller gets a new tensor
};

// One argument of a function: what for, and a tensor that it looks like.
struct ArgSig {
  ArgType type;                 // what the function does with it
  poplar::Tensor similarTensor; // the parameter is a clone of this
  std::string debugName;        // the name of the function's own tensor
  ArgSig(ArgType t, poplar::Tensor tensor, std::string name = "")
      : type(t), similarTensor(std::move(tensor)), debugName(std::move(name)) {}
};

// An argument that is read.
inline ArgSig input(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InputArg, std::move(similar), std::move(debugName));
}
// An argument that is read and changed.
inline ArgSig inout(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(InOutArg, std::move(similar), std::move(debugName));
}
// An argument that is written.
inline ArgSig output(poplar::Tensor similar, std::string debugName = "") {
  return ArgSig(OutputArg, std::move(similar), std::move(debugName));
}
// An argument that the function makes; the caller finds it in its list.
inline ArgSig created(std::string debugName = "") {
  return ArgSig(CreatedArg, poplar::Tensor(), std::move(debugName));
}

using Signature = std::vector<ArgSig>; // all arguments, in order

// A piece of program that is there once and called with other tensors: arguments are copied in and
// out.
class VoidFunction {
public:
  // Adds the program; the tensors are the function's own.
  using Body = std::function<void(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  // The same, with a name for what it makes.
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

// A VoidFunction whose body returns the program.
class ProgramFunction {
public:
  // Makes the program; the tensors are the function's own.
  using Body = std::function<poplar::program::Program(std::vector<poplar::Tensor> &)>;
  // The same, with a name for what it makes.
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

// A VoidFunction whose body also returns a tensor; each call returns one of its own.
class TensorFunction {
public:
  // Makes the program and the result.
  using Body =
      std::function<poplar::Tensor(std::vector<poplar::Tensor> &, poplar::program::Sequence &)>;
  // The same, with a name for what it makes.
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
