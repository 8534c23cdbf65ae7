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
    proof="env PYTHONPATH={build}/python /usr/bin/python3 -m pytest -q -p no:cacheprovider "
    "tests/python/poptorch/ops/test_entropies.py",
    shows="1 passed")

ALL = [CHIP, TOOL, TORCH_OPERATOR]
