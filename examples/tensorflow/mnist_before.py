# SPDX-License-Identifier: MIT
"""The Keras tutorial's MNIST model as it is before anything is done for IPUs: it runs on the host."""
import common

args = common.arguments(__doc__, epochs=3)
common.draw_missing_mnist(args.samples)

from tensorflow import keras

num_classes = 10
input_shape = (28, 28, 1)
batch_size = 64


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


print("Keras MNIST example, running on CPU")
(x_train, y_train), (x_test, y_test) = load_data()
model = keras.Model(*model_fn())
model.compile("sgd", "categorical_crossentropy", metrics=["accuracy"])
model.summary()
print("\nTraining")
history = model.fit(x_train, y_train, epochs=args.epochs, batch_size=batch_size)
print("\nEvaluation")
loss, accuracy = model.evaluate(x_test, y_test, batch_size=batch_size)
losses = history.history["loss"]
common.check(args, losses[-1] < losses[0], f"losses {losses}")
print("Program ran successfully")
