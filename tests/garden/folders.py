# SPDX-License-Identifier: MIT
"""folders.py ROOT: --data reads each format from a folder, and says what a folder of another form lacks."""
import os
import struct
import sys
import tempfile

import numpy as np
import torch
from PIL import Image

root = sys.argv[1]
sys.path.insert(0, root)
from garden.common import catalogue, loop


def data(name, folder, training=True, **other):
    return loop.data(catalogue.load(name, "small"), folder, training, **other)


def refused(words, name, folder, /, **other):
    try:
        data(name, folder, **other)
    except SystemExit as error:
        assert words in str(error), error
        return
    raise AssertionError(f"{name} takes {os.listdir(folder)}")


def write(folder, **files):
    for name, text in files.items():
        with open(os.path.join(folder, name + ".txt"), "w", encoding="ascii") as file:
            file.write(text)


random = np.random.default_rng(1)
with tempfile.TemporaryDirectory() as folder:  # a folder of images per class
    refused("There is no folder", "resnet50", folder)
    for part in ("train", "val"):
        for kind in range(4):
            os.makedirs(f"{folder}/{part}/{kind}")
            Image.fromarray(random.integers(0, 256, (40, 50, 3), dtype=np.uint8)).save(f"{folder}/{part}/{kind}/a.png")
    for name in ("resnet50", "efficientnet-b0"):
        rows = data(name, folder)
        assert len(rows) == 4 and rows[3][1] == 3 and rows[0][0].shape == (3, 32, 32) and rows[0][0].dtype == torch.uint8
        assert torch.equal(data(name, folder, False)[2][0], data(name, folder, False)[2][0])
        refused("has 4 classes, and the configuration 5", name, folder, classes=5)

with tempfile.TemporaryDirectory() as folder:  # IDX files
    images = random.integers(0, 256, (3, 28, 28), dtype=np.uint8)
    with open(f"{folder}/train-images-idx3-ubyte", "wb") as file:
        file.write(struct.pack(">4i", 0x803, 3, 28, 28) + images.tobytes())
    refused("There is no train-labels", "vae", folder)
    with open(f"{folder}/train-labels-idx1-ubyte", "wb") as file:
        file.write(struct.pack(">2i", 0x801, 3) + bytes(3))
    rows = data("vae", folder)
    assert len(rows) == 3 and np.array_equal(rows[1][0][0].numpy(), images[1] > 127)
    assert rows[1][1].shape == (8,)

with tempfile.TemporaryDirectory() as folder:  # images and labels
    refused("There is no folder images", "unet", folder)
    os.makedirs(f"{folder}/images")
    os.makedirs(f"{folder}/labels")
    refused("no PNG files", "unet", folder)
    for i in range(5):
        grey = random.integers(0, 256, (32, 32), dtype=np.uint8)
        Image.fromarray(grey).save(f"{folder}/images/{i}.png")
    refused("0.png has no labels", "unet", folder)
    for i in range(5):
        Image.fromarray(np.eye(32, dtype=np.uint8) * 255).save(f"{folder}/labels/{i}.png")
    assert len(data("unet", folder)) == 4
    (image, label), = data("unet", folder, False)
    assert np.allclose(image[0].numpy(), grey / 255 - 0.6, atol=1e-6) and torch.equal(label, torch.eye(32).long())

with tempfile.TemporaryDirectory() as folder:  # graphs: a pair, and a path of three
    write(folder, G_A="1, 2\n2, 1\n3, 4\n4, 3\n4, 5\n5, 4\n", G_graph_indicator="1\n1\n2\n2\n2\n",
          G_node_labels="0\n1\n1\n0\n1\n")
    refused("There is no G_graph_labels.txt", "gin", folder)
    write(folder, G_graph_labels="-1\n1\n")
    nodes, there, sources, targets, label = data("gin", folder, features=2)[1]
    assert there.flatten().tolist() == [1] * 3 + [0] * 15 and label == 1
    assert nodes[:4].tolist() == [[0, 1], [1, 0], [0, 1], [0, 0]]
    assert sources[:5].tolist() == [0, 1, 1, 2, 17] and targets[:5].tolist() == [1, 0, 2, 1, 17]
    assert data("gin", folder)[0][0][:3].tolist() == [[1], [1], [0]], "kinds of nodes are read, but not asked for"
    refused("has place for 2", "gin", folder, nodes=3)

with tempfile.TemporaryDirectory() as folder:  # text
    refused("There are no .txt files", "gpt2", folder)
    write(folder, a="to be or not to be, " * 20)
    refused("only 13 words", "gpt2", folder)
    text, following = data("gpt2", folder, words=256)[0]
    assert bytes(text.tolist()) == b"to be or not to " and bytes(following.tolist()) == b"o be or not to b"
    refused("shorter than one row", "gpt2", folder, words=256, length=500)
