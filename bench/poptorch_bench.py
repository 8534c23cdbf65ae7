#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# PopTorch beside plain torch and PopART, for ./run bench poptorch. poptorch_bench.py PACKAGES FOLDER says "ready" and then
# answers each line with a row of the table, its columns separated by tabs: what, ours, peer, ratio, goal, whether it is
# met; "end" is the last answer. A named group alone: a third argument. Peers run in processes of their own, take turns with
# us, and must get the same numbers.
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [sys.argv[1], HERE]
from bench_clock import THREADS, now
from bench_peer import Peer
CHECKED = 5


# ---- times

def duration(seconds):
    for unit, factor in (("s", 1), ("ms", 1e3), ("us", 1e6)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.{2 if unit == 's' else 1}f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def timed(step, calls):
    step()
    start = now()
    for _ in range(calls):
        step()
    return (now() - start) / calls


def calls_for(seconds, block=0.15):
    return int(min(max(block / seconds, 1), 1e5))


def in_turn(*steps, rounds=7):
    """The median seconds of each, taking turns: on a shared machine a ratio means something only so."""
    calls = [calls_for(timed(step, 1)) for step in steps]
    times = [[] for _ in steps]
    for _ in range(rounds):
        for step, n, own in zip(steps, calls, times):
            own.append(timed(step, n))
            time.sleep(0.02)  # threads that spin go to sleep
    return [statistics.median(own) for own in times]


def torch_peer(*arguments):
    """Plain torch in another process, with as many threads as is best."""
    return Peer([sys.executable, __file__, *sys.argv[1:3], "--peer", *arguments])


def beside_torch(what, step, values, peer, goal):
    theirs = peer.values()
    apart = max(abs(a - b) for a, b in zip(values, theirs)) / max(1e-30, *map(abs, theirs))
    print(f"  {what}: ours and torch's numbers differ by {apart:.1e}", file=sys.stderr)
    if not (apart < 2e-3 and len(values) == len(theirs)):
        return what, "other numbers", "torch", "", "the same", "no"
    runs = calls_for(timed(step, 1))
    calls = {t: calls_for(peer.seconds(t, 1)) for t in THREADS}
    ours, others = [], {t: [] for t in THREADS}
    for _ in range(7):
        ours.append(timed(step, runs))
        time.sleep(0.02)
        for t in THREADS:
            others[t].append(peer.seconds(t, calls[t]))
            time.sleep(0.02)
    peer.close()
    ours = statistics.median(ours)
    best, threads = min((statistics.median(times), t) for t, times in others.items())
    name = "torch" + (f" x{threads}" if threads > 1 else "")
    return what, duration(ours), f"{duration(best)} {name}", best / ours, f">= {goal:.2f}", best / ours >= goal


# ---- models, the same here and there

def with_loss(model):
    import torch

    class WithLoss(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x, labels):
            scores = self.model(x)
            return scores, torch.nn.functional.nll_loss(torch.nn.functional.log_softmax(scores, -1), labels)

    return WithLoss()


def vision_model(name):
    import torch
    import torchvision
    torch.manual_seed(0)
    model = getattr(torchvision.models, name)()
    if hasattr(model, "heads"):  # zeros at first, and all results with them
        torch.nn.init.normal_(model.heads.head.weight, std=0.02)
    return model


def vision_input(batch):
    import models_peer
    return models_peer.data("x", [batch, 3, 224, 224])


def sampled(y):
    y = y.flatten()
    return y[:: max(1, len(y) // 1000)].tolist()


def run_peer(kind, *arguments):
    import models_peer
    import torch
    torch.set_num_threads(2)
    if kind == "train":
        subject = models_peer.Training(arguments[0], int(arguments[1]), int(arguments[2]))
    else:
        torch.set_grad_enabled(False)
        subject = models_peer.Inference.__new__(models_peer.Inference)
        subject.choose(vision_model(arguments[0]).eval(), vision_input(int(arguments[1])), [False, True])
    print("ready", flush=True)
    models_peer.answer(subject)


# ---- groups of rows

def cnn_training(batch, options=None):
    """The classification CNN as an executor."""
    import models_peer
    import poptorch
    model = models_peer.fill(models_peer.Cnn())
    optimizer = poptorch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)

    class Loss(models_peer.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model

        def forward(self, x, labels):
            scores = self.model(x)
            return scores, models_peer.F.nll_loss(scores, labels)

    return poptorch.trainingModel(Loss(), options or poptorch.Options(), optimizer)


def training():
    import models_peer
    for batch, steps, goal in ((16, 32, 4.5), (64, 32, 4.0), (512, 4, 2.5)):
        peer = torch_peer("train", "cnn", str(batch), str(steps))
        executor = cnn_training(batch)
        xs = models_peer.data("x", [steps, batch, 1, 28, 28])
        ys = models_peer.data("labels", [steps, batch], 10)
        batches, at = list(zip(xs, ys)), 0
        losses = [executor(*b)[1].item() for b in batches[:CHECKED]]

        def step():
            nonlocal at
            output, loss = executor(*batches[at % len(batches)])
            at += 1

        yield beside_torch(f"poptorch: training CNN b{batch}", step, losses, peer, goal)
        executor.destroy()


def bare(executor, inputs):
    """A step of the executor's session alone."""
    import torch
    values = executor._call.prepared(executor._call.tensors(inputs, {}))
    results = [torch.empty(shape, dtype=dtype) for shape, dtype in executor._results]
    addresses = [v.data_ptr() for v in values], [r.data_ptr() for r in results]
    io, session = executor._step_io, executor._executable

    def step():
        io.set(*addresses)
        session.run(io)

    step.kept = values, results
    return step


def calls():
    import torch

    import poptorch
    x, y = torch.rand(4, 8), torch.zeros(4, dtype=torch.int64)
    for what, executor, inputs in (
            ("training", poptorch.trainingModel(with_loss(torch.nn.Linear(8, 4))), (x, y)),
            ("inference", poptorch.inferenceModel(torch.nn.Linear(8, 4).eval()), (x,))):
        executor(*inputs)
        ours, peer = in_turn(lambda: executor(*inputs), bare(executor, inputs))
        above = max(ours - peer, 0)
        yield (f"poptorch: a call above session.run, {what}", duration(above), f"{duration(peer)} session.run", "",
               "<= 40 us", above <= 40e-6)
        executor.destroy()


def popart_cnn(batch, steps):
    """The same CNN through PopART's Builder: a step of a session."""
    import models_peer
    import numpy as np
    import popart
    weights = models_peer.fill(models_peer.Cnn()).state_dict()
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [batch, 1, 28, 28])
    labels = b.addInputTensor("INT32", [batch])
    w = lambda name: b.addInitializedInputTensor(weights[name].numpy(), name)
    h = b.aiOnnx.conv([x, w("conv1.weight"), w("conv1.bias")])
    h = b.aiOnnx.maxpool([b.aiOnnx.relu([h])], 1, [2, 2], strides=[2, 2])[0]
    h = b.aiOnnx.relu([b.aiOnnx.conv([h, w("conv2.weight"), w("conv2.bias")])])
    h = b.aiGraphcore.groupnormalization([h, w("norm.weight"), w("norm.bias")], 3, 1e-5)[0]
    h = b.aiOnnx.relu([b.aiOnnx.gemm([b.aiOnnx.flatten([h]), w("fc1.weight"), w("fc1.bias")], transB=1)])
    scores = b.aiOnnx.logsoftmax([b.aiOnnx.gemm([h, w("fc2.weight"), w("fc2.bias")], transB=1)])
    loss = b.aiGraphcore.nllloss([scores, labels], inputIsLogProbability=True)
    sgd = popart.SGD({"defaultLearningRate": (0.001, True), "defaultMomentum": (0.9, True)})
    end = popart.AnchorReturnType("Final")
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(steps, {scores: end, loss: end}), loss, sgd,
                                     popart.DeviceManager().acquireAvailableDevice(1))
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    given = {x: models_peer.data("x", [steps, batch, 1, 28, 28]).numpy(),
             labels: models_peer.data("labels", [steps, batch], 10).numpy().astype(np.int32)}
    step = lambda: session.run(popart.PyStepIO(given, anchors))
    return step, lambda: float(anchors[loss])


def iterations():
    import models_peer
    import poptorch
    batch, steps = 8, 50
    executor = cnn_training(batch, poptorch.Options().deviceIterations(steps))
    x = models_peer.data("x", [steps, batch, 1, 28, 28]).flatten(0, 1)
    y = models_peer.data("labels", [steps, batch], 10).flatten()
    step, last = popart_cnn(batch, steps)
    loss = executor(x, y)[1].item()
    step()
    assert abs(loss - last()) < 1e-3 * abs(loss), f"PopTorch's loss is {loss}, PopART's {last()}"
    ours, peer = in_turn(lambda: executor(x, y), step)
    yield ("poptorch: CNN b8, deviceIterations(50)", duration(ours), f"{duration(peer)} PopART", peer / ours, ">= 0.95",
           peer / ours >= 0.95)
    executor.destroy()


def loading():
    import torch

    import poptorch
    data = torch.utils.data.TensorDataset(torch.rand(8192, 1, 28, 28), torch.zeros(8192, dtype=torch.int64))
    ours = poptorch.DataLoader(poptorch.Options(), data, batch_size=64, num_workers=2, shuffle=True)
    peer = torch.utils.data.DataLoader(data, batch_size=64, num_workers=2, shuffle=True, drop_last=True,
                                       persistent_workers=True)

    def epoch(loader):
        for _ in loader:
            pass

    a, b = in_turn(lambda: epoch(ours), lambda: epoch(peer), rounds=5)
    yield ("poptorch: DataLoader, 2 workers, 8192 images", duration(a), f"{duration(b)} torch", b / a, ">= 0.90",
           b / a >= 0.9)


def inference():
    import poptorch
    for name in ("resnet50", "mobilenet_v2", "vit_b_16", "efficientnet_b0"):
        for batch in (1, 8):
            peer = torch_peer("infer", name, str(batch))
            x = vision_input(batch)
            executor = poptorch.inferenceModel(vision_model(name).eval())
            yield beside_torch(f"poptorch: inference {name} b{batch}", lambda: executor(x), sampled(executor(x)), peer, 1.0)
            executor.destroy()


# ---- what needs a process of its own

def child(*arguments, **environment):
    """The numbers that a child printed."""
    out = subprocess.run([sys.executable, __file__, *sys.argv[1:3], "--child", *arguments], check=True, text=True,
                         stdout=subprocess.PIPE, env={**os.environ, **environment})
    return [float(word) for word in out.stdout.split()]


def compiled(name):
    """An executor and inputs."""
    import models_peer

    import poptorch
    if name == "cnn":
        return cnn_training(16), (models_peer.data("x", [16, 1, 28, 28]), models_peer.data("labels", [16], 10))
    if name == "resnet50":
        model = vision_model("resnet50")
        optimizer = poptorch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
        inputs = vision_input(8), models_peer.data("labels", [8], 1000)
    else:
        model = models_peer.Encoder(12, 768, 12, 30522, 128, 0.1, True)
        optimizer = poptorch.optim.Adam(model.parameters(), lr=0.001)
        inputs = models_peer.data("x", [1, 128], 30522), models_peer.data("labels", [128], 30522)[None]
        whole = with_loss(model)
        forward = whole.forward
        whole.forward = lambda x, labels: forward(x, labels.flatten())
        return poptorch.trainingModel(whole, poptorch.Options(), optimizer), inputs
    return poptorch.trainingModel(with_loss(model), poptorch.Options(), optimizer), inputs


def run_child(what, *arguments):
    if what == "import":
        import torch
        start = time.perf_counter()
        import poptorch
        print(time.perf_counter() - start)
    elif what == "compile":
        import poptorch
        poptorch.PoplarExecutor  # what is imported late is not counted twice
        from poptorch.run import compiling as steps
        executor, inputs = compiled(arguments[0])
        capture, captures = steps.capture_model, []

        def timed(*given):
            begun = time.perf_counter()
            captured = capture(*given)
            captures.append(time.perf_counter() - begun)
            return captured

        steps.capture_model = timed
        start, processor = time.perf_counter(), time.process_time()
        executor.compile(*inputs)
        print(time.perf_counter() - start, time.process_time() - processor, *captures)
    else:
        if arguments[0] == "ours":
            executor, inputs = compiled("resnet50")
            for _ in range(3):
                executor(*inputs)
        else:
            import torch
            model = with_loss(vision_model("resnet50").to(memory_format=torch.channels_last))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
            import models_peer
            x = vision_input(8).contiguous(memory_format=torch.channels_last)
            y = models_peer.data("labels", [8], 1000)
            for _ in range(3):
                optimizer.zero_grad(set_to_none=True)
                model(x, y)[1].backward()
                optimizer.step()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def compiling():
    for name, what, goal in (("cnn", "CNN training b16", 0.4), ("resnet50", "resnet50 training b8", 3.0),
                             ("bert", "12-layer BERT training b1, Adam", 6.0)):
        with tempfile.TemporaryDirectory() as cache:
            cold, processor, capture = child("compile", name)
            child("compile", name, POPTORCH_CACHE_DIR=cache)
            warm, *_ = child("compile", name, POPTORCH_CACHE_DIR=cache)
        yield (f"poptorch: compile {what}", duration(cold), f"{duration(processor)} of CPU", "", f"< {goal} s",
               cold < goal)
        yield "  of that, the capture", duration(capture), "", "", "< 0.5 s", capture < 0.5
        yield "  from the cache", duration(warm), "", "", "< 1 s", warm < 1


def starting():
    seconds = statistics.median(child("import")[0] for _ in range(5))
    yield "poptorch: import, after torch", duration(seconds), "", "", "< 0.4 s", seconds < 0.4


def memory():
    ours, peer = child("memory", "ours")[0], child("memory", "torch")[0]
    yield ("poptorch: peak memory, resnet50 training b8", f"{ours:.0f} MiB", f"{peer:.0f} MiB torch", peer / ours,
           ">= 1.00", ours <= peer)


def trainer():
    """pi_ml's Trainer beside the same loop by hand, epochs in turn, on the CNN at batch 64."""
    import logging

    import models_peer
    import pi_ml as pl
    import poptorch
    logging.getLogger("pi_ml").setLevel(logging.ERROR)
    batch = 64

    class Lit(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = models_peer.fill(models_peer.Cnn())

        def training_step(self, rows, index):
            return models_peer.F.nll_loss(self.model(rows[0]), rows[1])

        def configure_optimizers(self):
            return poptorch.optim.SGD(self.parameters(), lr=0.001, momentum=0.9)

    class Batches:  # a list would be several loaders
        def __init__(self, batches):
            self.batches = batches

        def __iter__(self):
            return iter(self.batches)

        def __len__(self):
            return len(self.batches)

    class Epochs(pl.Callback):
        def __init__(self):
            self.seconds = []

        def on_train_epoch_start(self, trainer, module):
            self.start = time.perf_counter()

        def on_train_epoch_end(self, trainer, module):
            self.seconds.append(time.perf_counter() - self.start)

    for iterations, steps, goal in ((1, 100, 0.90), (50, 4, 0.97)):
        xs = models_peer.data("x", [steps, batch * iterations, 1, 28, 28])
        ys = models_peer.data("labels", [steps, batch * iterations], 10)
        batches = tuple(zip(xs, ys))
        hand, fitted = [], []
        for _ in range(4):
            executor = cnn_training(batch, poptorch.Options().deviceIterations(iterations).showCompilationProgressBar(False))
            executor(*batches[0])
            for _ in range(3):
                start = time.perf_counter()
                for rows_of in batches:
                    executor(*rows_of)
                hand.append(time.perf_counter() - start)
            executor.destroy()
            epochs = Epochs()
            pl.Trainer(ipus=1, max_epochs=4, logger=False, enable_checkpointing=False, enable_progress_bar=False,
                       enable_model_summary=False, callbacks=[epochs],
                       strategy=pl.strategies.IPUStrategy(device_iterations=iterations)).fit(
                           Lit(), Batches(batches))
            fitted += epochs.seconds[1:]
        ours, peer = statistics.median(fitted) / steps, statistics.median(hand) / steps
        yield (f"pi_ml: training CNN b64, device iterations {iterations}", duration(ours), f"{duration(peer)} by hand",
               peer / ours, f"ratio >= {goal}", peer / ours >= goal)


GROUPS = {"training": training, "calls": calls, "iterations": iterations, "loading": loading, "trainer": trainer,
          "inference": inference,
          "compiling": compiling, "starting": starting, "memory": memory}


def rows(names):
    for name in names or GROUPS:
        for what, ours, peer, ratio, goal, met in GROUPS[name]():
            met = {True: "yes", False: "no"}.get(met, met)
            yield "\t".join((what, ours, peer, f"{ratio:.4f}" if ratio else "", goal, met))
    while True:
        yield "end"


def main():
    warnings.simplefilter("ignore")
    role, *arguments = sys.argv[3:] or [""]
    if role == "--peer":
        return run_peer(*arguments)
    if role == "--child":
        return run_child(*arguments)
    os.makedirs(sys.argv[2], exist_ok=True)
    with tempfile.TemporaryDirectory() as devices:
        os.environ["OPENIPU_RUNTIME_DIR"] = devices
        import torch
        torch.set_num_threads(1)  # ours needs none of torch's
        print("ready", flush=True)
        made = rows(sys.argv[3:])
        for _ in sys.stdin:
            print(next(made), flush=True)


main()
