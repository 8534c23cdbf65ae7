# SPDX-License-Identifier: MIT
"""A small MNIST application: 2000 steps an epoch, a hundred of them in every run of the program."""
import common

args = common.arguments(__doc__, epochs=4, steps=2000, execution=100)
common.draw_missing_mnist(args.samples)

import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

if tf.__version__[0] != "2":
    raise ImportError("TensorFlow 2 is required for this example")


def create_train_dataset():
    (x_train, y_train), _ = keras.datasets.mnist.load_data()
    x_train = x_train[:args.samples].astype("float32") / 255
    dataset = tf.data.Dataset.from_tensor_slices((x_train, y_train[:args.samples].astype("int32")))
    dataset = dataset.shuffle(10000).batch(32, drop_remainder=True)
    return dataset.repeat().prefetch(16)


def create_model():
    return keras.Sequential([keras.layers.Flatten(), keras.layers.Dense(128, activation="relu"),
                             keras.layers.Dense(10, activation="softmax")])


config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model = create_model()
    model.compile(loss=keras.losses.SparseCategoricalCrossentropy(), optimizer=keras.optimizers.SGD(),
                  steps_per_execution=args.execution)
    history = model.fit(create_train_dataset(), epochs=args.epochs, steps_per_epoch=args.steps)
losses = history.history["loss"]
common.check(args, losses[-1] < 0.8 * losses[0], f"losses {losses}")
