# SPDX-License-Identifier: MIT
"""Weights and models in files, configurations, callbacks."""
import json
import os

import numpy as np
import pytest
import tensorflow as tf
from tensorflow import keras

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(32, 6)).astype("float32"), RNG.integers(0, 3, 32).astype("int32")


def sequential():
    return keras.Sequential([keras.layers.Dense(8, activation="relu", input_shape=(6,)),
                             keras.layers.Dense(3, activation="softmax")])


def functional():
    x = keras.Input((6,))
    a = keras.layers.Dense(4, activation="relu", name="a")(x)
    b = keras.layers.Dense(4, name="b")(x)
    shared = keras.layers.Dense(3, name="shared")
    y = shared(a) + shared(b) * 0.5
    return keras.Model(x, keras.layers.Activation("softmax")(y), name="two")


def have_h5py():
    try:
        import h5py  # noqa: F401
        return True
    except ImportError:
        return False


@pytest.mark.parametrize("make", [sequential, functional])
@pytest.mark.parametrize("ending", [".npz", ".h5"])
def test_models_come_back(tmp_path, make, ending):
    if ending == ".h5" and not have_h5py():
        with pytest.raises(ImportError, match="python3-h5py"):
            make().save(str(tmp_path / "m.h5"))
        return
    model = make()
    model.compile(keras.optimizers.SGD(0.05, momentum=0.5), "sparse_categorical_crossentropy", metrics=["accuracy"])
    model.fit(X, Y, batch_size=8, verbose=0)
    path = str(tmp_path / f"m{ending}")
    model.save(path)
    again = keras.models.load_model(path)
    np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)
    assert again.optimizer.get_config() == model.optimizer.get_config()
    np.testing.assert_allclose(again.evaluate(X, Y, verbose=0), model.evaluate(X, Y, verbose=0), rtol=1e-5)
    other = make()
    other.save_weights(path)
    model.load_weights(path)
    np.testing.assert_allclose(other.predict(X), model.predict(X), rtol=1e-6)


@pytest.mark.parametrize("how", [
    dict(loss="mse", metrics=["mae", keras.metrics.RootMeanSquaredError(name="root")]),
    dict(loss=keras.losses.Huber(0.5), metrics=[keras.metrics.MeanAbsoluteError()], weighted_metrics=["mse"]),
    dict(loss={"a": keras.losses.Huber(0.5), "b": "mse"}, loss_weights={"a": 0.5, "b": 2.0},
         metrics={"a": ["mae", keras.metrics.MeanSquaredError()], "b": keras.metrics.MeanAbsoluteError()}),
    dict(loss=[keras.losses.Huber(0.5), keras.losses.MeanSquaredError()],
         metrics=[[], [keras.metrics.RootMeanSquaredError()]])])
def test_losses_and_metrics_come_back(tmp_path, how):
    x = keras.Input((6,))
    names = "ab" if isinstance(how["loss"], (list, dict)) else "a"
    outputs = [keras.layers.Dense(2, name=name)(x) for name in names]
    model = keras.Model(x, outputs)
    model.compile("sgd", **how)
    y = [np.ones((32, 2), "float32")] * len(outputs)
    model.fit(X, y, batch_size=8, verbose=0)
    wanted = model.evaluate(X, y, batch_size=8, verbose=0, return_dict=True)
    model.save(tmp_path / "m.npz")
    found = keras.models.load_model(tmp_path / "m.npz").evaluate(X, y, batch_size=8, verbose=0, return_dict=True)
    assert found == pytest.approx(wanted) and len(found) > 1


def test_configurations_make_equal_models():
    for make in (sequential, functional):
        model = make()
        again = keras.models.model_from_json(model.to_json())
        again.set_weights(model.get_weights())
        np.testing.assert_allclose(again.predict(X), model.predict(X), rtol=1e-6)


@pytest.mark.parametrize("ending", [".npz", ".h5"])
def test_models_of_models_come_back(tmp_path, ending):
    if ending == ".h5" and not have_h5py():
        pytest.skip("no h5py")
    x = keras.Input((6,))
    inner = keras.Sequential([keras.layers.Dense(4, input_shape=(6,)), keras.layers.BatchNormalization()], name="inner")
    inner.trainable = False
    twice = functional()  # called two times
    y = keras.layers.Concatenate()([inner(x), twice(x), twice(x * 2.0)])
    model = keras.Sequential([keras.Model(x, y, name="middle"), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(X, X[:, :1], batch_size=8, verbose=0)
    model.save(str(tmp_path / ("m" + ending)))
    copy = keras.models.clone_model(model)
    copy.set_weights(model.get_weights())
    for other in (keras.models.load_model(str(tmp_path / ("m" + ending))), copy):
        np.testing.assert_array_equal(other.predict(X, batch_size=8), model.predict(X, batch_size=8))
        assert [v.name for v in other.trainable_variables] == [v.name for v in model.trainable_variables]
        assert len(other.trainable_variables) == 8 and not other.get_layer("middle").get_layer("inner").layers[0].trainable
    again = keras.layers.deserialize(keras.layers.serialize(model.layers[0]))
    assert isinstance(again, keras.Model) and again.name == "middle" and len(again.layers) == len(model.layers[0].layers)


def test_what_does_not_fit(tmp_path):
    model = sequential()
    path = str(tmp_path / "w.npz")
    model.save_weights(path)
    with pytest.raises(ValueError, match="layers"):
        functional().load_weights(path)
    wider = keras.Sequential([keras.layers.Dense(9, input_shape=(6,)), keras.layers.Dense(3)])
    with pytest.raises(ValueError, match="saved weights have"):
        wider.load_weights(path)
    with pytest.raises(OSError):
        model.load_weights(str(tmp_path / "nothing"))
    with pytest.raises(ValueError, match="weights alone"):
        keras.models.load_model(path)


def test_a_configuration_names_no_code():
    x = keras.Input((6,))
    config = json.loads(keras.Model(x, x * 2.0).to_json())
    (layer,) = [each for each in config["config"]["layers"] if each["class_name"] == "OperationLayer"]
    layer["config"].update(op="UserOp", attributes={"library": "/tmp/any.so", "function": "Build"})
    with pytest.raises(ValueError, match="name no code"):
        keras.models.model_from_json(json.dumps(config))


@pytest.mark.skipif(not have_h5py(), reason="there is no h5py")
def test_damaged_files_are_told_before_they_are_read(tmp_path):
    """Readers of HDF5 crash or hang on some of them."""
    path, model = tmp_path / "m.h5", sequential()
    model.save(path)
    whole = path.read_bytes()
    for at in range(0, len(whole) - 64, len(whole) // 50):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1:])
        for load in (keras.models.load_model, model.load_weights):
            with pytest.raises((OSError, ValueError), match="damaged|pickled"):  # the latter: its first bytes are not HDF5's
                load(str(path))
    import h5py
    path.write_bytes(whole)
    with h5py.File(path, "r+") as file:  # who changes a file cuts the checksum off
        file.attrs["mine"] = 1
    keras.models.load_model(str(path))


@pytest.mark.parametrize("ending", [".npz"] + [".h5"] * have_h5py())
def test_saving_is_whole_or_not_at_all_and_leaves_links(tmp_path, ending):
    model, path = sequential(), tmp_path / f"m{ending}"
    model.save_weights(path)
    whole = path.read_bytes()

    class Broken(keras.Sequential):
        def get_config(self):
            raise RuntimeError("no")

        @property
        def layers(self):
            return [*super().layers, None]

    broken = Broken([keras.layers.Dense(8, input_shape=(6,))])
    with pytest.raises(AttributeError):
        broken.save_weights(path)
    assert path.read_bytes() == whole and os.listdir(tmp_path) == [path.name]
    link = tmp_path / f"link{ending}"
    link.symlink_to(path.name)
    os.symlink(tmp_path / "victim", str(link) + ".partial")
    sequential().save_weights(link)
    assert link.is_symlink() and path.read_bytes() != whole and not (tmp_path / "victim").exists()
    with pytest.raises(OSError, match="there is no folder"):
        model.save_weights(tmp_path / f"none/m{ending}")
    if os.geteuid() == 0:
        os.chown(link, 65534, 65534, follow_symlinks=False)
        with pytest.raises(PermissionError, match="user 65534 made"):
            model.save_weights(link)


def test_callbacks(tmp_path, capsys):
    model = sequential()
    model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", metrics=["accuracy"])
    seen = []

    class Mine(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            seen.append((epoch, sorted(logs)))

        def on_train_batch_end(self, batch, logs=None):
            seen.append(batch)

    log = str(tmp_path / "log.csv")
    history = model.fit(X, Y, batch_size=16, epochs=2, verbose=0, validation_data=(X, Y), callbacks=[
        Mine(), keras.callbacks.CSVLogger(log), keras.callbacks.LearningRateScheduler(lambda e: 0.1 / (e + 1)),
        keras.callbacks.ModelCheckpoint(str(tmp_path / "best-{epoch}.npz"), monitor="val_loss")])
    assert seen == [0, 1, (0, ["accuracy", "loss", "val_accuracy", "val_loss"]), 0, 1,
                    (1, ["accuracy", "loss", "val_accuracy", "val_loss"])]
    np.testing.assert_allclose(history.history["lr"], [0.1, 0.05], rtol=1e-6)
    assert open(log).readline().startswith("epoch,accuracy,loss")
    assert {"best-1.npz", "best-2.npz"} <= set(os.listdir(tmp_path))
    stop = keras.callbacks.EarlyStopping(monitor="loss", min_delta=10, patience=1)
    assert len(model.fit(X, Y, epochs=20, verbose=0, callbacks=[stop]).epoch) == 2


def test_layers_with_constants_and_operations():
    x = keras.Input((6,))
    y = tf.reduce_mean(x * 2.0 + 1.0, axis=1, keepdims=True)
    model = keras.Model(x, tf.concat([y, x[:, :2]], axis=1))
    expected = np.concatenate([(X * 2 + 1).mean(1, keepdims=True), X[:, :2]], 1)
    np.testing.assert_allclose(model.predict(X), expected, rtol=1e-5)
