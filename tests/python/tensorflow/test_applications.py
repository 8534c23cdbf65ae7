# SPDX-License-Identifier: MIT
"""Networks of keras.applications: as many weights as their authors and Keras state, and what they compute."""
import json

import numpy as np
import pytest
import torch
from on_ipus import strategy as configured
from tensorflow import keras

A = keras.applications
RANDOM = np.random.default_rng(2)


@pytest.mark.parametrize("name, layers, weights", [
    ("ResNet50", 177, 25_636_712), ("ResNet50V2", 192, 25_613_800), ("MobileNet", 92, 4_253_864),
    ("MobileNetV2", 156, 3_538_984), ("DenseNet121", 429, 8_062_504), ("EfficientNetB0", 240, 5_330_571)])
def test_networks_have_the_published_number_of_weights(name, layers, weights):
    model = getattr(A, name)(weights=None)
    assert (model.count_params(), len(model.layers)) == (weights, layers)
    assert model.input_shape == (None, 224, 224, 3) and model.output_shape == (None, 1000)


@pytest.mark.parametrize("name, weights", [("VGG16", 14_714_688), ("VGG19", 20_024_384)])
def test_networks_without_their_classifiers(name, weights):
    model = getattr(A, name)(include_top=False, weights=None, pooling="avg")  # of images of any size
    assert model.count_params() == weights and model.output_shape == (None, 512)


def test_layers_of_large_images_know_their_shapes():
    t = keras.layers.Conv2D(2000, 1, use_bias=False)(keras.Input((300, 300, 3)))
    assert tuple(t.shape) == (None, 300, 300, 2000)
    t = keras.layers.Conv2D(2000, 1, strides=2, use_bias=False)(keras.Input((None, None, 3)))
    assert tuple(t.shape) == (None, None, None, 2000)


def test_vgg_computes_what_torch_does():
    model = A.VGG16(include_top=False, weights=None, input_shape=(32, 32, 3))
    x = RANDOM.normal(size=(2, 32, 32, 3)).astype("f4")
    t = torch.tensor(x).permute(0, 3, 1, 2)
    for layer in model.layers[1:]:
        if "conv" in layer.name:
            kernel, bias = (torch.tensor(w) for w in layer.get_weights())
            t = torch.relu(torch.nn.functional.conv2d(t, kernel.permute(3, 2, 0, 1), bias, padding=1))
        else:
            t = torch.nn.functional.max_pool2d(t, 2)
    np.testing.assert_allclose(model.predict(x), t.permute(0, 2, 3, 1).numpy(), rtol=1e-3, atol=1e-5)


def test_a_block_of_resnet_computes_what_torch_does():
    given = keras.Input((9, 9, 8))
    model = keras.Model(given, A.resnet._block(given, 4, 2, True, "b"))
    model.set_weights([RANDOM.uniform(0.1, 0.5, w.shape) for w in model.weights])
    x = RANDOM.normal(size=(2, 9, 9, 8)).astype("f4")

    def conv(t, part, stride=1, padding=0):
        kernel, bias = (torch.tensor(w) for w in model.get_layer(f"b_{part}_conv").get_weights())
        gamma, beta, mean, variance = (torch.tensor(w) for w in model.get_layer(f"b_{part}_bn").get_weights())
        t = torch.nn.functional.conv2d(t, kernel.permute(3, 2, 0, 1), bias, stride, padding)
        return torch.nn.functional.batch_norm(t, mean, variance, gamma, beta, eps=1.001e-5)
    t = torch.tensor(x).permute(0, 3, 1, 2)
    main = conv(torch.relu(conv(torch.relu(conv(t, 1, 2)), 2, padding=1)), 3)
    expected = torch.relu(main + conv(t, 0, 2)).permute(0, 2, 3, 1).numpy()
    np.testing.assert_allclose(model.predict(x), expected, rtol=1e-3, atol=1e-4)


def test_a_network_trains_on_ipus_in_a_pipeline():
    x, y = RANDOM.uniform(0, 255, (8, 32, 32, 3)).astype("f4"), RANDOM.integers(0, 5, 8)
    with configured(2).scope():
        model = A.MobileNet((32, 32, 3), alpha=0.25, weights=None, classes=5, dropout=0.0)
        assignments, stage = model.get_pipeline_stage_assignment(), 0
        for assignment in assignments:
            stage = 1 if assignment.layer.name.startswith("conv_dw_6") else stage
            assignment.pipeline_stage = stage
        model.set_pipeline_stage_assignment(assignments)
        model.set_pipelining_options(gradient_accumulation_steps_per_replica=4)
        model.compile(keras.optimizers.SGD(0.1), "sparse_categorical_crossentropy", steps_per_execution=4)
        before = model.get_weights()[0]
        loss = model.fit(A.mobilenet.preprocess_input(x), y, batch_size=2, verbose=0).history["loss"][0]
        assert np.isfinite(loss) and 0.5 < loss < 5 and (model.get_weights()[0] != before).any()


def test_inputs_weights_and_classes(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="weights=None draws random weights"):
        A.ResNet50()
    with pytest.raises(ValueError, match="there is no /none.h5"):
        A.ResNet50(weights="/none.h5")
    with pytest.raises(ValueError, match="at least 32x32"):
        A.MobileNetV2((16, 16, 3), weights=None)
    given = keras.Input((32, 32, 3))
    model = A.mobilenet_v2.MobileNetV2(alpha=0.35, include_top=False, weights=None, input_tensor=given * 2.0, pooling="max")
    assert model.inputs[0] is given and model.output_shape == (None, 1280)
    model.save_weights(tmp_path / "w.h5")
    again = A.MobileNetV2(alpha=0.35, include_top=False, weights=str(tmp_path / "w.h5"), input_shape=(32, 32, 3), pooling="max")
    x = RANDOM.normal(size=(1, 32, 32, 3)).astype("f4")
    np.testing.assert_allclose(again.predict(x * 2), model.predict(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(A.resnet50.preprocess_input(np.array([[[[1.0, 2.0, 3.0]]]]))[0, 0, 0],
                               [3 - 103.939, 2 - 116.779, 1 - 123.68], rtol=1e-6)
    np.testing.assert_allclose(A.mobilenet.preprocess_input(np.array([0.0, 255.0])), [-1, 1])
    monkeypatch.setenv("KERAS_HOME", str(tmp_path))
    scores = np.zeros((1, 1000), "f4")
    scores[0, [7, 3]] = 0.7, 0.3
    with pytest.raises(FileNotFoundError, match="imagenet_class_index.json"):
        A.vgg16.decode_predictions(scores)
    (tmp_path / "models").mkdir()
    names = {str(i): [f"n{i}", f"thing{i}"] for i in range(1000)}
    (tmp_path / "models" / "imagenet_class_index.json").write_text(json.dumps(names))
    assert [row[:2] for row in A.vgg16.decode_predictions(scores, 2)[0]] == [("n7", "thing7"), ("n3", "thing3")]
