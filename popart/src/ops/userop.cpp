// SPDX-License-Identifier: MIT
// UserOp: a function of a shared library builds the program, with Poplar's own interface (API level
// 5 of TensorFlow's precompiled_user_op). Attributes:
//   library, function, text   the file, the function's name, and a text that it is handed
//   codelets                  a file of codelets that it uses, or nothing
//   types, shapes, ranks      of the outputs (ops/shared/declared.hpp)
//   differentiable, separate  the inputs with a gradient, and whether each has a call of its own
// The gradient is the function <name>_grad; its node has `gradients` and `forwards`, how many of
// its inputs are gradients and how many of the others were inputs, and `which` input it is of.
#include "base/Text.hpp"
#include "lowering/lowering.hpp"
#include "opdef/graphbuilder.hpp"
#include "ops/shared/declared.hpp"
#include <algorithm>
#include <dlfcn.h>

namespace popart::ops {

namespace {

using poplar::program::Program;
using Build = Program (*)(poplar::Graph &, const Tensors &, Tensors &, const std::string &,
                          const std::string &);
using BuildGradient = Program (*)(poplar::Graph &, int, const Tensors &, const Tensors &,
                                  const Tensors &, Tensors &, const std::string &,
                                  const std::string &);
constexpr std::int32_t level = 5;

void *symbolOf(const OpView &op, void *library, const std::string &name, bool required = true) {
  void *found = ::dlsym(library, name.c_str());
  if (!found && required)
    op.fail("the library \"", op.text("library"), "\" has no function ", name,
            ". It must be extern \"C\".");
  return found;
}

// Libraries stay open: programs have pointers into them.
void *libraryOf(const OpView &op) {
  const auto path = op.text("library");
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    op.fail("the library cannot be loaded: ", ::dlerror(), ".");
  const auto *found = static_cast<const std::int32_t *>(::dlsym(library, "custom_op_api_level"));
  if (!found || *found != level)
    op.fail("the library \"", path, "\" has custom_op_api_level ",
            found ? std::to_string(*found) : "missing", "; it must be ", level, ".");
  return library;
}

void check(const OpView &op, const Tensors &made) {
  if (made.size() != op.outputs())
    op.fail(op.text("function"), " made ", made.size(), " outputs; ", op.outputs(),
            " were declared.");
  for (unsigned i = 0; i < op.outputs(); ++i) {
    const auto &wanted = op.out(i).info();
    const auto shape = made[i].shape();
    if (!std::equal(shape.begin(), shape.end(), wanted.shape().begin(), wanted.shape().end(),
                    [](auto a, auto b) { return std::int64_t(a) == b; }))
      op.fail("output ", i, " of ", op.text("function"), " has the shape ",
              ir::text(Shape(shape.begin(), shape.end())), "; ", ir::text(wanted.shape()),
              " was declared.");
  }
}

Tensors lower(lowering::Lowering &l, const OpView &op) {
  void *const library = libraryOf(op);
  void *const function = symbolOf(op, library, op.text("function"));
  if (const auto codelets = op.text("codelets", ""); !codelets.empty())
    l.graph().addCodelets(codelets);
  Tensors in, out;
  for (unsigned i = 0; i < op.inputs(); ++i)
    in.push_back(l.tensor(op.in(i)));
  const auto text = op.text("text", ""), name = l.name().getPathName();
  if (const auto gradients = op.integer("gradients", 0)) {
    const auto first = in.begin() + gradients, second = first + op.integer("forwards", 0);
    l.program().add(reinterpret_cast<BuildGradient>(function)(
        l.graph(), int(op.integer("which", 0)), Tensors(in.begin(), first), Tensors(first, second),
        Tensors(second, in.end()), out, text, name));
  } else
    l.program().add(reinterpret_cast<Build>(function)(l.graph(), in, out, text, name));
  check(op, out);
  return out;
}

class Gradient {
public:
  Gradient(GradBuilder &g, const OpView &op) : g_(g), op_(op) {
    for (unsigned i = 0; i < op.outputs(); ++i)
      inputs_.push_back(g.dy(i) == none ? g.zerosLike(op.out(i)) : g.dy(i));
    for (unsigned i = 0; i < op.inputs(); ++i)
      inputs_.push_back(op.in(i));
    for (unsigned i = 0; i < op.outputs(); ++i)
      inputs_.push_back(op.out(i));
  }
  Values write() {
    Values out(op_.inputs(), none);
    const Integers wanted = op_.integers("differentiable", {});
    if (wanted.empty())
      return out;
    if (op_.integer("separate", 0)) {
      for (auto i : wanted)
        out.at(std::size_t(i)) = call({i}, i).front();
      return out;
    }
    const auto made = call(wanted, 0);
    for (std::size_t i = 0; i < wanted.size(); ++i)
      out.at(std::size_t(wanted[i])) = made[i];
    return out;
  }

private:
  Values call(const Integers &of, std::int64_t which) {
    ir::Node node;
    node.def = &opOf("openipu.UserOp");
    node.inputs = inputs_;
    Infos outputs;
    for (auto i : of)
      outputs.push_back(op_.in(unsigned(i)).info());
    declareOutputs(node.attributes, outputs);
    node.attributes.set("library", op_.text("library"));
    node.attributes.set("codelets", op_.text("codelets", ""));
    node.attributes.set("function", op_.text("function") + "_grad");
    node.attributes.set("text", op_.text("gradientText", ""));
    node.attributes.set("gradients", std::int64_t(op_.outputs()));
    node.attributes.set("forwards", std::int64_t(op_.inputs()));
    node.attributes.set("which", which);
    return g_.append(std::move(node), unsigned(of.size()));
  }
  GradBuilder &g_;
  const OpView &op_;
  Values inputs_;
};

} // namespace

OpDef useropOp() {
  OpDef op;
  op.type = "UserOp";
  op.domain = "openipu";
  op.doc = "A program that a function of a shared library builds.";
  op.in = {0, any};
  op.out = {1, any};
  op.infer = declaredOutputs;
  op.lower = lower;
  op.grad = [](GradBuilder &g, const OpView &op) { return Gradient(g, op).write(); };
  return op;
}

} // namespace popart::ops
