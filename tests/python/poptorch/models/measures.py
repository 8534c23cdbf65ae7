# SPDX-License-Identifier: MIT
"""Times of importing poptorch and of capturing transformers of twelve layers, and who of torch imports what for that: each in a
process of its own. See elsewhere.py."""
import json
import os
import statistics
import subprocess
import sys
import time

MEASURES = {}


def measure(function):
    MEASURES[function.__name__] = function
    return function


@measure
def importing():
    """Seconds of import poptorch, beyond torch."""
    import torch  # noqa: F401
    start = time.perf_counter()
    import poptorch  # noqa: F401
    return {"poptorch beyond torch": time.perf_counter() - start}


def layers(torch, count=12):
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return torch.nn.TransformerEncoder(layer, count, enable_nested_tensor=False), torch.rand(2, 16, 64)


class Finder:
    """Who imports a module first."""

    def __init__(self, *names):
        self.names, self.seen = names, {}

    def find_spec(self, name, path, target=None):
        if name in self.names and name not in self.seen:
            import traceback
            stack = [f"{f.filename.split('site-packages/')[-1].split('dist-packages/')[-1]}:{f.lineno}:{f.name}"
                     for f in traceback.extract_stack() if "importlib" not in f.filename]
            self.seen[name] = stack[:-1][-14:]


def captured(make, training=False):
    """Seconds of each of three captures of new models, and of the whole compilation of the last."""
    import poptorch
    from poptorch.run import compiling
    found, own = [], compiling.capture_model

    def timed(*arguments):
        start = time.perf_counter()
        result = own(*arguments)
        found.append(time.perf_counter() - start)
        return result
    compiling.capture_model = timed
    for _ in range(3):
        model, *inputs = make()
        start = time.perf_counter()
        poptorch.inferenceModel(model.eval()).compile(*inputs)
        whole = time.perf_counter() - start
    return {"captures": found, "compile": whole}


@measure
def capturing():
    import torch
    finder = Finder("torch._dynamo", "sympy", "torch._inductor", "torch.fx.experimental.symbolic_shapes")
    import poptorch  # noqa: F401
    before = set(sys.modules)
    sys.meta_path.insert(0, finder)
    report = captured(lambda: layers(torch))
    return {**report, "imports": {name: stack for name, stack in finder.seen.items()},
            "modules": len(set(sys.modules) - before)}


@measure
def capturing_bert():
    import transformers
    import torch
    config = transformers.BertConfig(hidden_size=64, num_attention_heads=4, intermediate_size=128, num_hidden_layers=12)
    transformers.BertModel(config)
    had = "torch._dynamo" in sys.modules

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.bert = transformers.BertModel(config)

        def forward(self, x):
            return self.bert(input_ids=x)["last_hidden_state"]
    return {**captured(lambda: (Model(), torch.randint(0, 99, (2, 16)))), "torch._dynamo was there": had}


def measured(name, times=1):
    """What a measurement gives, in fresh processes; the error if it fails."""
    found = []
    for _ in range(times):
        done = subprocess.run([sys.executable, os.path.abspath(__file__), name], capture_output=True, text=True,
                              timeout=120)
        if done.returncode:
            return [{"error": done.stderr.strip()[-600:]}]
        found.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return found


def shown(found):
    lines = []
    if "importing" in found and "error" not in found["importing"][0]:
        lines.append("import of poptorch beyond torch: "
                     f"{statistics.median(one['poptorch beyond torch'] for one in found['importing']):.2f} s")
    for name in ("capturing", "capturing_bert"):
        one = found.get(name, [{}])[0]
        if "captures" in one:
            lines.append(f"{name}, 12 layers: " + " ".join(f"{t:.2f}" for t in one["captures"]) + " s; "
                         f"a whole compilation {one['compile']:.2f} s"
                         + "; torch._dynamo was there before" * one.get("torch._dynamo was there", False))
        for module, stack in one.get("imports", {}).items():
            lines.append(f"  {module} imported by " + " < ".join(reversed(stack)))
    lines += [f"{name}: {runs[0]['error'][-300:]}" for name, runs in found.items() if "error" in runs[0]]
    return "\n".join(lines)


if __name__ == "__main__":
    print(json.dumps(MEASURES[sys.argv[1]]()))
