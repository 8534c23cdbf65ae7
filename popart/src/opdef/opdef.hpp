// SPDX-License-Identifier: MIT
// What an operator is: one OpDef, made by one file of ops/, holds all facts about it. That folder
// is the registry: erf.cpp defines `OpDef erfOp()`, and the build writes the table of all.
//
// An operator has one canonical form (the newest ONNX version; compile-time inputs such as axes are
// attributes). `canonical` brings what older versions say into it when a model is imported; every
// other function sees the canonical form only.
#pragma once
#include "opdef/opview.hpp"
#include <functional>
#include <poplar/Tensor.hpp>
#include <popops/Expr.hpp>

namespace popart::lowering {
class Lowering;
}

namespace popart::ops {

class GraphBuilder;
class GradBuilder;
class Importing;

using Infos = std::vector<TensorInfo>;
using Expr = popops::expr::Any;
using Exprs = std::vector<Expr>;
using Tensors = std::vector<poplar::Tensor>;

struct Arity {
  unsigned min = 1, max = 1;
};
inline constexpr unsigned any = 0x7fffffff;

// How a batch can be cut in parts that an operator takes one after the other
// (analysis/batchrules.cpp; element-wise operators and reductions say enough by being that).
enum class Batch : std::uint8_t {
  Whole,     // it cannot
  Images,    // along the first dimension of input 0, all other inputs whole
  OtherAxes, // along any dimension but `axis`, all inputs alike
  Sum,       // inputs 0 and 1 along the first dimension; results are added up
  First,     // all inputs and outputs along the first dimension
  Product,   // rows of matrices, or whole matrices
  Joined,    // along any dimension but that in which inputs are joined
  Reshaped,  // along the first dimension, if it stays one
  Permuted,  // along any dimension, which `perm` moves
  Sliced,    // along dimensions that are not cut
  Gathered   // along indices, or dimensions of the table that are not looked up
};

struct OpDef {
  std::string type;
  std::string domain; // "" is ai.onnx; "ai.graphcore"; "openipu" for what only rewrites make
  Arity in, out;
  std::string doc; // one sentence

  // ONNX of any version (6 to 23) -> canonical form.
  std::function<void(Importing &)> canonical;
  // Written with other operators: replaced by its outputs at once, has no other function.
  std::function<Values(GraphBuilder &, const OpView &)> decompose;
  // Element types and shapes of the outputs; popart::error for inputs that do not fit.
  std::function<Infos(const OpView &)> infer;
  // Values of the outputs when all inputs are constants; empty when it cannot say.
  std::function<std::vector<HostTensor>(const OpView &)> fold;
  // Gradients of the inputs (`none`: no gradient flows there), written with operators.
  std::function<Values(GradBuilder &, const OpView &)> grad;
  std::string noGradient;    // instead of `grad`: why the chain silently ends here
  std::string gradientError; // instead of `grad`: why differentiating this is an error

  // Element-wise operators: the expression, given those of the inputs. Neighbours are fused.
  std::function<Expr(const OpView &, const Exprs &)> expr;
  // All others: adds programs, returns the tensors of the outputs.
  std::function<Tensors(lowering::Lowering &, const OpView &)> lower;
  // The layout this operator wants for input i; an invalid tensor when it does not care.
  std::function<poplar::Tensor(lowering::Lowering &, const OpView &, unsigned)> create;
  // Given a layout of output 0, the layout of input 0 that leads to it without a copy.
  std::function<poplar::Tensor(const OpView &, const poplar::Tensor &)> unwind;

  bool random = false;     // draws numbers: never folded, merged or computed twice
  bool sideEffect = false; // prints, stores, aborts: never pruned
  // Of how many inputs its outputs are made. Those behind them were replaced: weights that led
  // there alone have a gradient of zero. They go when gradients are written.
  unsigned computesFrom = any;
  int updates = -1;         // the input whose variable it writes in place; never pruned either
  bool assigns = false;     // what it updates becomes input 1 as it is
  bool accumulates = false; // what it updates gathers gradients of micro-batches

  // What passes ask about it, so that none has a list of operators.
  bool view = false;       // its outputs are input 0, or parts of it, seen otherwise
  int viewIfConstant = -1; // where this input is a constant it may be a view as well
  bool fresh = false;      // its outputs never share memory with an input
  bool reduction = false;  // of input 0 along `axes`
  bool adds = false;       // inputs up, or the elements of its only one
  bool product = false;    // of matrices, or images and filters
  std::string epilogue;    // the operator that does the same with a bias, an addend, an activation
  int channels = 1;        // of such a product: their dimension in its result; -1: the last
  bool norm = false;       // normalises: cheap to compute again
  bool collective = false; // between replicas
  bool crosses = false;    // between IPUs or stages
  bool restores = false;   // keeps input 0 for later stages of a pipeline
  bool fetches = false;    // brings what is kept elsewhere, anew for every use
  bool fused = false;      // its body is element-wise operators as one expression
  Batch batch = Batch::Whole;
  // Whether its output never falls where input 0 grows.
  std::function<bool(const OpView &)> monotone;

  bool isElementwise() const { return expr && !lower; } // and may be fused
};

// Whether a node draws numbers, itself or in its bodies.
bool drawsNumbers(const ir::Node &node);

// All operators, in the order of their names; by domain and type (nullptr: no such operator).
const std::vector<OpDef> &allOps();
const OpDef *findOp(const std::string &domain, const std::string &type);
// By type, looking in openipu, ai.onnx and ai.graphcore, or by domain.type; `opOf` throws
// internal_error if there is none.
const OpDef *findOp(const std::string &name);
const OpDef &opOf(const std::string &name);
// Operators that come with shared libraries of users (custom operators).
void addOp(OpDef def);

} // namespace popart::ops
