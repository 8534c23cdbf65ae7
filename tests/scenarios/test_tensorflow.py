# SPDX-License-Identifier: MIT
"""The TensorFlow halves of the training documents, as their readers type them. MNIST and CIFAR-10 are drawn, and shorter."""
import json
import os
import pickle
import re
import subprocess
import sys

import numpy as np
import pytest

SOURCE = os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
sys.path.append(os.path.join(SOURCE, "examples", "popart"))
import digits

IMAGES, TESTS = 720, 200  # no multiples of 64


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """Data sets in Keras' cache layout."""
    folder = tmp_path_factory.mktemp("home")
    os.makedirs(folder / ".keras" / "datasets" / "cifar-10-batches-py")
    parts = {}
    for part, count, seed in (("train", IMAGES, 1), ("test", TESTS, 2)):
        images, labels = digits.draw(count, seed=seed, side=28)
        parts[f"x_{part}"], parts[f"y_{part}"] = (images[:, 0] * 190).astype(np.uint8), labels.astype(np.uint8)
    np.savez(folder / ".keras" / "datasets" / "mnist.npz", **parts)
    random = np.random.default_rng(0)
    for name in (*[f"data_batch_{i}" for i in range(1, 6)], "test_batch"):
        rows = {b"data": random.integers(0, 255, (40, 3072), dtype=np.uint8), b"labels": random.integers(0, 10, 40).tolist()}
        with open(folder / ".keras" / "datasets" / "cifar-10-batches-py" / name, "wb") as file:
            pickle.dump(rows, file)
    return folder


def run(program, home, tmp_path, **environment):
    """A program in a file of its own; what it prints."""
    file = tmp_path / "program.py"
    file.write_text(program)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, timeout=240, cwd=tmp_path,
                          env={**os.environ, "HOME": str(home), "OPENIPU_NUM_IPUS": "4", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


IMPORTS = """
import tensorflow as tf
import tensorflow.keras as keras
from tensorflow.python import ipu
"""
DATA = """
def load_data():
    (x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()
    x_train = x_train.astype("float32") / 255
    x_test = x_test.astype("float32") / 255
    import numpy as np
    x_train, x_test = np.expand_dims(x_train, -1), np.expand_dims(x_test, -1)
    y_train = keras.utils.to_categorical(y_train, 10)
    y_test = keras.utils.to_categorical(y_test, 10)
    return (x_train, y_train), (x_test, y_test)

batch_size = 64

def make_divisible(number, divisor):
    return number - number %% divisor

(x_train, y_train), (x_test, y_test) = load_data()
train_data_len = x_train.shape[0]
train_data_len = make_divisible(train_data_len, %(unit)s)
x_train, y_train = x_train[:train_data_len], y_train[:train_data_len]
test_data_len = x_test.shape[0]
test_data_len = make_divisible(test_data_len, %(unit)s)
x_test, y_test = x_test[:test_data_len], y_test[:test_data_len]
"""
MODEL = """
def model_fn():
    input_layer = keras.Input(shape=(28, 28, 1))
    x = keras.layers.Conv2D(32, kernel_size=(3, 3), activation="relu")(input_layer)
    x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
    x = keras.layers.Conv2D(64, kernel_size=(3, 3), activation="relu")(x)
    x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dropout(0.5)(x)
    x = keras.layers.Dense(10, activation="softmax")(x)
    return input_layer, x
"""
CONFIGURE = """
ipu_config = ipu.config.IPUConfig()
ipu_config.auto_select_ipus = %(ipus)d
ipu_config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
"""
TRAIN = """
print("Keras MNIST example, running on IPU")
with strategy.scope():
    model = keras.Model(*model_fn())
    %(options)s
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"]%(compile)s)
    model.summary()
    print("\\nTraining")
    model.fit(x_train, y_train, epochs=%(epochs)d, batch_size=batch_size)
    print("\\nEvaluation")
    model.evaluate(x_test, y_test, batch_size=batch_size)
print("Program ran successfully")
"""
BAR = r"%d/%d \[={30}\] - \d+s \d+[mu]?s/step - loss: \d\.\d{4} - accuracy: \d\.\d{4}\n"


def demo(unit="batch_size", ipus=1, options="", compile="", epochs=1, model=MODEL):
    return (IMPORTS + DATA % {"unit": unit} + model + CONFIGURE % {"ipus": ipus}
            + TRAIN % {"options": options, "compile": compile, "epochs": epochs})


def test_imports_the_ipu_package(home, tmp_path):
    """S-88"""
    out, _ = run("from tensorflow.python import ipu\nimport tensorflow as tf\n"
                 "print(tf.__version__[0], ipu.config.IPUConfig().auto_select_ipus)", home, tmp_path)
    assert out == "2 []\n"


def test_trims_mnist_to_whole_batches(home, tmp_path):
    """S-89"""
    out, _ = run(IMPORTS + DATA % {"unit": "batch_size"} + "print(len(x_train), len(y_train), len(x_test))", home, tmp_path)
    assert out.split() == [str(IMAGES // 64 * 64)] * 2 + [str(TESTS // 64 * 64)]


def test_configures_one_ipu(home, tmp_path):
    """S-90"""
    watch = """
cfg = ipu.config.IPUConfig(); cfg.auto_select_ipus = 1; cfg.configure_ipu_system()
import popart
free = [d for d in popart.DeviceManager().enumerateDevices() if not d.isAttached]
print(len(popart.DeviceManager().enumerateDevices()), ipu.utils.get_num_of_ipus_in_device("/device:IPU:0"))
print(popart.DeviceManager().tryAcquireAvailableDevice(4))
cfg.configure_ipu_system()
"""
    out, err = run(IMPORTS + watch, home, tmp_path)
    assert out.splitlines() == ["4 1", "None"]  # all four together are not to be had: one is reserved
    assert "WARNING:tensorflow:Resetting existing IPU configuration" in err


def test_opens_the_strategys_scope(home, tmp_path):
    """S-91"""
    out, _ = run(IMPORTS + CONFIGURE % {"ipus": 1} + "with strategy.scope():\n    v = tf.Variable(1.0)\nprint(v.device, "
                 "tf.Variable(1.0).device)", home, tmp_path)
    assert out.split() == ["/device:IPU:0", "/device:CPU:0"]


def test_runs_the_keras_tutorials_demo(home, tmp_path):
    """S-92"""
    out, err = run(demo(epochs=3), home, tmp_path)
    assert "Keras MNIST example, running on IPU" in out
    assert "Total params: 34,826" in out and "conv2d_1 (Conv2D)            (None, 11, 11, 64)        18496     " in out
    steps = IMAGES // 64
    assert len(re.findall(BAR % (steps, steps), out)) == 3
    assert re.search(r"Evaluation\n[^E]*" + BAR % (TESTS // 64, TESTS // 64), out.replace("ETA", "eta"))
    assert "The model `model` has been configured with only 1 steps per execution" in err
    assert out.rstrip().endswith("Program ran successfully")


def test_completes_the_exercise(home, tmp_path):
    """S-93"""
    out, _ = run(demo().replace('print("Program ran successfully")', ""), home, tmp_path)
    steps = IMAGES // 64
    assert re.search(BAR % (steps, steps), out)


def test_replicates_and_pipelines(home, tmp_path):
    """S-94"""
    out, err = run(demo(unit="batch_size * 2", ipus=2), home, tmp_path)
    steps = IMAGES // 128
    assert re.search(BAR % (steps, steps), out)
    assert "across 2 replicas, your effective batch size is 128" in err
    staged = MODEL.replace("    x = keras.layers.Conv2D(32",
                           "    with keras.ipu.PipelineStage(0):\n     x = keras.layers.Conv2D(32")
    staged = staged.replace("    x = keras.layers.Flatten()(x)\n    x = keras.layers.Dropout(0.5)(x)\n    x = keras.layers.Dense",
                            "    with keras.ipu.PipelineStage(1):\n     x = keras.layers.Flatten()(x)\n"
                            "     x = keras.layers.Dropout(0.5)(x)\n     x = keras.layers.Dense")
    out, err = run(demo(unit="batch_size", ipus=2, model=staged, compile=", steps_per_execution=8",
                        options="model.set_pipelining_options(gradient_accumulation_steps_per_replica=8)")
                   .replace("make_divisible(train_data_len, batch_size)", "make_divisible(train_data_len, batch_size * 8)"),
                   home, tmp_path)
    assert re.search(BAR % (8, 8), out) and "accumulating 8 batches" in err and "effective batch size is 512" in err
    assert "Program ran successfully" in out


def test_runs_the_mnist_application(home, tmp_path):
    """S-95"""
    program = IMPORTS + CONFIGURE % {"ipus": 1} + """
if tf.__version__[0] != '2':
    raise ImportError("TensorFlow 2 is required for this example")

def create_train_dataset():
    (x_train, y_train), (_, _) = keras.datasets.mnist.load_data()
    x_train = x_train / 255.0
    train_ds = tf.data.Dataset.from_tensor_slices((x_train, y_train)).shuffle(10000).batch(32, drop_remainder=True)
    train_ds = train_ds.map(lambda d, l: (tf.cast(d, tf.float32), tf.cast(l, tf.int32)))
    return train_ds.repeat().prefetch(16)

with strategy.scope():
    model = keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(128, activation='relu'),
                              keras.layers.Dense(10, activation='softmax')])
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(), optimizer=keras.optimizers.SGD(),
                  steps_per_execution=100)
    model.fit(create_train_dataset(), epochs=4, steps_per_epoch=200)
"""
    out, _ = run(program, home, tmp_path)
    assert re.search(r"Epoch 4/4\n[^=]*[\s\S]*200/200 \[={30}\] - \d+s \d+[mu]?s/step - loss: \d\.\d{4}\n$", out)


def cifar(before, indent):
    body = """
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
x_train = x_train.astype('float32') / 255.0
y_train = tf.keras.utils.to_categorical(y_train, 10)
ds_train = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(64, drop_remainder=True)
model = tf.keras.Sequential([
    Conv2D(32, (3, 3), padding='same', input_shape=x_train.shape[1:]),
    Activation('relu'),
    Conv2D(32, (3, 3)),
    Activation('relu'),
    MaxPooling2D(pool_size=(2, 2)),
    Dropout(0.25),
    Conv2D(64, (3, 3), padding='same'),
    Activation('relu'),
    Conv2D(32, (3, 3)),
    Activation('relu'),
    MaxPooling2D(pool_size=(2, 2)),
    Dropout(0.25),
    Flatten(),
    Dense(512),
    Activation('relu'),
    Dropout(0.5),
    Dense(10),
    Activation('softmax')
])
model.compile(loss='categorical_crossentropy',
              optimizer=tf.optimizers.SGD(learning_rate=0.016),
              metrics=['accuracy'])
model.fit(ds_train, epochs=2)
"""
    start = "import tensorflow as tf\nfrom tensorflow.keras.layers import *\n"
    return start + before + body.replace("\n", "\n" + indent)


def test_cifar_with_and_without_the_added_lines(home, tmp_path):
    """S-96"""
    added = ("from tensorflow.python import ipu\ncfg = ipu.config.IPUConfig()\ncfg.auto_select_ipus = 1\n"
             "cfg.configure_ipu_system()\nwith ipu.ipu_strategy.IPUStrategy().scope():\n")
    for program in (cifar("", ""), cifar(added, "    ")):
        out, _ = run(program, home, tmp_path)
        assert "Epoch 1/2" in out and len(re.findall(BAR % (3, 3), out)) == 2


TF1 = """
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
from tensorflow.python import ipu
from tensorflow.python.ipu.scopes import ipu_scope
ipu_configuration = ipu.config.IPUConfig()
ipu_configuration.auto_select_ipus = 1
ipu_configuration.configure_ipu_system()
"""


def test_a_function_of_tensorflow_1(home, tmp_path):
    """S-97"""
    out, _ = run(TF1 + """
pa, pb, pc = (tf.placeholder(np.float32, [2]) for _ in range(3))
def basic_graph(pa, pb, pc):
    # Do basic addition with tensors
    o1 = pa + pb
    o2 = pa + pc
    simple_graph_output = o1 + o2
    return simple_graph_output
with ipu_scope("/device:IPU:0"):
    xla_result = ipu.ipu_compiler.compile(basic_graph, [pa, pb, pc])
with tf.Session() as sess:
    print(sess.run(xla_result, feed_dict={pa: [1., 1.], pb: [0., 1.], pc: [1., 5.]}))
""", home, tmp_path)
    assert out == "[array([3., 8.], dtype=float32)]\n"


def example(name, *arguments, home, tmp_path, **environment):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "examples", "tensorflow", name), *arguments], text=True,
                          capture_output=True, timeout=240, cwd=tmp_path,
                          env={**os.environ, "HOME": str(home), "OPENIPU_NUM_IPUS": "4", **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_loops_of_tensorflow_1(home, tmp_path):
    """S-98"""
    for more in ((), ("--loop",)):
        out = example("tensorflow1_training.py", "--epochs", "2", *more, home=home, tmp_path=tmp_path)
        assert len(re.findall(r"Loss: \d\.\d+ Time: \d+\.\d+", out)) == 2
        assert out.endswith("Program ran successfully\n")


def test_shards_and_pipelines_of_tensorflow_1(home, tmp_path):
    """S-99"""
    import pva
    for more in ((), ("--sharded",)):
        folder = tmp_path / f"report{len(more)}"
        options = json.dumps({"autoReport.all": "true", "autoReport.directory": str(folder)})
        out = example("tensorflow1_pipeline.py", "--epochs", "2", *more, home=home, tmp_path=tmp_path,
                      POPLAR_ENGINE_OPTIONS=options)
        assert len(re.findall(r"Step \d+, Epoch \d\.\d, Mean loss: \d\.\d{3}", out)) == 2
        report = pva.openReport(str(next(folder.rglob("profile.pop"))))
        ipus = report.compilation.target.numIPUs
        assert ipus >= 2 and len(report.execution.steps) > 0
        busy = {i for step in report.execution.steps for i, ipu in enumerate(step.ipus) if ipu.activeTiles}
        assert len(busy) >= 2, "every stage or shard has tiles that work"


def test_loops_accumulates_and_replicates(home, tmp_path):
    """S-100"""
    out, err = run(demo(unit="batch_size", ipus=2, compile=", steps_per_execution=4",
                        options="model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=4)")
                   .replace("batch_size = 64", "batch_size = 16").replace("len, batch_size)", "len, batch_size * 8)"),
                   home, tmp_path)
    assert re.search(BAR % (20, 20), out)
    assert "across 2 replicas and accumulating 4 batches per optimizer step, your effective batch size is 128." in err


def test_a_last_batch_that_is_too_small(home, tmp_path):
    """S-101"""
    program = demo().replace("model.fit(", """
    try:
        model.fit(x_train[:100], y_train[:100], batch_size=64)
    except ValueError as problem:
        print('told:', problem)
    model.fit(""")
    out, _ = run(program, home, tmp_path)
    assert re.search("told:.*has a partial batch", out)


FLAGS = "--executable_cache_path="


def test_the_cache_of_executables(home, tmp_path):
    """S-60, S-04"""
    cache = tmp_path / "tmp"
    for _ in range(2):
        run(demo(), home, tmp_path, TF_POPLAR_FLAGS=FLAGS + str(cache))
        files = sorted(os.listdir(cache))
        assert len(files) == 2 and all(re.fullmatch("[0-9a-f]{16}.poplar_exec", f) for f in files)


def test_precompiles(home, tmp_path):
    """S-102"""
    program = demo().replace("ipu_config.configure_ipu_system()", """
ipu_config.device_connection.type = ipu.config.DeviceConnectionType.PRE_COMPILE
ipu_config.device_connection.version = "ipu2"
ipu_config.configure_ipu_system()""")
    _, err = run(program, home, tmp_path, TF_POPLAR_FLAGS=FLAGS + str(tmp_path / "cache"))
    assert re.search(r"A pre-compiled Poplar program has been saved to \S+/cache/[0-9a-f]{16}\.poplar_exec", err)


def test_synthetic_data(home, tmp_path):
    """S-57"""
    run(demo(), home, tmp_path, TF_POPLAR_FLAGS="--use_synthetic_data --synthetic_data_initializer=random")
