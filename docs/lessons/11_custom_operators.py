# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 11: an operator of your own
#
# After this lesson you can:
#
# - describe an operator to PopART: its shape, its attributes, its gradient;
# - give it a Poplar program for the forward and the backward pass;
# - call it from PyTorch with `poptorch.custom_op`;
# - check its numbers and gradients against torch.
#
# You need C++, PyTorch and an installed SDK (`source ~/openipu/enable.sh`). The lesson takes 30
# minutes.
#
# ## When do you need one?
#
# Seldom. If you can write a function with torch's operators, do that: gradients come for free. You
# need an operator of your own when you want a Poplar program of your own inside a model.
#
# Our example is a *swish* with a slope *a*:
#
#     y  = x s          with  s = 1 / (1 + exp(-a x))
#     dy = s + a x s (1 - s)
#
# Torch has a function for *a* = 1, `silu`. So we can compare.
#
# ## What it is
#
# An `Op` says what an operator is, and not how it runs. The gradient is an `Op` of its own.
# `gradInputInfo` says where its inputs come from: here the gradient of *y*, and *x* itself.
# `gradOutToNonGradIn` says whose gradient its output is: that of input 0.

# %%
import ctypes

import lesson
import poptorch
import torch
from matplotlib import pyplot

what = r"""
#include <popart/op.hpp>
#include <popart/opmanager.hpp>
#include <popart/opserialiser.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opx.hpp>
#include <popart/popx/opxmanager.hpp>
#include <popart/shapeinference.hpp>
#include <popops/ElementWise.hpp>

using namespace popart;

const OperatorIdentifier Swish = {"lesson", "Swish", 1};
const OperatorIdentifier SwishGrad = {"lesson", "SwishGrad", 1};

struct Base : Op { // what both share: a slope, and an output like input 0
  Base(const OperatorIdentifier &id, float slope, const Op::Settings &settings)
      : Op(id, settings), slope(slope) {}
  void setup() final { outInfo(0) = inInfo(0); }
  void appendOutlineAttributes(OpSerialiserBase &to) const override {
    Op::appendOutlineAttributes(to);
    to.appendAttribute("slope", slope);
  }
  float getSubgraphValue() const final { return getHighSubgraphValue(); }
  float slope;
};

struct SwishGradOp : Base {
  SwishGradOp(const Base &forward) : Base(SwishGrad, forward.slope, forward.getSettings()) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<SwishGradOp>(*this); }
  const std::vector<GradInOutMapper> &gradInputInfo() const final {
    static const std::vector<GradInOutMapper> from = {{0, 0, GradOpInType::GradOut},
                                                      {1, 0, GradOpInType::In}};
    return from;
  }
  const std::map<int, int> &gradOutToNonGradIn() const final {
    static const std::map<int, int> to = {{0, 0}};
    return to;
  }
};

struct SwishOp : Base {
  using Base::Base;
  std::unique_ptr<Op> clone() const final { return std::make_unique<SwishOp>(*this); }
  std::vector<std::unique_ptr<Op>> getGradOps() final {
    std::vector<std::unique_ptr<Op>> result;
    result.push_back(std::make_unique<SwishGradOp>(*this));
    return result;
  }
};
"""

# %% [markdown]
# `appendOutlineAttributes` matters. PopART compiles equal operators once. Two operators with
# different slopes are not equal, and this function tells PopART so.
#
# ## How it runs
#
# An `Opx` adds steps to a Poplar program. It gets its inputs as Poplar tensors, and inserts its
# output. `popops::map` computes a whole expression for every element.

# %%
how = r"""
namespace pe = popops::expr;

struct SwishOpx : popx::Opx {
  SwishOpx(Op *op, popx::Devicex *device) : Opx(op, device) { verifyOp<SwishOp>(op, Swish); }
  void grow(poplar::program::Sequence &program) const final {
    auto s = pe::Sigmoid(pe::Mul(pe::Const(getOp<SwishOp>().slope), pe::_1));
    setOutTensor(0, popops::map(graph(), pe::Mul(pe::_1, s), {getInTensor(0)}, program,
                                debugContext("swish")));
  }
};

struct SwishGradOpx : popx::Opx {
  SwishGradOpx(Op *op, popx::Devicex *device) : Opx(op, device) {
    verifyOp<SwishGradOp>(op, SwishGrad);
  }
  void grow(poplar::program::Sequence &program) const final {
    auto ax = pe::Mul(pe::Const(getOp<SwishGradOp>().slope), pe::_2); // _1: gradient of y, _2: x
    auto s = pe::Sigmoid(ax);
    auto slope = pe::Mul(s, pe::Add(pe::Const(1.0f), pe::Mul(ax, pe::Sub(pe::Const(1.0f), s))));
    setOutTensor(0, popops::map(graph(), pe::Mul(pe::_1, slope), {getInTensor(0), getInTensor(1)},
                                program, debugContext("swishGrad")));
  }
};
"""

# %% [markdown]
# ## Register it
#
# Global objects tell PopART about the operator when the library is loaded: its types and attributes,
# how to make it, its shape, and how both parts run. Then we compile all of it.

# %%
register = r"""
OpDefinition::DataTypes T = {DataType::FLOAT16, DataType::FLOAT};
OpDefinition definition({OpDefinition::Inputs({{"x", T}}), OpDefinition::Outputs({{"y", T}}),
                         OpDefinition::Attributes({{"slope", {"*"}}})});
OpCreator<SwishOp> creator(OpDefinitions({{Swish, definition}}), [](const OpCreatorInfo &info) {
  float slope = info.attributes.getAttribute<Attributes::Float>("slope", 1.0f);
  return std::make_unique<SwishOp>(info.opid, slope, info.settings);
});
RegisterShapeInferenceFunction shape(Swish, [](ShapeInferenceContext &context) {
  context.outInfo(0) = context.inInfo(0);
});
popx::OpxCreator<SwishOpx> forward({Swish});
popx::OpxCreator<SwishGradOpx> backward({SwishGrad});
"""
lesson.write("swish.cpp", what + how + register)
lesson.run("g++ -std=c++17 -shared -fPIC -DONNX_NAMESPACE=onnx swish.cpp -o libswish.so -lpopart -lpopops -lpoplar")
ctypes.cdll.LoadLibrary(str(lesson.folder / "libswish.so"))
print("loaded")

# %% [markdown]
# ## Call it
#
# `poptorch.custom_op` takes inputs, name, domain and version. `example_outputs` says how many outputs
# there are, and of which type. Attributes are a dictionary.


# %%
def options():
    return poptorch.Options().showCompilationProgressBar(False)


class Function(torch.nn.Module):
    def forward(self, x):
        def swish(slope):
            return poptorch.custom_op([x], "Swish", "lesson", 1, example_outputs=[x], attributes={"slope": slope})[0]
        return swish(1.0), swish(4.0)


x = torch.linspace(-4, 4, 101)
flat, steep = poptorch.inferenceModel(Function(), options())(x)
print("slope 1 is torch's silu:", torch.allclose(flat, torch.nn.functional.silu(x), atol=1e-5))
print("slope 4 is the formula: ", torch.allclose(steep, x * torch.sigmoid(4 * x), atol=1e-5))

pyplot.figure(figsize=(6, 3.5))
pyplot.plot(x, flat, label="slope 1")
pyplot.plot(x, steep, label="slope 4")
pyplot.plot(x, torch.relu(x), "--", color="grey", label="relu")
pyplot.xlabel("x")
pyplot.ylabel("y")
pyplot.legend()
pyplot.title("Our operator on the IPU")
pyplot.show()

# %% [markdown]
# ## Train through it
#
# A wrong gradient is a quiet mistake: the model runs, and learns badly. So compare. We train the same
# small model twice: on the IPU with our operator, and with torch on the host.


# %%
class Model(torch.nn.Module):
    def __init__(self, ours):
        super().__init__()
        torch.manual_seed(1)
        self.first, self.second, self.ours = torch.nn.Linear(4, 16), torch.nn.Linear(16, 1), ours

    def forward(self, x, y):
        h = self.first(x)
        if self.ours:
            h = poptorch.custom_op([h], "Swish", "lesson", 1, example_outputs=[h], attributes={"slope": 4.0})[0]
        else:
            h = h * torch.sigmoid(4 * h)
        return torch.nn.functional.mse_loss(self.second(h), y)


torch.manual_seed(2)
rows = torch.randn(64, 4)
wanted = rows[:, :1] * rows[:, 1:2]

ipu, host = Model(ours=True), Model(ours=False)
training = poptorch.trainingModel(ipu, options(), torch.optim.SGD(ipu.parameters(), lr=0.05))
optimizer = torch.optim.SGD(host.parameters(), lr=0.05)
for step in range(20):
    loss = training(rows, wanted)
    optimizer.zero_grad()
    torchs = host(rows, wanted)
    torchs.backward()
    optimizer.step()
    if step in (0, 19):
        print(f"step {step + 1:2}: {loss.item():.2f} on the IPU, {torchs.item():.2f} with torch")
training.copyWeightsToHost()
same = all(torch.allclose(a, b, atol=1e-4) for a, b in zip(ipu.parameters(), host.parameters()))
print("the same weights:", same)

# %% [markdown]
# After 20 steps all weights agree. The gradient is right.
#
# ## Exercises
#
# 1. Check the gradient without torch. Compute `(f(x + h) - f(x - h)) / 2h` from results of the IPU,
#    and compare with the formula at the top.

# %% solution
h = 1e-2
inference = poptorch.inferenceModel(Function(), options())
up, down = inference(x + h)[1], inference(x - h)[1]
s = torch.sigmoid(4 * x)
formula = s + 4 * x * s * (1 - s)
print("the differences agree:", torch.allclose((up - down) / (2 * h), formula, atol=1e-2))

# %% [markdown]
# 2. Does the operator work in half precision? Give it `x.half()`.

# %% solution
halves = poptorch.inferenceModel(Function(), options())(x.half())[1]
print(halves.dtype, torch.allclose(halves.float(), x * torch.sigmoid(4 * x), atol=1e-2))

# %% [markdown]
# 3. Is our operator faster? Compare its `modelledStep().cycles` with those of
#    `x * torch.sigmoid(4 * x)`, for a million numbers.


# %% solution
class Torch(torch.nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(4 * x)


class Ours(torch.nn.Module):
    def forward(self, x):
        return poptorch.custom_op([x], "Swish", "lesson", 1, example_outputs=[x], attributes={"slope": 4.0})[0]


for model in (Torch(), Ours()):
    executor = poptorch.inferenceModel(model, options())
    executor.compile(torch.zeros(1000000))
    print(type(model).__name__, f"{executor.modelledStep().cycles / 1e6:.2f} million cycles")

# %% [markdown]
# It is not: both take 1.40 million cycles. PopART and Poplar serve torch's operators as well as ours.
# Write an operator for what torch cannot say, and measure before you write one for speed.
#
# ## What next
#
# [Lesson 2](02_codelets.md) writes codelets: an `Opx` may use them, too, with `graph().addCodelets`.
# [Add an operator of your own](../howto/custom-operators.md) is the short form of this lesson.
