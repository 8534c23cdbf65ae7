#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Keras' fit() beside PopART's own interface and plain torch on the same models, for ./run bench tensorflow.
# tensorflow_bench.py PACKAGES FOLDER says "ready" and then answers each line with a row of the table, as
# poptorch_bench.py does; "end" is the last answer. Groups of rows alone: their names as further arguments.
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [sys.argv[1], HERE]
import bench_clock
from bench_peer import Peer
BATCH, ROUNDS = 64, 5


def duration(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.2f} ms"


def timed(step):
    start = bench_clock.now()
    step()
    return bench_clock.now() - start


def in_turn(*steps, rounds=ROUNDS):
    """The median seconds of each, taking turns."""
    times = [[] for _ in steps]
    for round_ in range(rounds + 1):
        for step, own in zip(steps, times):
            own.append(timed(step))
            time.sleep(0.02)
    return [statistics.median(own[1:]) for own in times]  # the first ones compile


# ---- the models of the user documents: Keras' layers, and the same with PopART's Builder

def convolutions(name):
    """(channels, padding, whether a pool and what share of dropout follow), and the dense layer behind them."""
    return {"cifar": ([(32, 1, None), (32, 0, 0.25), (64, 1, None), (32, 0, 0.25)], 512),
            "mnist": ([(32, 0, 0.0), (64, 0, 0.5)], None)}[name]


def image(name):
    return (32, 32, 3) if name == "cifar" else (28, 28, 1)


def rate(name):
    return 0.016 if name == "cifar" else 0.01


def keras_model(name, steps_per_execution=1, dropout=1.0):
    import tensorflow as tf
    keras = tf.keras
    layers, dense = convolutions(name)
    model = keras.Sequential([keras.Input(image(name))])
    for channels, padding, drop in layers:
        model.add(keras.layers.Conv2D(channels, 3, padding="same" if padding else "valid", activation="relu"))
        if drop is not None:
            model.add(keras.layers.MaxPooling2D(2))
        if drop and dropout:
            model.add(keras.layers.Dropout(drop))
    model.add(keras.layers.Flatten())
    if dense:
        model.add(keras.layers.Dense(dense, activation="relu"))
        if dropout:
            model.add(keras.layers.Dropout(0.5))
    model.add(keras.layers.Dense(10, activation="softmax"))
    model.compile(loss="categorical_crossentropy", optimizer=keras.optimizers.SGD(rate(name)), metrics=["accuracy"],
                  steps_per_execution=steps_per_execution)
    return model


def popart_model(name, steps):
    """A step of a session, which trains `steps` batches and gives back every loss."""
    import numpy as np
    import popart
    random = np.random.default_rng(1)
    side, _, channels = image(name)
    b = popart.Builder()
    x, labels = b.addInputTensor("FLOAT", [BATCH, channels, side, side]), b.addInputTensor("INT32", [BATCH])

    def weights(*shape):
        bound = np.prod(shape[1:]) ** -0.5
        return b.addInitializedInputTensor(random.uniform(-bound, bound, shape).astype(np.float32))

    def drop(h, share):
        return b.aiOnnx.dropout([h], 1, share)[0] if share else h
    layers, dense = convolutions(name)
    h = x
    for wide, padding, share in layers:
        h = b.aiOnnx.relu([b.aiOnnx.conv([h, weights(wide, channels, 3, 3), weights(wide)], pads=[padding] * 4)])
        channels, side = wide, side - 2 + 2 * padding
        if share is not None:
            h, side = drop(b.aiOnnx.maxpool([h], 1, [2, 2], strides=[2, 2])[0], share), side // 2
    h, wide = b.aiOnnx.flatten([h]), channels * side * side
    if dense:
        h, wide = drop(b.aiOnnx.relu([b.aiOnnx.gemm([h, weights(dense, wide), weights(dense)], transB=1)]), 0.5), dense
    scores = b.aiOnnx.softmax([b.aiOnnx.gemm([h, weights(10, wide), weights(10)], transB=1)])
    loss = b.aiGraphcore.nllloss([scores, labels])
    flow = popart.DataFlow(steps, {loss: popart.AnchorReturnType("All")})
    session = popart.TrainingSession(b.getModelProto(), flow, loss,
                                     popart.SGD({"defaultLearningRate": (rate(name), True)}),
                                     popart.DeviceManager().acquireAvailableDevice(1))
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    pictures, classes = data(name, steps)
    given = {x: np.ascontiguousarray(pictures.transpose(0, 3, 1, 2)).reshape(steps, BATCH, *pictures.shape[3:0:-1]),
             labels: classes.reshape(steps, BATCH).astype(np.int32)}
    return lambda: session.run(popart.PyStepIO(given, anchors))


def data(name, steps):
    """Pictures and classes of so many batches."""
    import numpy as np
    random = np.random.default_rng(0)
    return random.random((steps * BATCH, *image(name)), np.float32), random.integers(0, 10, steps * BATCH)


def in_scope():
    from tensorflow.python import ipu
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    return ipu.ipu_strategy.IPUStrategy().scope()


def fitting(name, model, steps):
    """An epoch of so many batches, given as the documents do: a data set for CIFAR, arrays for MNIST."""
    import tensorflow as tf
    x, classes = data(name, steps)
    y = tf.keras.utils.to_categorical(classes, 10)
    if name == "cifar":
        given = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True)
        return lambda: model.fit(given, verbose=0)
    return lambda: model.fit(x, y, batch_size=BATCH, verbose=0)


# ---- rows

def beside_popart(name, what, per_run, goal):
    runs = max(1, (10 if name == "cifar" else 100) // per_run)
    with in_scope():
        epoch = fitting(name, keras_model(name, per_run), runs * per_run)
        step = popart_model(name, per_run)

        def peer():
            for _ in range(runs):
                step()
        ours, theirs = (seconds / (runs * per_run) for seconds in in_turn(epoch, peer))
    ratio = theirs / ours
    return (f"Keras: fit {what} b{BATCH}, {per_run} steps a run", duration(ours), f"{duration(theirs)} PopART", ratio,
            f">= {goal:.2f}", ratio >= goal)


def torch_loop(steps):
    """Its loop on the same model in another process."""
    return Peer([sys.executable, os.path.join(HERE, "models_peer.py"), tempfile.mkdtemp(),
                 f"cifar-train-{BATCH}-{steps}"])


def same_losses(peer, steps):
    """Of the first steps, with the same weights and without dropout."""
    import models_peer
    import numpy as np
    import tensorflow as tf
    weights = models_peer.fill(models_peer.Cifar(0)).state_dict()
    turned = []
    for key, value in weights.items():
        array = value.numpy()
        if key == "fc1.weight":  # behind Flatten: channels last here, first there
            array = array.reshape(-1, 32, 6, 6).transpose(0, 2, 3, 1).reshape(len(array), -1)
        turned.append(array.transpose(2, 3, 1, 0) if array.ndim == 4 else array.T)
    model = keras_model("cifar", dropout=0)
    model.set_weights(turned)
    x = models_peer.data("x", [steps, BATCH, 3, 32, 32]).numpy().transpose(0, 1, 3, 4, 2)
    y = models_peer.data("labels", [steps, BATCH], 10).numpy()
    labels = tf.keras.utils.to_categorical
    losses = [model.fit(np.ascontiguousarray(x[i]), labels(y[i], 10), batch_size=BATCH, verbose=0).history["loss"][0]
              for i in range(5)]
    theirs = peer.values()
    apart = max(abs(a - b) for a, b in zip(losses, theirs)) / max(map(abs, theirs))
    print(f"  Keras: ours and torch's losses differ by {apart:.1e}", file=sys.stderr)
    return apart < 2e-3


def beside_torch():
    what, steps, goal = f"Keras: fit CIFAR CNN b{BATCH} beside torch's loop", 8, 1.2
    peer = torch_loop(steps)
    with in_scope():
        if not same_losses(peer, steps):
            return what, "other numbers", "torch", "", "the same", False
        epoch = fitting("cifar", keras_model("cifar"), steps)
        epoch()
        ours, theirs = [], {t: [] for t in bench_clock.THREADS}
        for _ in range(ROUNDS):
            ours.append(timed(epoch) / steps)
            for t in bench_clock.THREADS:
                theirs[t].append(peer.seconds(t, steps))
    best = min(statistics.median(times) for times in theirs.values())
    mine = statistics.median(ours)
    peer.close()
    return what, duration(mine), f"{duration(best)} torch", best / mine, f">= {goal:.2f}", best / mine >= goal


def child(what):
    """Seconds until `import tensorflow` has returned, or until a model is built, compiled and has run once."""
    out = subprocess.run([sys.executable, __file__, *sys.argv[1:3], "--child", what], check=True, text=True,
                         stdout=subprocess.PIPE)
    return float(out.stdout.split()[-1])


def run_child(what):
    start = bench_clock.now()
    import tensorflow as tf
    if what != "import":
        x, classes = data(what, 1)
        y = tf.keras.utils.to_categorical(classes, 10)
        tf.keras.Sequential, tf.keras.layers.Dense  # what is imported late is not counted twice
        start = bench_clock.now()
        with in_scope():
            keras_model(what).fit(x, y, batch_size=BATCH, verbose=0)
    print(bench_clock.now() - start)


def starting(what, text, goal):
    seconds = statistics.median(child(what) for _ in range(3))
    return text, duration(seconds), "", "", f"< {goal} s", seconds < goal


def fits(name, what):
    yield lambda: beside_popart(name, what, 50, 0.95)
    yield lambda: beside_popart(name, what, 1, 0.80)


def starts():
    yield lambda: starting("import", "import tensorflow", 0.5)
    yield lambda: starting("cifar", "Keras: build and compile the CIFAR CNN, first step", 1)
    yield lambda: starting("mnist", "Keras: build and compile the MNIST demo, first step", 1)


GROUPS = {"cifar": lambda: fits("cifar", "CIFAR CNN"), "mnist": lambda: fits("mnist", "MNIST demo"),
          "torch": lambda: iter([beside_torch]), "starting": starts}


def rows(names):
    for name in names or GROUPS:
        yield from GROUPS[name]()


def main():
    if sys.argv[3:4] == ["--child"]:
        return run_child(sys.argv[4])
    with tempfile.TemporaryDirectory() as devices:
        os.environ["OPENIPU_RUNTIME_DIR"] = devices
        import tensorflow  # noqa: F401
        print("ready", flush=True)
        work = rows(sys.argv[3:])
        for _ in sys.stdin:
            step = next(work, None)
            if step is None:
                print("end", flush=True)
                return None
            *columns, met = step()
            print("\t".join([*map(str, columns), "yes" if met else "no"]), flush=True)
    return None


main()
