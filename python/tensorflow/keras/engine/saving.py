# SPDX-License-Identifier: MIT
"""Saving: weights and models as HDF5 files (h5py) or .npz; configurations as JSON. Weights are loaded here too."""
import contextlib
import json
import os

import numpy as np
from popart import _files

from tensorflow.framework import checkpoints
from tensorflow.framework.arrays import save_arrays
from tensorflow.keras import optimizers
from tensorflow.keras.engine import seals


class Saving:
    def save_weights(self, filepath, overwrite=True, save_format=None, options=None):
        path = os.fspath(filepath)
        _check_overwrite(path, overwrite)
        with Store.writing(path, save_format) as store:
            store.put_weights(self)
        if isinstance(store, _Npz) and not path.endswith(".npz"):
            checkpoints.name_newest(path)  # for tf.train.latest_checkpoint

    def load_weights(self, filepath, by_name=False, skip_mismatch=False, options=None):
        store = Store.reading(os.fspath(filepath))
        try:
            load_weights(self, store, by_name, skip_mismatch)
        finally:
            store.close()

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None, signatures=None, options=None,
             save_traces=True):
        path = os.fspath(filepath)
        _check_overwrite(path, overwrite)
        config = {"class_name": type(self).__name__, "config": self.get_config()}
        with Store.writing(path, save_format) as store:
            store.put_text("model_config", json.dumps(config, default=_plain))
            if self._is_compiled and include_optimizer:
                store.put_text("training_config", json.dumps(_training(self), default=_plain))
                store.put_arrays("optimizer_weights", [(v.name, v.numpy()) for v in self.optimizer.weights])
            store.put_weights(self)

    def to_json(self, **kwargs):
        config = {"class_name": type(self).__name__, "config": self.get_config(), "keras_version": "2.6.0",
                  "backend": "tensorflow"}
        return json.dumps(config, default=_plain, **kwargs)


def _check_overwrite(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise FileExistsError(f"{path} exists, and overwrite is False.")


def _plain(value):
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, "name"):
        return value.name
    if callable(value):
        return value.__name__
    raise TypeError(f"{value!r} cannot be saved.")


def _training(model):
    return {**model._compile_arguments, "optimizer_config": optimizers.serialize(model.optimizer)}


def load_weights(model, store, by_name, skip_mismatch):
    if not model.built:
        raise ValueError("Unable to load weights saved in HDF5 format into a subclassed Model which has not created its "
                         "variables yet. Call the Model first, then load the weights.")
    layers = [layer for layer in model.layers if layer.weights]
    names = [n for n in store.layer_names() if store.layer_weights(n)]
    if by_name:
        pairs = [(layer, layer.name) for layer in layers if layer.name in names]
    else:
        if len(names) != len(layers):
            raise ValueError(f"You are trying to load a weight file containing {len(names)} layers into a model with "
                             f"{len(layers)} layers.")
        pairs = list(zip(layers, names))
    for layer, name in pairs:
        values = store.layer_weights(name)
        own = layer.weights
        fits = len(values) == len(own) and all(tuple(v.shape) == w.shape for v, w in zip(own, values))
        if not fits and skip_mismatch:
            continue
        if not fits:
            shapes = [w.shape for w in values]
            raise ValueError(f"Layer \"{layer.name}\" has weights {[tuple(v.shape) for v in own]}, but the saved weights have "
                             f"{shapes}.")
        layer.set_weights(values)


class Store:
    """Weights by layer and texts, in a file."""

    @staticmethod
    @contextlib.contextmanager
    def writing(path, kind):
        """The file is there when the block ends well."""
        if kind in ("h5", "hdf5", "keras") or path.endswith((".h5", ".hdf5", ".keras")):
            with _files.writing(path) as file:
                with contextlib.closing(_Hdf5(file, "w", path)) as store:
                    yield store
                seals.seal(file)
            return
        if kind not in (None, "tf", "tensorflow"):
            raise ValueError(f"Unknown format. Was passed save_format={kind!r}; there are \"h5\" and \"tf\".")
        store = _Npz({})
        yield store
        if not path.endswith(".npz"):  # where Keras writes a checkpoint, and makes its folder
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        save_arrays(path, store.all)

    @staticmethod
    def reading(path):
        for candidate in (path, path + ".npz", path + ".h5"):
            if os.path.isfile(candidate):
                with open(candidate, "rb") as file:
                    start = file.read(8)
                if start != b"\x89HDF\r\n\x1a\n":
                    return _Npz(dict(np.load(candidate, allow_pickle=False)))
                seals.check(candidate)
                return _Hdf5(candidate, "r", candidate)
        raise OSError(f"{path} is not there.")


class _Hdf5:
    """Keras' layout: groups of layers with the attribute weight_names, in model_weights of a whole model."""

    def __init__(self, file, mode, path):
        try:
            import h5py  # may not be installed
        except ImportError:
            raise ImportError(f"{path}: HDF5 files need h5py (apt install python3-h5py). Files that end in .npz do not.") \
                from None
        self._file = h5py.File(file, mode)
        self._whole = "model_config" in self._file.attrs

    def put_text(self, name, text):
        self._file.attrs[name] = text
        self._whole = True

    def get_text(self, name):
        found = self._file.attrs.get(name)
        return found.decode() if isinstance(found, bytes) else found

    def put_arrays(self, group, named):
        """In order: the group's attribute weight_names says it."""
        group, names = self._file.require_group(group), _unique([name for name, _ in named])
        group.attrs["weight_names"] = [name.encode() for name in names]
        for name, (_, array) in zip(names, named):
            group.create_dataset(name, data=array)

    def arrays(self, group):
        if group not in self._file:
            return []
        group = self._file[group]
        names = [n.decode() if isinstance(n, bytes) else n for n in group.attrs.get("weight_names", sorted(group))]
        return [np.asarray(group[n]) for n in names]

    @property
    def _weights(self):
        return self._file.require_group("model_weights") if self._whole and self._file.mode != "r" else \
            self._file["model_weights"] if "model_weights" in self._file else self._file

    def put_weights(self, model):
        root = self._weights
        root.attrs["layer_names"] = [layer.name.encode() for layer in model.layers]
        root.attrs["backend"], root.attrs["keras_version"] = b"tensorflow", b"2.6.0"
        for layer in model.layers:
            group = root.create_group(layer.name)
            names = _unique([v.name for v in layer.weights])
            group.attrs["weight_names"] = [n.encode() for n in names]
            for name, v in zip(names, layer.weights):
                group.create_dataset(name, data=v.numpy())

    def layer_names(self):
        return [n.decode() if isinstance(n, bytes) else n for n in self._weights.attrs["layer_names"]]

    def layer_weights(self, name):
        group = self._weights[name]
        return [np.asarray(group[n.decode() if isinstance(n, bytes) else n]) for n in group.attrs["weight_names"]]

    def close(self):
        self._file.close()


class _Npz:
    """The same in numpy's format: layer|number -> array."""

    def __init__(self, arrays):
        self.all = arrays

    def put_text(self, name, text):
        self.all["text|" + name] = np.array(text)

    def get_text(self, name):
        found = self.all.get("text|" + name)
        return None if found is None else str(found)

    def put_arrays(self, group, named):
        for i, (name, array) in enumerate(named):
            self.all[f"group|{group}|{i:04d}|{name}"] = np.asarray(array)

    def arrays(self, group):
        return [self.all[k] for k in sorted(self.all) if k.startswith(f"group|{group}|")]

    def put_weights(self, model):
        self.all["layers"] = np.array([layer.name for layer in model.layers])
        for layer in model.layers:
            for i, v in enumerate(layer.weights):
                self.all[f"{layer.name}|{i:04d}"] = np.asarray(v.numpy())

    def layer_names(self):
        return [str(n) for n in self.all["layers"]]

    def layer_weights(self, name):
        return [self.all[k] for k in sorted(k for k in self.all if k.startswith(name + "|"))]

    def close(self):
        pass


def _unique(names):
    seen, out = {}, []
    for name in names:
        n = seen.get(name, 0)
        seen[name] = n + 1
        out.append(name if n == 0 else f"{name}_{n}")
    return out
