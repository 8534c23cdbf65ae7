# SPDX-License-Identifier: MIT
"""The model on two IPUs, each of which has all of it: batches are shared out."""
import common

args = common.arguments(__doc__, epochs=3, replicas=2, steps=16)
common.draw_missing_mnist(args.samples)

from tensorflow import keras
from tensorflow.python import ipu

num_classes = 10
input_shape = (28, 28, 1)
batch_size = 64


def make_divisible(number, divisor):
    return number - number % divisor


def load_data():
    (x_train, y_train), (x_test, y_test) = keras.datasets.mnist.load_data()
    x_train, x_test = (x.astype("float32")[..., None] / 255 for x in (x_train, x_test))
    y_train, y_test = (keras.utils.to_categorical(y, num_classes) for y in (y_train, y_test))
    return (x_train[:args.samples], y_train[:args.samples]), (x_test, y_test)


def model_fn():
    input_layer = keras.Input(shape=input_shape)
    x = keras.layers.Conv2D(32, kernel_size=(3, 3), activation="relu")(input_layer)
    x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
    x = keras.layers.Conv2D(64, kernel_size=(3, 3), activation="relu")(x)
    x = keras.layers.MaxPooling2D(pool_size=(2, 2))(x)
    x = keras.layers.Flatten()(x)
    x = keras.layers.Dropout(0.5)(x)
    x = keras.layers.Dense(num_classes, activation="softmax")(x)
    return input_layer, x


print("Keras MNIST example, running on IPU")
keras.utils.set_random_seed(1)  # the first steps learn little: whether they do should not depend on chance
(x_train, y_train), (x_test, y_test) = load_data()
# Every batch of a program for IPUs has the same size.
train_data_len = make_divisible(x_train.shape[0], batch_size * args.replicas * args.steps)
x_train, y_train = x_train[:train_data_len], y_train[:train_data_len]
test_data_len = make_divisible(x_test.shape[0], batch_size * args.replicas * args.steps)
x_test, y_test = x_test[:test_data_len], y_test[:test_data_len]

ipu_config = ipu.config.IPUConfig()
ipu_config.auto_select_ipus = args.replicas
ipu_config.configure_ipu_system()

strategy = ipu.ipu_strategy.IPUStrategy()
with strategy.scope():
    model = keras.Model(*model_fn())
    model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"], steps_per_execution=args.steps)
    model.summary()
    print("\nTraining")
    history = model.fit(x_train, y_train, epochs=args.epochs, batch_size=batch_size)
    print("\nEvaluation")
    loss, accuracy = model.evaluate(x_test, y_test, batch_size=batch_size)
losses = history.history["loss"]
common.check(args, losses[-1] < losses[0], f"losses {losses}")
print("Program ran successfully")
