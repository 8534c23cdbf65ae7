# SPDX-License-Identifier: MIT
"""One addition for each row that people ask for most. They are small and work."""
from addition import Addition

CHIP = Addition(
    row="a chip",
    files={
        "arch/src/chips/Hare.cpp":
            """
            // SPDX-License-Identifier: MIT
            // GC200 at twice its clock.
            #include "Chips.hpp"

            namespace arch::chips {

            Chip hare() {
              Chip c = ipu2();
              c.name = "hare";
              c.displayName = "Hare";
              c.clockHz *= 2;
              return c;
            }

            } // namespace arch::chips
            """
    },
    lines=[("arch/src/chips/Chips.hpp", r"^Chip ipu21\(\);", "Chip hare();"),
           ("arch/src/Chip.cpp", r"^ *static const std::vector<Chip> chips = \{", "chips::hare(),")],
    targets=["gc-info"],
    proof="env IPUOF_CONFIG_PATH= OPENIPU_CHIP=hare {build}/bin/gc-info -d 0 -i",
    shows="2660")

TOOL = Addition(
    row="a tool",
    files={
        "tools/gc-hello/CMakeLists.txt": "gc_tool(gc-hello main.cpp)\n",
        "tools/gc-hello/main.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Says hello.
            #include <cstdio>

            int main() { std::puts("hello from a tool"); }
            """
    },
    targets=["gc-hello"],
    proof="{build}/bin/gc-hello",
    shows="hello from a tool")

TORCH_OPERATOR = Addition(
    row="an operator of PyTorch",
    files={
        "frontends/torch/src/ops/Entropies.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Entropies of single probabilities.
            #include "core/Elementwise.hpp"

            namespace poptorch {

            // -x ln x of what is above 0
            void addEntropies(Registry &r) {
              r.add("special_entr", [](Call &c) -> Values {
                const Value x = c.in("self");
                return {c.m.neg(c.m.mul(x, c.m.op("Log", {x})))};
              });
            }

            } // namespace poptorch
            """,
        "tests/python/poptorch/ops/test_entropies.py":
            """
            # SPDX-License-Identifier: MIT
            import torch
            import poptorch


            class Entropy(torch.nn.Module):

                def forward(self, x):
                    return torch.special.entr(x)


            def test_entr():
                x = torch.tensor([0.25, 0.5, 1.0])
                assert torch.allclose(poptorch.inferenceModel(Entropy())(x), torch.special.entr(x))
            """
    },
    targets=["popart-python"],
    proof="env PYTHONPATH={build}/python {python} -m pytest -q -p no:cacheprovider "
    "tests/python/poptorch/ops/test_entropies.py",
    shows="1 passed")

TENSORFLOW_OPERATION = Addition(
    row="a TensorFlow operation",
    files={
        "frontends/tensorflow/src/ops/Cubes.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Cubes.
            #include "core/Call.hpp"

            namespace tensorflow {

            void addCubes(Registry &r) {
              r.add("Cube", [](Call &c) -> Values {
                return {c.m.mul(c.in(0), c.m.square(c.in(0)))};
              });
            }

            } // namespace tensorflow
            """,
        "tests/python/tensorflow/test_cubes.py":
            """
            # SPDX-License-Identifier: MIT
            import numpy as np
            import tensorflow as tf


            def test_cube():
                x = tf.constant([2.0, -3.0])
                np.testing.assert_allclose(tf.math.cube(x), [8, -27])
                np.testing.assert_allclose(tf.function(tf.math.cube)(x), [8, -27])
                with tf.GradientTape() as tape:
                    tape.watch(x)
                    y = tf.math.cube(x)
                np.testing.assert_allclose(tape.gradient(y, x), [12, 27])
            """
    },
    lines=[("python/tensorflow/ops/math_ops.py", r"^square = ",
            'cube = _unary("cube", "Cube", "x x x.", lambda x: x * x * x, True)'),
           ("python/tensorflow/ops/math_ops.py", r'^names = """', "cube")],
    targets=["popart-python"],
    proof="env PYTHONPATH={build}/python {python} -m pytest -q -p no:cacheprovider "
    "tests/python/tensorflow/test_cubes.py",
    shows="1 passed")

OPERATOR = Addition(
    row="an operator",
    files={
        "poplibs/popops/internal/popops/kernels/Countdown.hpp":
            """
            // SPDX-License-Identifier: MIT
            // t[i] = n - 1 - i.
            //   outputs: t, a list of n int
            //   inputs:  none
            #pragma once

            namespace popops::kernels {

            inline constexpr char countdown[] = "popops.countdown";

            } // namespace popops::kernels
            """,
        "poplibs/popops/kernels/encoding/Countdown.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "popops/kernels/Countdown.hpp"
            #include "openipu/Kernel.hpp"

            namespace popops {
            namespace {

            void countDown(const openipu::KernelArgs &args) {
              const auto &t = args.outputs[0];
              for (std::size_t i = 0; i < t.elements; ++i)
                t.as<int>()[std::int64_t(i) * t.strides[0]] = int(t.elements - 1 - i);
            }

            const openipu::Registered registeredCountdown{{.name = kernels::countdown, .run = countDown}};

            } // namespace
            } // namespace popops
            """,
        "poplibs/popops/src/encoding/Countdown.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "popops/Countdown.hpp"
            #include "openipu/Operation.hpp"
            #include "popops/kernels/Countdown.hpp"
            #include "poputil/exceptions.hpp"
            #include "poputil/Plans.hpp"

            namespace popops {

            void countdown(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext) {
              if (t.rank() != 1 || t.elementType() != poplar::INT)
                throw poputil::poplibs_error("popops::countdown: the tensor must be a list of INT.");
              openipu::Plan plan;
              const auto &chip = openipu::chipOf(graph);
              plan.add(poputil::whereItLies(graph, t, "Countdown", "popops::Countdown",
                                            [&](std::uint64_t n, std::uint32_t) { return chip.onWorkers(10 + n); }));
              prog.add(openipu::operation(graph, {kernels::countdown, {openipu::out(t)}, "", std::move(plan), debugContext}));
            }

            } // namespace popops
            """,
        "poplibs/popops/include/popops/Countdown.hpp":
            """
            // SPDX-License-Identifier: MIT
            #ifndef popops_Countdown_hpp
            #define popops_Countdown_hpp
            #include <poplar/Graph.hpp>
            #include <poplar/Program.hpp>

            namespace popops {

            // t[i] = n - 1 - i, of a list of n INT.
            void countdown(poplar::Graph &graph, const poplar::Tensor &t, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

            } // namespace popops

            #endif
            """
    },
    targets=["popops"])

EXAMPLE = Addition(
    row="an example",
    files={
        "examples/99_countdown.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Counts down on a tile.
            #include <cstdio>
            #include <poplar/Engine.hpp>
            #include <poplar/IPUModel.hpp>
            #include <popops/Countdown.hpp>

            int main() {
              poplar::Graph graph(poplar::IPUModel().createDevice().getTarget());
              poplar::Tensor t = graph.addVariable(poplar::INT, {3}, "t");
              graph.setTileMapping(t, 0);
              graph.createHostRead("t", t);
              poplar::program::Sequence program;
              popops::countdown(graph, t, program);
              poplar::Engine engine(graph, program);
              engine.load(poplar::IPUModel().createDevice());
              engine.run();
              int values[3] = {};
              engine.readTensor("t", values, values + 3);
              std::printf("%d %d %d\\n", values[0], values[1], values[2]);
              return values[0] != 2;
            }
            """
    },
    targets=["99_countdown"],
    proof="{build}/examples/99_countdown",
    shows="2 1 0")

PASS = Addition(
    row="a compiler pass",
    files={
        "poplar/src/compile/NameSteps.hpp":
            """
            // SPDX-License-Identifier: MIT
            #pragma once
            #include "executable/Image.hpp"

            namespace poplar::compile {

            void nameSteps(executable::Image &image); // those without a name

            } // namespace poplar::compile
            """,
        "poplar/src/compile/NameSteps.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "compile/NameSteps.hpp"

            namespace poplar::compile {

            void nameSteps(executable::Image &image) {
              for (auto &step : image.steps)
                if (step.name.empty())
                  step.name = "nameless";
            }

            } // namespace poplar::compile
            """
    },
    lines=[("poplar/src/compile/Pipeline.cpp", r'^#include "compile/Lower.hpp"', '#include "compile/NameSteps.hpp"'),
           ("poplar/src/compile/Pipeline.cpp", r"^ *lowerPrograms\},$",
            '{"name steps", Skip::Optional, "every step has a name", [](Compilation &c) { nameSteps(c.image); }},'),
           ("poplar/src/compile/PassTexts_test.cpp", r'^#include "compile/FindLiveness.hpp"',
            '#include "compile/NameSteps.hpp"'),
           ("poplar/src/compile/PassTexts_test.cpp", r"^} // namespace$",
            """
            TEST(PassTexts, NameStepsLeavesNoneWithoutAName) {
              Chain t;
              nameSteps(t.image);
              for (const auto &step : t.image.steps)
                EXPECT_FALSE(step.name.empty());
            }
            """)],
    targets=["poplar_test"],
    proof="{build}/bin/poplar_test --gtest_filter=PassTexts.NameSteps*",
    shows="[  PASSED  ] 1 test.")

MODEL_PASS = Addition(
    row="a pass over models",
    files={
        "popart/src/transforms/rewriting/dropnegations.hpp":
            """
            // SPDX-License-Identifier: MIT
            #pragma once
            #include "ir/graph.hpp"

            namespace popart::transforms {

            void dropNegations(ir::Graph &graph); // two in a row change nothing

            } // namespace popart::transforms
            """,
        "popart/src/transforms/rewriting/dropnegations.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "transforms/rewriting/dropnegations.hpp"

            #include "analysis/neighbours.hpp"

            namespace popart::transforms {

            void dropNegations(ir::Graph &graph) {
              const analysis::Neighbours near(graph);
              for (auto &node : graph.nodes)
                for (auto &in : node.inputs)
                  if (const auto *second = near.producer(in, "Neg"))
                    if (const auto *first = near.producer(second->inputs[0], "Neg"))
                      in = first->inputs[0];
            }

            } // namespace popart::transforms
            """
    },
    lines=[("popart/src/session/prepare.cpp", r'^#include "transforms/rewriting/bypass.hpp"',
            '#include "transforms/rewriting/dropnegations.hpp"'),
           ("popart/src/session/prepare.cpp", r"transforms::joinGelus\(p\.graph\(\)\); \}\},$",
            """
            {"drop negations", Skip::Optional, "no node reads what was negated twice",
             [](P &p) { transforms::dropNegations(p.graph()); }},
            """),
           ("popart/src/session/passtexts_test.cpp", r'^#include "transforms/rewriting/bypass.hpp"',
            '#include "transforms/rewriting/dropnegations.hpp"'),
           ("popart/src/session/passtexts_test.cpp", r"^} // namespace$",
            """
            TEST(PassTexts, DropNegationsReadsWhatWasNegatedTwice) {
              Text m;
              m.b.exp(m.b.neg(m.b.neg(m.x)));
              transforms::dropNegations(m.graph);
              EXPECT_NE(m.now().find("Exp(input)"), std::string::npos);
            }
            """)],
    targets=["popart_test"],
    proof="{build}/bin/popart_test --gtest_filter=PassTexts.DropNegations*",
    shows="[  PASSED  ] 1 test.")

MODEL_OPERATOR = Addition(
    row="an operator of PopART",
    files={
        "popart/src/ops/cube.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Cube: y = x x x.   dx = 3 x x dy
            #include "ops/shared/elementwise.hpp"

            namespace popart::ops {

            OpDef cubeOp() {
              OpDef op = unary("Cube", "Every element times itself, twice.");
              op.domain = "ai.graphcore";
              op.expr = [](const OpView &, const Exprs &x) -> Expr {
                return pe::Mul(x[0], pe::Mul(x[0], x[0]));
              };
              op.grad = [](GradBuilder &g, const OpView &op) -> Values {
                return {g.mul(g.dy(), g.mul(g.mul(op.in(0), op.in(0)), 3.0))};
              };
              return op;
            }

            } // namespace popart::ops
            """,
        "popart/src/ops/cube_test.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "model.hpp"

            using namespace popart;
            using namespace popart::testing;

            TEST(CubeOp, MultipliesThrice) {
              Model m;
              const Value x = m.input({2}, {2, -3}), y = m.b.op("Cube", {x});
              expectNear(m.run(y), {8, -27});
              m.checkGradients(y, {x});
            }
            """
    },
    targets=["popart_test"],
    proof="{build}/bin/popart_test --gtest_filter=CubeOp.*",
    shows="[  PASSED  ] 1 test.")

OPTION = Addition(
    row="an engine option",
    files={},
    lines=[("poplar/src/options/OptionTable.cpp", r"^    // Debugging$",
            '{"debug.sayCompiled", Bool, "false", "", "says on standard error when a program is compiled"},'),
           ("poplar/src/compile/Pipeline.cpp", r"^  logCompiled\(",
            """
              if (options.flag("debug.sayCompiled"))
                std::fputs("compiled\\n", stderr);
            """),
           ("poplar/src/compile/Pipeline.cpp", r"^#include <atomic>", "#include <cstdio>")],
    targets=["99_countdown"],
    proof="""POPLAR_ENGINE_OPTIONS='{{"debug.sayCompiled": "true"}}' {build}/examples/99_countdown""",
    shows="compiled")

VIEW = Addition(
    row="a view of PopVision",
    files={
        "popvision/server/views/Longest.def":
            """
            // SPDX-License-Identifier: MIT
            // The program that took most of the cycles.
            RECORD(Longest)
            FIELD(Text, program)
            FIELD(Count, cycles)
            END(Longest)
            VIEW(longest, Longest)
            """,
        "popvision/server/views/Longest.cpp":
            """
            // SPDX-License-Identifier: MIT
            #include "../Views.hpp"

            namespace popvision {

            view::Longest view::longest(const Model &model) {
              Longest v;
              for (const auto &program : model.programs())
                if (const auto cycles = model.spent(program->id()).cycles; cycles > v.cycles)
                  v = {program->name(), cycles};
              return v;
            }

            } // namespace popvision
            """,
        "popvision/page/src/views/longest.ts":
            """
            // SPDX-License-Identifier: MIT
            import type { Entry, View } from '../app';
            import { h, num } from '../dom';

            const longest: View = async ({ report }) => {
              const { program, cycles } = await report.longest();
              return h('div', {}, h('h2', {}, 'Longest'), h('p', {}, program, ': ', num('longest', cycles, 'cycles')));
            };

            export const entry: Entry = { name: 'longest', title: 'Longest', place: 95, of: 'Graph', view: longest };
            """
    },
    targets=["popvision", "04_profiling"],
    proof="cd examples && {build}/examples/04_profiling {build} >/dev/null && "
    "{build}/bin/popvision --export {build}/longest.html {build}/profile.pop >/dev/null && "
    "grep -oP 'id=\"data\">\\K[^<]*' {build}/longest.html | base64 -d | "
    "python3 -c 'import sys, zlib; print(zlib.decompress(sys.stdin.buffer.read()).decode())' | "
    "grep -o '/api/report/0/longest\":.\"program\":\"[a-z]*' && "
    "grep -o 'title:\"Longest\"' {build}/longest.html",
    shows='title:"Longest"')

OPTIMISER = Addition(
    row="an optimiser, for all front ends",
    files={
        "popart/src/optimizer/rules/tiger.cpp":
            """
            // SPDX-License-Identifier: MIT
            // Tiger (Su 2023): Lion with one beta.
            #include "optimizer/rules.hpp"

            namespace popart::optimizer {

            OptimizerRule tigerRule() {
              return {"Tiger",
                      "Steps of the sign of the newest momentum.",
                      {{"m", 0}},
                      {{"learning_rate", 1e-3f}, {"beta", 0.965f}, {"weight_decay", 0.01f}},
                      {"m = beta * m + (1 - beta) * g",
                       "w = w - learning_rate * (sign(m) + weight_decay * w)"}};
            }

            } // namespace popart::optimizer
            """,
        "tests/python/frontends/test_tiger.py":
            """
            # SPDX-License-Identifier: MIT
            import numpy as np
            import pytest
            from models import FRONT_ENDS, first

            X = np.array([0.5, 1.0, -0.5, 0.25], np.float32)


            @pytest.mark.parametrize("name", FRONT_ENDS)
            def test_tiger(name):
                model = FRONT_ENDS[name](rule="Tiger", learning_rate=0.25, beta=0.5, weight_decay=0.125)
                for _ in range(3):
                    model.step(X)
                w, m = first(4), 0
                for _ in range(3):
                    m = 0.5 * m + 0.5 * 2 * w * X
                    w = w - 0.25 * (np.sign(m) + 0.125 * w)
                np.testing.assert_allclose(model.weights(), w, rtol=1e-5)
                model.close()
            """
    },
    targets=["popart-python"],
    proof="env PYTHONPATH={build}/python {python} -m pytest -q -p no:cacheprovider "
    "tests/python/frontends/test_tiger.py",
    shows="5 passed")

ACTIVATION = Addition(
    row="an activation of front ends",
    files={
        "tests/python/frontends/test_squareplus.py":
            """
            # SPDX-License-Identifier: MIT
            import numpy as np

            X = np.array([-3, 0, 1.5], np.float32)
            WANT = (X + np.sqrt(X * X + 4)) / 2


            def test_tensorflow():
                import tensorflow as tf
                np.testing.assert_allclose(tf.function(tf.nn.squareplus)(tf.constant(X)), WANT, rtol=1e-6)


            def test_paddle():
                import paddle
                from paddle import static
                paddle.enable_static()
                x = static.data("x", [3])
                y = paddle.nn.functional.squareplus(x)
                np.testing.assert_allclose(static.Executor().run(feed={"x": X}, fetch_list=[y])[0], WANT, rtol=1e-6)
            """
    },
    lines=[("frontends/common/frontend/Functions.cpp", r'^ *\{"mish",',
            """
            {"squareplus", "(x + sqrt(x x + b)) / 2.",
             [](const Writing &w, Value x, const Numbers &n) {
               return w.m.mul(w.m.add(x, w.m.sqrt(w.m.add(w.m.square(x), n[0]))), 0.5);
             },
             "Squareplus b=4", "squareplus b=4", ""},
            """)],
    targets=["popart-python"],
    proof="env PYTHONPATH={build}/python {python} -m pytest -q -p no:cacheprovider "
    "tests/python/frontends/test_squareplus.py",
    shows="2 passed")

SESSION_OPTION = Addition(
    row="a session option, for all front ends",
    files={},
    lines=[("popart/internal/openipu/SessionOptions.def", r"^OPTION\(enableOutlining, ",
            'OPTION(sayPrepared, None, Done, "says on standard error when a session is prepared", bool = false)'),
           ("popart/src/session/compile.cpp", r"^  life.happened\(session::Event::HasProgram\);",
            """
              if (options.sayPrepared)
                std::fputs("prepared\\n", stderr);
            """)],
    built=False)

ALL = [CHIP, TOOL, TORCH_OPERATOR, TENSORFLOW_OPERATION, OPERATOR, EXAMPLE, PASS, MODEL_PASS, MODEL_OPERATOR, OPTION,
       OPTIMISER, ACTIVATION, SESSION_OPTION, VIEW]
