// SPDX-License-Identifier: MIT
// Program and tensor functions are void functions with one more argument or a wrapped body.
#include "poputil/GraphFunction.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/Util.hpp"

namespace poputil {
namespace graphfn {

using poplar::DebugContext;
using poplar::DebugNameAndId;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Program;
using poplar::program::Sequence;

namespace {

VoidFunction::NamedBody named(VoidFunction::Body f) {
  return [f = std::move(f)](std::vector<Tensor> &args, Sequence &prog, const DebugNameAndId &) {
    f(args, prog);
  };
}

VoidFunction::NamedBody named(ProgramFunction::NamedBody f) {
  return [f = std::move(f)](std::vector<Tensor> &args, Sequence &prog, const DebugNameAndId &name) {
    prog.add(f(args, name));
  };
}

// The result is the argument behind those of the signature.
VoidFunction::NamedBody named(TensorFunction::NamedBody f) {
  return [f = std::move(f)](std::vector<Tensor> &args, Sequence &prog, const DebugNameAndId &name) {
    Tensor result;
    std::vector<Tensor> own(args.begin(), args.end() - 1);
    result = f(own, prog, name);
    std::copy(own.begin(), own.end(), args.begin());
    args.back() = result;
  };
}

Signature withResult(Signature sig) {
  sig.push_back(created("result"));
  return sig;
}

std::string nameOf(const ArgSig &sig, std::size_t i) {
  return sig.debugName.empty() ? base::str("argument ", i)
                               : base::str("argument ", i, " (\"", sig.debugName, "\")");
}

DebugNameAndId nameOf(const DebugContext &context) {
  return DebugNameAndId("", context.getParentId(), context.getPathName());
}

void checkArgs(const Signature &sig, const std::vector<Tensor> &args) {
  if (args.size() != sig.size())
    throw poplibs_error(base::str("A graph function of ", sig.size(), " arguments is called with ",
                                  args.size(), "."));
  for (std::size_t i = 0; i < sig.size(); ++i) {
    if (sig[i].type == CreatedArg)
      continue;
    const Tensor &similar = sig[i].similarTensor;
    if (!args[i].valid())
      throw poplibs_error(base::str("A graph function needs ", nameOf(sig[i], i),
                                    ", but an uninitialised tensor is given."));
    if (args[i].shape() != similar.shape() || args[i].elementType() != similar.elementType())
      throw poplibs_error(base::str("A graph function expects ", similar.elementType(),
                                    base::list(similar.shape()), " as ", nameOf(sig[i], i),
                                    ", but ", args[i].elementType(), base::list(args[i].shape()),
                                    " is given."));
  }
}

} // namespace

VoidFunction::VoidFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined,
                           const DebugContext &debugContext)
    : VoidFunction(graph, std::move(sig), named(std::move(f)), inlined, debugContext) {}

VoidFunction::VoidFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined,
                           const DebugContext &debugContext)
    : graph_(&graph), sig_(std::move(sig)), inlined_(inlined), body_(std::move(f)) {
  for (std::size_t i = 0; i < sig_.size(); ++i)
    if (sig_[i].type != CreatedArg && !sig_[i].similarTensor.valid())
      throw poplibs_error(base::str("The signature of a graph function has no similar tensor for ",
                                    nameOf(sig_[i], i), "."));
  if (inlined_)
    return;
  for (const ArgSig &arg : sig_)
    params_.push_back(arg.type == CreatedArg
                          ? Tensor()
                          : graph.clone(arg.similarTensor, {debugContext, arg.debugName}));
  Sequence prog;
  body_(params_, prog, nameOf(debugContext));
  function_ = graph.addFunction(prog);
}

void VoidFunction::operator()(std::vector<Tensor> &args, Sequence &prog,
                              const DebugContext &debugContext) {
  checkArgs(sig_, args);
  if (inlined_) {
    body_(args, prog, nameOf(debugContext));
    return;
  }
  for (std::size_t i = 0; i < sig_.size(); ++i)
    if (sig_[i].type == InputArg || sig_[i].type == InOutArg)
      prog.add(Copy(args[i], params_[i], false, debugContext));
  prog.add(poplar::program::Call(function_, debugContext));
  for (std::size_t i = 0; i < sig_.size(); ++i) {
    if (sig_[i].type == CreatedArg)
      args[i] = duplicate(*graph_, params_[i], prog, {debugContext, sig_[i].debugName});
    else if (sig_[i].type != InputArg)
      prog.add(Copy(params_[i], args[i], false, debugContext));
  }
}

ProgramFunction::ProgramFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined,
                                 const DebugContext &debugContext)
    : ProgramFunction(graph, std::move(sig),
                      NamedBody([f = std::move(f)](std::vector<Tensor> &args,
                                                   const DebugNameAndId &) { return f(args); }),
                      inlined, debugContext) {}
ProgramFunction::ProgramFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined,
                                 const DebugContext &debugContext)
    : function_(graph, std::move(sig), named(std::move(f)), inlined, debugContext) {}

Program ProgramFunction::operator()(std::vector<Tensor> &args, const DebugContext &debugContext) {
  Sequence prog;
  function_(args, prog, debugContext);
  return prog;
}

TensorFunction::TensorFunction(poplar::Graph &graph, Signature sig, Body f, bool inlined,
                               const DebugContext &debugContext)
    : TensorFunction(
          graph, std::move(sig),
          NamedBody([f = std::move(f)](std::vector<Tensor> &args, Sequence &prog,
                                       const DebugNameAndId &) { return f(args, prog); }),
          inlined, debugContext) {}
TensorFunction::TensorFunction(poplar::Graph &graph, Signature sig, NamedBody f, bool inlined,
                               const DebugContext &debugContext)
    : function_(graph, withResult(std::move(sig)), named(std::move(f)), inlined, debugContext) {}

Tensor TensorFunction::operator()(std::vector<Tensor> &args, Sequence &prog,
                                  const DebugContext &debugContext) {
  std::vector<Tensor> all = args;
  all.emplace_back();
  function_(all, prog, debugContext);
  std::copy(all.begin(), all.end() - 1, args.begin());
  return all.back();
}

} // namespace graphfn
} // namespace poputil
