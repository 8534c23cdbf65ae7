# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 9: Keras on an IPU
#
# After this lesson you can:
#
# - bring a Keras model to an IPU with `IPUConfig` and `IPUStrategy`;
# - say what `steps_per_execution` does, and what it does not do;
# - evaluate the model on the IPU, and predict with it;
# - split a model over two IPUs, and choose how many batches fill the pipeline.
#
# You need Python and an installed SDK (`source ~/openipu/enable.sh`). The lesson takes 20 minutes.
#
# ## Is the point in the ring?
#
# We draw 1,024 points in a square. The model should say which of them lie in a ring. The first half
# of the work has nothing to do with IPUs: data, and a function that makes a model.

# %%
import gc

import lesson
import numpy as np
import tensorflow as tf
from matplotlib import pyplot
from tensorflow import keras
from tensorflow.python import ipu

tf.get_logger().setLevel("ERROR")
random = np.random.default_rng(1)


def draw(count):
    points = random.uniform(-1, 1, (count, 2)).astype(np.float32)
    radius = np.hypot(points[:, 0], points[:, 1])
    return points, ((radius > 0.35) & (radius < 0.8)).astype(np.int32)


x, y = draw(1024)
x_test, y_test = draw(512)


def make_model():
    tf.random.set_seed(1)
    return keras.Sequential([keras.Input(shape=(2,)), keras.layers.Dense(64, activation="relu"),
                             keras.layers.Dense(64, activation="relu"), keras.layers.Dense(2)])


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

# %% [markdown]
# ## Three lines for the IPU
#
# `IPUConfig` says how many IPUs the process takes. `IPUStrategy` is a scope. Models that you make in
# the scope run on these IPUs. `compile` and `fit` are Keras' own.

# %%
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()

with ipu.ipu_strategy.IPUStrategy().scope():
    model = make_model()
    model.compile(keras.optimizers.Adam(0.01), loss, metrics=["accuracy"], steps_per_execution=32)
    history = model.fit(x, y, epochs=30, batch_size=32, verbose=0).history
for epoch in (0, 29):
    print(f"epoch {epoch + 1:2}: loss {history['loss'][epoch]:.1f}")

# %% [markdown]
# An IPU compiles a program for fixed shapes. So every batch needs the same size. 1,024 points are
# exactly 32 batches of 32. A part of a batch at the end would be an error, and `drop_remainder=True`
# of `tf.data` avoids it.
#
# ## One run, many steps
#
# `steps_per_execution=32` makes 32 steps one run of the program. The loop runs on the IPU, weights
# stay there, and Keras waits for one answer. A callback shows how often Keras gets one.


# %%
class Count(keras.callbacks.Callback):
    calls = 0

    def on_train_batch_end(self, batch, logs=None):
        self.calls += 1


for steps in (1, 4, 32):
    with ipu.ipu_strategy.IPUStrategy().scope():
        trial, count = make_model(), Count()
        trial.compile(keras.optimizers.Adam(0.01), loss, steps_per_execution=steps)
        last = trial.fit(x, y, epochs=1, batch_size=32, verbose=0, callbacks=[count]).history["loss"][-1]
    print(f"steps_per_execution={steps:2}: answers {count.calls:2}, loss {last:.1f}")

# %% [markdown]
# The loss is the same: the steps are the same, with one update each. What you save is the time in
# which Python and Keras work between two runs. So make the number large. It must divide the number of
# batches.
#
# ## Evaluate and predict
#
# Both run on the IPU, with the weights that `fit` left. The picture asks for a prediction at 64 x 64
# places of the square.

# %%
with ipu.ipu_strategy.IPUStrategy().scope():
    result = model.evaluate(x_test, y_test, batch_size=16, verbose=0, return_dict=True)
    axis = np.linspace(-1, 1, 64, dtype=np.float32)
    places = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    scores = model.predict(places, batch_size=128)
print(f"more than 90 % of new points are right: {result['accuracy'] > 0.9}")
print("scores:", scores.shape)
inside = tf.nn.softmax(scores).numpy()[:, 1].reshape(64, 64)

pyplot.figure(figsize=(6, 3.5))
pyplot.imshow(inside, origin="lower", extent=(-1, 1, -1, 1), cmap="Blues", vmin=0, vmax=1)
pyplot.colorbar(label="probability of the ring")
pyplot.scatter(*x_test[y_test == 1].T, s=3, color="black", label="in the ring")
pyplot.legend(loc="upper right", fontsize=7)
pyplot.title("What the model has learnt")
pyplot.show()

# %% [markdown]
# The dark ring is where the model is sure. Its edges are pale, since few points were near them.
#
# ## Two IPUs, one model
#
# A model that is too large for one IPU becomes a pipeline. `PipelineStage` says which layers go to
# which IPU. While the second IPU works on one batch, the first works on the next.
#
# A pipeline updates the weights when it is empty. So it gathers the gradients of several batches
# first: `gradient_accumulation_steps_per_replica`. To compare, the function below makes the same
# model without a pipeline, too.


# %%
def train(ipus, accumulate, epochs, width=64, depth=1, **options):
    """Trains on one IPU or in a pipeline over two, with `depth` layers each, and gives the losses."""
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = ipus
    config.compilation_poplar_options = options
    config.configure_ipu_system()
    tf.random.set_seed(1)
    with ipu.ipu_strategy.IPUStrategy().scope():
        points = keras.Input(shape=(2,))
        with keras.ipu.PipelineStage(0):
            hidden = points
            for _ in range(depth):
                hidden = keras.layers.Dense(width, activation="relu")(hidden)
        with keras.ipu.PipelineStage(1):
            for _ in range(depth):
                hidden = keras.layers.Dense(width, activation="relu")(hidden)
            scores = keras.layers.Dense(2)(hidden)
        model = keras.Model(points, scores)
        if ipus == 1:
            model.reset_pipeline_stage_assignment()
            model.set_gradient_accumulation_options(gradient_accumulation_steps_per_replica=accumulate)
        else:
            model.set_pipelining_options(gradient_accumulation_steps_per_replica=accumulate)
        model.compile(keras.optimizers.Adam(0.01), loss, steps_per_execution=32)
        return model.fit(x, y, epochs=epochs, batch_size=32, verbose=0).history["loss"]


one, two = train(1, 4, epochs=10), train(2, 4, epochs=10)
print(f"one IPU:  {one[0]:.1f} to {one[-1]:.1f}")
print(f"two IPUs: {two[0]:.1f} to {two[-1]:.1f}")
print("the same losses:", np.allclose(one, two, rtol=1e-3))

# %% [markdown]
# The pipeline computes what one IPU computes. It only does it elsewhere.
#
# ## Keep the pipeline full
#
# At each update the pipeline drains and fills again. Then one of the IPUs waits. More batches for
# each update mean fewer such gaps. Let us count cycles: `compilation_poplar_options` asks for a
# profile, and the profile is complete when the model is deleted. A profile has several runs. Those
# that bring weights have a name; the training has none. We take a deeper model, so that the IPUs
# have something to do.


# %%
def cycles_of(accumulate):
    name = f"accumulate{accumulate}"
    train(2, accumulate, 1, 512, 7, **{"autoReport.all": "true", "autoReport.directory": str(lesson.folder / name)})
    ipu.config.reset_ipu_configuration()
    gc.collect()
    return next(run.cycles for run in lesson.profile(name).execution.runs if not run.name)


counts = [4, 8, 16, 32]
cycles = [cycles_of(n) for n in counts]
for n, c in zip(counts, cycles):
    print(f"{32 // n} x {n:2} batches: {c / 32 / 1000:.0f} thousand cycles for each batch")

pyplot.figure(figsize=(6, 3.5))
pyplot.plot(counts, np.array(cycles) / 32 / 1000, "o-")
pyplot.ylim(0, 350)
pyplot.xticks(counts)
pyplot.xlabel("batches for each update")
pyplot.ylabel("thousand cycles for each batch")
pyplot.title("A pipeline over two IPUs")
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# With 4 batches for each update, a batch takes 322 thousand cycles. With 32 it takes 262 thousand: a
# fifth less. The curve flattens, since from 16 to 32 batches few gaps are left. 80 thousand cycles
# stay in any case: the host fetches the loss of every batch, and the IPUs wait. Larger numbers also
# mean fewer updates, so the model may need more epochs. Choose with both in mind.
#
# ## Exercises
#
# 1. What happens with `steps_per_execution=5`? Read the message.

# %% solution
ipu.config.reset_ipu_configuration()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 1
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = make_model()
    model.compile("sgd", loss, steps_per_execution=5)
    try:
        model.fit(x, y, batch_size=32, verbose=0)
    except ValueError as error:
        print(str(error).partition("that ")[2].partition(". ")[0])

# %% [markdown]
# 2. Take four IPUs for a model of one: `auto_select_ipus = 4`. The model now has four replicas, and
#    each takes batches of its own. What is the largest `steps_per_execution`?

# %% solution
ipu.config.reset_ipu_configuration()
config = ipu.config.IPUConfig()
config.auto_select_ipus = 4
config.configure_ipu_system()
with ipu.ipu_strategy.IPUStrategy().scope():
    model = make_model()
    model.compile(keras.optimizers.Adam(0.01), loss, steps_per_execution=8)
    losses = model.fit(x, y, epochs=30, batch_size=32, verbose=0).history["loss"]
print(f"32 batches / 4 replicas = 8 steps; the loss falls: {losses[-1] < losses[0]}")

# %% [markdown]
# 3. Which layer runs on which IPU? Make a model with `PipelineStage`, and call
#    `get_pipeline_stage_assignment()`.

# %% solution
with ipu.ipu_strategy.IPUStrategy().scope():
    points = keras.Input(shape=(2,))
    with keras.ipu.PipelineStage(0):
        hidden = keras.layers.Dense(64, activation="relu", name="first")(points)
    with keras.ipu.PipelineStage(1):
        scores = keras.layers.Dense(2, name="second")(hidden)
    model = keras.Model(points, scores)
for assignment in model.get_pipeline_stage_assignment():
    print(f"{assignment.layer.name}: stage {assignment.pipeline_stage}")

# %% [markdown]
# ## What next
#
# [Lesson 10](10_paddle.md) does the same with Paddle. [Several IPUs](../howto/several-ipus.md) says
# when to use replicas and when a pipeline; [TensorFlow and Keras](../tensorflow.md) has all options.
