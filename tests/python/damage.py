# SPDX-License-Identifier: MIT
"""Reads damaged files: damage.py KIND SEED COUNT, in a folder of its own. A kind writes its file once and reads it again
and again with bytes changed, cut or swapped. Success or an exception with a clear text is right; a crash, an internal
error or a mistake of Python in our code is not. The file "last" holds what was done last. Files of h5 are left out: h5py
itself hangs and crashes on damaged ones."""
import os
import random
import sys

import numpy as np

UNCLEAR = (AttributeError, NameError, SystemError, RecursionError, UnboundLocalError, ZeroDivisionError)


def popart_model(device=None):
    import popart
    import harness
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2], "x")
    y = b.aiOnnx.mul([x, b.addInitializedInputTensor(np.ones(2, np.float32), "w")])
    loss = b.aiGraphcore.identityloss([y])
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, [y]), loss, popart.Adam({}),
                                     device or harness.device())
    return session


def popart_executable(read_only):
    """An executable file of PopART."""
    import popart
    session = popart_model(popart.DeviceManager().createOfflineIPUDevice({}))
    if not read_only:
        session.compileAndExport("model.popef")
        return ["model.popef"]
    session.loadExecutable("model.popef")


def popart_checkpoint(read_only):
    """A checkpoint of PopART: weights and the optimiser's state in ONNX."""
    session = popart_model()
    session.prepareDevice()
    session.weightsFromHost()
    if not read_only:
        session.modelToHost("checkpoint.onnx")
        return ["checkpoint.onnx"]
    session.resetHostWeights("checkpoint.onnx")
    session.weightsFromHost()


def popart_cache(read_only):
    """The executable cache of PopART, which compiles again."""
    import popart
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [2], "x")
    y = b.aiOnnx.add([x, x])
    options = popart.SessionOptions()
    options.enableEngineCaching = True
    options.cachePath = "cache"
    ipu = popart.DeviceManager().acquireAvailableDevice(1)
    session = popart.InferenceSession(b.getModelProto(), popart.DataFlow(1, [y]), ipu, userOptions=options)
    session.prepareDevice()
    anchors = session.initAnchorArrays()
    session.run(popart.PyStepIO({x: np.ones(2, np.float32)}, anchors))
    if not (anchors[y] == 2).all():
        raise SystemError("a damaged entry of the cache was believed")
    ipu.detach()
    return [os.path.join("cache", name) for name in sorted(os.listdir("cache"))]


def poptorch_saved(read_only):
    """A compiled model of PopTorch."""
    import poptorch
    import torch
    if not read_only:
        model = poptorch.inferenceModel(torch.nn.Linear(3, 2))
        model(torch.ones(1, 3))
        model.save("model.poptorch")
        return ["model.poptorch"]
    poptorch.load("model.poptorch")(torch.ones(1, 3))


def keras_model():
    from tensorflow import keras
    model = keras.Sequential([keras.layers.Dense(4, activation="relu", input_shape=(3,)), keras.layers.Dense(2)])
    model.compile("sgd", "mse")
    return model


def keras_npz(read_only):
    """A model of Keras as npz."""
    from tensorflow import keras
    if not read_only:
        keras_model().save("model.npz")
        return ["model.npz"]
    keras.models.load_model("model.npz").predict(np.ones((2, 3), np.float32), verbose=0)


def keras_weights(read_only):
    """Weights of Keras as npz."""
    if not read_only:
        keras_model().save_weights("weights.npz")
        return ["weights.npz"]
    keras_model().load_weights("weights.npz")


def paddle_model(read_only):
    """A program of Paddle and its parameters."""
    import paddle
    from paddle import static
    paddle.enable_static()
    exe = static.Executor()
    if not read_only:
        x = static.data("x", [-1, 3])
        y = static.nn.fc(x, 2)
        exe.run(static.default_startup_program())
        static.save_inference_model("m", [x], [y], exe)
        return ["m.pdmodel", "m.pdiparams"]
    program, names, results = static.load_inference_model("m", exe)
    exe.run(program, feed={names[0]: np.ones((2, 3), np.float32)}, fetch_list=results)


def paddle_state(read_only):
    """Parameters and an optimiser's state of Paddle."""
    import paddle
    from paddle import static
    paddle.enable_static()
    if not read_only:
        x = static.data("x", [-1, 3])
        loss = static.nn.fc(x, 2).mean()
        paddle.optimizer.Adam(0.1).minimize(loss)
        exe = static.Executor()
        exe.run(static.default_startup_program())
        static.save(static.default_main_program(), "s")
        return [name for name in ("s.pdparams", "s.pdopt") if os.path.exists(name)]
    static.load_program_state("s")


KINDS = {name: kind for name, kind in list(globals().items()) if callable(kind) and kind.__doc__ and name.islower()}


def damaged(r, data):
    """The bytes with a few mistakes, of the kinds that disks, transfers and people make."""
    data = bytearray(data)
    for _ in range(r.choice([1, 1, 1, 2, 5])):
        at = r.randrange(len(data)) if data else 0
        part = r.choice([1, 1, 2, 4, 8, 64, 512])
        how = r.choice(["bit", "byte", "cut", "zero", "drop", "insert", "repeat", "number", "head"])
        if how == "bit" and data:
            data[at] ^= 1 << r.randrange(8)
        elif how == "byte" and data:
            data[at] = r.randrange(256)
        elif how == "head" and data:
            data[r.randrange(min(len(data), 64))] = r.randrange(256)
        elif how == "cut":
            del data[at:]
        elif how == "zero":
            data[at:at + part] = bytes(len(data[at:at + part]))
        elif how == "drop":
            del data[at:at + part]
        elif how == "insert":
            data[at:at] = r.randbytes(part)
        elif how == "repeat":
            data[at:at] = data[at:at + part]
        else:
            data[at:at + 8] = r.choice([0, 1, 2**31, 2**32 - 1, 2**62, 2**64 - 1]).to_bytes(8, "little")[:len(data[at:at + 8])]
    return bytes(data)


def main(kind, seed, count):
    act = KINDS[kind]
    files = act(False)
    whole = {name: open(name, "rb").read() for name in files}
    for number in range(seed, seed + count):
        r = random.Random(number)
        name = r.choice(files)
        for file, data in whole.items():
            with open(file, "wb") as out:
                out.write(damaged(r, data) if file == name else data)
        with open("last", "w", encoding="utf-8") as out:
            out.write(f"damage.py {kind} {number} 1 ({name})")
        try:
            act(True)
        except Exception as e:
            text = str(e)
            if isinstance(e, UNCLEAR) or not text or "nternal error" in text:
                raise
        for file, data in whole.items():
            with open(file, "wb") as out:
                out.write(data)
    act(True)  # nothing of it stays


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
