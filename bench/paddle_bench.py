#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Paddle's front end beside PopART's own interface and ONNX Runtime on the same models, for ./run bench paddle.
# paddle_bench.py PACKAGES FOLDER says "ready" and then answers each line with a row of the table, as poptorch_bench.py
# does; "end" is the last answer.
import os
import statistics
import sys
import time

sys.path[:0] = [sys.argv[1], os.path.dirname(os.path.abspath(__file__))]
from bench_clock import THREADS, now
from bench_peer import Peer


def duration(seconds):
    return f"{seconds * 1e3:.2f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} us"


def timed(step, calls):
    step()
    start = now()
    for _ in range(calls):
        step()
    return (now() - start) / calls


def in_turn(*steps, rounds=9, block=0.15):
    """The median seconds of each, taking turns."""
    calls = [int(min(max(block / timed(step, 1), 1), 1e5)) for step in steps]
    times = [[] for _ in steps]
    for _ in range(rounds):
        for step, n, own in zip(steps, calls, times):
            own.append(timed(step, n))
            time.sleep(0.02)
    return [statistics.median(own) for own in times]


def fresh():
    """Programs, names and a scope of its own."""
    import contextlib
    import paddle
    stack = contextlib.ExitStack()
    stack.enter_context(paddle.static.program_guard(paddle.static.Program(), paddle.static.Program()))
    stack.enter_context(paddle.static.scope_guard(paddle.static.Scope()))
    stack.enter_context(paddle.utils.unique_name.guard())
    return stack


def anchors_of(runner):
    """Arrays for the results, by PopART's names."""
    import numpy as np
    return {f"output/{i}": np.empty(shape, kind) for i, (shape, kind, _) in enumerate(runner._forms)}


def mnist(batch=1):
    import paddle
    from paddle import fluid, static
    image, label = static.data("img", [batch, 1, 28, 28]), static.data("label", [batch, 1], "int64")
    x = fluid.nets.simple_img_conv_pool(image, 20, 5, 2, 2, act="relu")
    x = fluid.nets.simple_img_conv_pool(fluid.layers.batch_norm(x), batch, 5, 2, 2, act="relu")
    prediction = fluid.layers.fc(x, 10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    paddle.optimizer.Adam(0.001).minimize(loss)
    static.Executor().run(static.default_startup_program())
    return image, prediction, loss


def training(batches, goal):
    import numpy as np
    import paddle
    import popart
    from paddle import static
    with fresh():
        _, prediction, loss = mnist()
        strategy = static.IpuStrategy()
        strategy.set_graph_config(is_training=True)
        strategy.set_pipelining_config(batches_per_step=batches)
        fetches = [prediction, loss]
        program = static.IpuCompiledProgram(ipu_strategy=strategy).compile(["img", "label"], [v.name for v in fetches])
        exe, session = static.Executor(paddle.IPUPlace()), program._ipu_runner.session
        feed = {"img": np.random.rand(batches, 1, 28, 28).astype(np.float32),
                "label": np.random.randint(0, 10, (batches, 1)).astype(np.int64)}
        inputs = {"img": feed["img"], "label": feed["label"].astype(np.int32)}
        anchors = anchors_of(program._ipu_runner)

        def ours():
            exe.run(program, feed=feed, fetch_list=fetches)

        def popart_alone():
            session.run(popart.PyStepIO(inputs, anchors))
        mine, theirs = in_turn(ours, popart_alone)
    return (f"train the MNIST sample, {batches} batches a step", duration(mine), f"{duration(theirs)} PopART", theirs / mine,
            f">= {goal:.2f}", theirs / mine >= goal)


def saved(folder, name, build):
    import paddle
    from paddle import static
    with fresh():
        image, scores = build()
        exe = static.Executor(paddle.CPUPlace())
        if name != "mnist":
            exe.run(static.default_startup_program())
        static.save_inference_model(os.path.join(folder, name), [image], [scores], exe)
    return [os.path.join(folder, name + end) for end in (".pdmodel", ".pdiparams")]


def predictor_of(files):
    from paddle import inference
    config = inference.Config(*files)
    config.enable_ipu(1, 1)
    config.disable_glog_info()
    return inference.create_predictor(config)


def popart_session(files, value):
    """The saved model as a PopART session with numpy arrays."""
    import numpy as np
    import popart
    from paddle import static
    from paddle.ipu.runner import IpuRunner
    with fresh():
        exe = static.Executor()
        program, feeds, fetches = static.load_inference_model(files[0][:-len(".pdmodel")], exe)
        strategy = static.IpuStrategy()
        strategy.set_graph_config(is_training=False)
        runner = IpuRunner(program, feeds, [f.name for f in fetches], strategy, static.global_scope())
        session = runner.session
        anchors = anchors_of(runner)
        inputs = {feeds[0]: np.ascontiguousarray(value)}
        return session, lambda: session.run(popart.PyStepIO(inputs, anchors))


def predictor_overhead(folder):
    import numpy as np
    files = saved(folder, "mnist", lambda: mnist()[:2])
    value = np.random.rand(1, 1, 28, 28).astype(np.float32)
    predictor = predictor_of(files)
    handle, out = predictor.get_input_handle("img"), predictor.get_output_handle(predictor.get_output_names()[0])
    _, popart_alone = popart_session(files, value)

    def ours():
        handle.copy_from_cpu(value)
        predictor.run()
        out.copy_to_cpu()
    mine, theirs = in_turn(ours, popart_alone)
    more = mine - theirs
    return ("predict with the MNIST sample, one picture", duration(mine), f"{duration(theirs)} PopART", theirs / mine,
            "< 30 us more", more < 30e-6)


def onnx_runtime(folder, name):
    """The model FOLDER/NAME.onnx in a process of its own."""
    peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "onnxruntime_peer.mjs")
    return Peer(["node", peer, folder, name])


def resnet_files(folder):
    import paddle
    from paddle import static

    def build():
        image = static.data("image", [-1, 3, 224, 224])
        network = paddle.vision.models.resnet50()
        network.eval()
        return image, network(image)
    return saved(folder, "resnet50", build)


def resnet(folder):
    import models_peer
    files = resnet_files(folder)
    value = models_peer.uniform("x", [1, 3, 224, 224])
    predictor = predictor_of(files)
    predictor.get_input_handle("image").copy_from_cpu(value)
    session, popart_alone = popart_session(files, value)
    mine, theirs = in_turn(predictor.run, popart_alone, rounds=5)
    yield ("predict with ResNet-50, one picture", duration(mine), f"{duration(theirs)} PopART", theirs / mine,
           ">= 0.95", theirs / mine >= 0.95)
    session.modelToHost(os.path.join(folder, "paddle-resnet50.onnx"))
    try:
        peer = onnx_runtime(folder, "paddle-resnet50")
    except OSError as problem:
        print(f"  ONNX Runtime is left out: {problem}", file=sys.stderr)
        return
    yield beside_onnx_runtime(predictor, peer)
    peer.close()


def beside_onnx_runtime(predictor, peer):
    what = "predict with ResNet-50, one picture, the same model"
    out = predictor.get_output_handle(predictor.get_output_names()[0])
    predictor.run()
    values, theirs = out.copy_to_cpu().flatten().tolist(), [float(v) for v in peer.ask("values")]
    apart = max(abs(a - b) for a, b in zip(values, theirs)) / max(map(abs, theirs))
    print(f"  {what}: ours and ONNX Runtime's numbers differ by {apart:.1e}", file=sys.stderr)
    if not (apart < 2e-3 and len(values) == len(theirs)):
        return what, "other numbers", "ONNX Runtime", "", "the same", False
    times, calls, ours = {t: [] for t in THREADS}, 3, []
    for _ in range(7):
        ours.append(timed(predictor.run, calls))
        for t in THREADS:
            times[t].append(peer.seconds(t, calls))
    best, mine = min(statistics.median(t) for t in times.values()), statistics.median(ours)
    return (what, duration(mine), f"{duration(best)} ONNX Runtime", best / mine, ">= 1.00", best / mine >= 1)


def rows(folder):
    yield training(64, 0.95)
    yield training(1, 0.80)
    yield predictor_overhead(folder)
    yield from resnet(folder)


def main():
    import paddle
    paddle.enable_static()
    print("ready", flush=True)
    work = rows(sys.argv[2])
    for _ in sys.stdin:
        row = next(work, None)
        if row is None:
            print("end", flush=True)
            return
        *columns, met = row
        print("\t".join([*map(str, columns), "yes" if met else "no"]), flush=True)


main()
