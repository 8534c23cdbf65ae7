# SPDX-License-Identifier: MIT
"""CIFAR-10 with a small CNN, with and without (--cpu) the four lines for the IPU."""
import contextlib

import common

args = common.arguments(__doc__, epochs=40, cpu=False, rate=0.016)
common.draw_missing_cifar10(args.samples)

import tensorflow as tf
from tensorflow.keras.layers import *
from tensorflow.python import ipu

scope = contextlib.nullcontext()
if not args.cpu:
    cfg = ipu.config.IPUConfig()
    cfg.auto_select_ipus = 1
    cfg.configure_ipu_system()
    scope = ipu.ipu_strategy.IPUStrategy().scope()

with scope:
    (x_train, y_train), (x_test, y_test) = tf.keras.datasets.cifar10.load_data()
    x_train = x_train[:args.samples].astype("float32") / 255.0
    y_train = tf.keras.utils.to_categorical(y_train[:args.samples], 10)
    ds_train = tf.data.Dataset.from_tensor_slices((x_train, y_train)).batch(64, drop_remainder=True)

    model = tf.keras.Sequential([
        Conv2D(32, (3, 3), padding="same", input_shape=x_train.shape[1:]),
        Activation("relu"),
        Conv2D(32, (3, 3)),
        Activation("relu"),
        MaxPooling2D(pool_size=(2, 2)),
        Dropout(0.25),
        Conv2D(64, (3, 3), padding="same"),
        Activation("relu"),
        Conv2D(32, (3, 3)),
        Activation("relu"),
        MaxPooling2D(pool_size=(2, 2)),
        Dropout(0.25),
        Flatten(),
        Dense(512),
        Activation("relu"),
        Dropout(0.5),
        Dense(10),
        Activation("softmax"),
    ])
    model.compile(loss="categorical_crossentropy", optimizer=tf.optimizers.SGD(learning_rate=args.rate),
                  metrics=["accuracy"])
    history = model.fit(ds_train, epochs=args.epochs)
losses = history.history["loss"]
common.check(args, losses[-1] < losses[0], f"losses {losses}")
