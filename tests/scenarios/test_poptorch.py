# SPDX-License-Identifier: MIT
"""The PyTorch half of the user documents, step by step, on small data."""
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

poptorch = pytest.importorskip("poptorch")
from tqdm import tqdm

SOURCE = os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
sys.path.append(os.path.join(SOURCE, "examples/poptorch"))
from fashion_mnist import ClassificationModel  # the hands-on session's


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    torch.manual_seed(0)


class Spots(torch.utils.data.Dataset):
    """Images with a bright spot whose place is the class: learnt in seconds."""

    def __init__(self, count, seed=0):
        random = torch.Generator().manual_seed(seed)
        self.labels = torch.randint(0, 10, (count,), generator=random)
        self.images = 0.3 * torch.randn(count, 1, 28, 28, generator=random)
        for image, label in zip(self.images, self.labels):
            row, column = divmod(int(label), 4)
            image[0, 2 + 8 * row:8 + 8 * row, 2 + 6 * column:8 + 6 * column] += 2

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.images[index], int(self.labels[index])


class WithLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.loss = model, nn.CrossEntropyLoss()

    def forward(self, x, labels=None):
        output = self.model(x)
        return output if labels is None else (output, self.loss(output, labels))


def small():
    return nn.Sequential(nn.Flatten(), nn.Linear(784, 32), nn.ReLU(), nn.Linear(32, 10))


def test_runs_the_mnist_script():
    """S-37"""
    script = os.path.join(SOURCE, "examples/poptorch/mnist_poptorch.py")
    found = subprocess.run([sys.executable, script, "--batch-size", "8", "--device-iterations", "10", "--test-batch-size",
                            "80", "--epochs", "2", "--lr", "0.05", "--samples", "1600"], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert "(conv): Conv2d(1, 32, kernel_size=(3, 3), stride=(1, 1))" in found.stdout
    assert re.search(r"Accuracy on test set: \d+\.\d\d%", found.stdout)
    assert "Epochs" in found.stderr and re.search(r"Loss: \d\.\d{4} \| Accuracy: \d+\.\d\d%", found.stderr)


def test_imports_everything_in_one_script_and_defines_the_model():
    """S-38"""
    for name in ("torchvision", "matplotlib.pyplot", "sklearn.metrics"):
        try:
            __import__(name)
        except ImportError:
            pass  # what is installed coexists
    model = ClassificationModel()
    x, labels = torch.randn(4, 1, 28, 28), torch.tensor([1, 2, 3, 4])
    assert isinstance(model(x, labels), tuple) and model.eval()(x).shape == (4, 10)


@pytest.fixture
def trained():
    """The model after the hands-on session's training, with what it showed."""
    opts = poptorch.Options()
    loader = poptorch.DataLoader(opts, Spots(640), batch_size=16, shuffle=True, num_workers=2)
    model = ClassificationModel()
    model.train()
    optimizer = poptorch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    training = poptorch.trainingModel(model, options=opts, optimizer=optimizer)
    compiled_early = training.isCompiled()
    losses, shapes = [], set()
    for _ in tqdm(range(3), desc="epochs"):
        for data, labels in tqdm(loader, desc="batches", leave=False):
            output, loss = training(data, labels)
            shapes.add((tuple(data.shape), tuple(labels.shape), tuple(output.shape), tuple(loss.shape)))
            losses.append(loss.item())
    training.detachFromDevice()
    return {"loader": loader, "model": model, "training": training, "losses": losses, "shapes": shapes,
            "compiled_early": compiled_early, "opts": opts}


def test_loads_batches_with_many_workers():
    """S-39"""
    loader = poptorch.DataLoader(poptorch.Options(), Spots(320), batch_size=16, shuffle=True, num_workers=20)
    shapes = [(tuple(x.shape), tuple(y.shape)) for x, y in loader]
    assert shapes == [((16, 1, 28, 28), (16,))] * 20


def test_wrapping_compiles_nothing_and_training_learns(trained, capfd):
    """S-40, S-41"""
    assert not trained["compiled_early"]
    assert trained["shapes"] == {((16, 1, 28, 28), (16,), (16, 10), ())}
    assert len(trained["losses"]) == 120 and np.mean(trained["losses"][-20:]) < 0.5 * np.mean(trained["losses"][:20])


def test_shows_a_bar_while_it_compiles(capfd):
    """S-41"""
    poptorch.inferenceModel(small())(torch.zeros(1, 1, 28, 28))
    assert re.search(r"Graph compilation: 100%\|.*\| 100/100 \[\d\d:\d\d<\d\d:\d\d", capfd.readouterr().err)


def test_detaches_and_attaches_again(trained):
    """S-42"""
    assert not trained["training"].isAttachedToDevice()
    trained["training"](*next(iter(trained["loader"])))
    assert trained["training"].isAttachedToDevice()


def test_saves_weights_that_plain_torch_loads(trained):
    """S-43"""
    torch.save(trained["model"].state_dict(), "classifier.pth")
    script = ("import torch; s = torch.load('classifier.pth'); print(type(s['fc1.weight']).__name__, s['fc1.weight'].abs().sum().item())")
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
    assert found.returncode == 0, found.stderr
    assert float(found.stdout.split()[1]) == pytest.approx(trained["model"].fc1.weight.abs().sum().item(), rel=1e-5)


def test_evaluates_the_trained_model(trained):
    """S-44, S-45, S-46"""
    model = trained["model"].eval()
    inference = poptorch.inferenceModel(model, options=trained["opts"])
    loader = poptorch.DataLoader(trained["opts"], Spots(320, seed=1), batch_size=32, num_workers=2)
    predictions, labels = [], []
    for data, label in loader:
        predictions += inference(data).data.max(dim=1).indices
        labels += label
    inference.detachFromDevice()
    assert len(predictions) == len(labels) == 320 and predictions[0].dim() == 0
    text = f"Eval accuracy: {100 * np.mean([int(p) == int(l) for p, l in zip(predictions, labels)]):.2f}%"
    assert float(text.split()[-1][:-1]) > 85


def test_the_mnist_script_of_the_lecture():
    """S-47, S-48, S-49"""
    opts = poptorch.Options().deviceIterations(50)
    loader = poptorch.DataLoader(opts, Spots(800), batch_size=8, shuffle=True, drop_last=True)
    test_loader = poptorch.DataLoader(opts, Spots(400, seed=1), batch_size=8)
    model = small()
    training_model = poptorch.trainingModel(WithLoss(model), opts, torch.optim.SGD(model.parameters(), lr=0.05))
    for _ in range(2):
        for data, labels in loader:
            preds, losses = training_model(data, labels)
    assert data.shape == (400, 1, 28, 28) and preds.shape == (8, 10) and losses.shape == ()
    training_model.detachFromDevice()
    inference_model = poptorch.inferenceModel(model)
    right = rows = 0
    with torch.no_grad():
        for data, labels in test_loader:
            output = inference_model(data)
            assert output.shape == (400, 10)
            right, rows = right + (output.argmax(1) == labels).sum().item(), rows + len(labels)
    text = "Accuracy on test set: {:.2f}%".format(right / rows)
    assert re.fullmatch(r"Accuracy on test set: [01]\.\d\d%", text) and right / rows > 0.9


def test_reads_and_sets_options():
    """S-50"""
    opts = poptorch.Options()
    assert opts.device_iterations == 1 and opts.replication_factor == 1
    assert poptorch.Options().deviceIterations(4).replicationFactor(2).device_iterations == 4


def test_replicas_train_as_the_larger_batch():
    """S-51"""
    def train(opts, rows):
        torch.manual_seed(3)
        model = small()
        training = poptorch.trainingModel(WithLoss(model), opts, torch.optim.SGD(model.parameters(), lr=0.05))
        for data, labels in poptorch.DataLoader(opts, Spots(160), batch_size=rows):
            training(data, labels)
        assert training._device.numIpus == opts.replication_factor
        return model[1].weight.detach().clone()

    torch.testing.assert_close(train(poptorch.Options().replicationFactor(2), 8), train(poptorch.Options(), 16), rtol=1e-4,
                               atol=1e-6)


def test_an_unsupported_operator_is_named():
    """S-52"""
    class Odd(nn.Module):
        def forward(self, x):
            return torch.linalg.eigvalsh(x)

    with pytest.raises(poptorch.Error, match="Unsupported ops found in compiled model.*eig"):
        poptorch.inferenceModel(Odd())(torch.eye(3))


def test_spreads_a_model_over_several_ipus():
    """S-53"""
    model = small()
    expected = model(torch.ones(4, 1, 28, 28))
    model[1] = poptorch.BeginBlock(model[1], ipu_id=0)
    model[3] = poptorch.BeginBlock(model[3], ipu_id=1)
    inference = poptorch.inferenceModel(model, poptorch.Options().deviceIterations(4))
    torch.testing.assert_close(inference(torch.ones(4, 1, 28, 28)), expected)
    assert inference._device.numIpus == 2


@pytest.mark.parametrize("folder", [None, "./tommyFlowers"])
def test_writes_reports(folder, monkeypatch):
    """S-54, S-58"""
    options = {"autoReport.all": "true", **({"autoReport.directory": folder} if folder else {})}
    monkeypatch.setenv("POPLAR_ENGINE_OPTIONS", json.dumps(options))
    inference = poptorch.inferenceModel(small())
    inference(torch.zeros(4, 1, 28, 28))
    inference.destroy()
    import pva
    report = pva.openReport(os.path.join(folder or ".", "inference/profile.pop"))
    assert report.compilation.target.numTiles == 1472 and report.compilation.target.bytesPerTile == 624 * 1024
    assert len(list(report.compilation.tiles)) == 1472 and len(report.execution.steps) > 0


def test_precompiles_and_runs_elsewhere():
    """S-55"""
    model, rows = small(), torch.ones(2, 1, 28, 28)
    offline = poptorch.inferenceModel(model, poptorch.Options().useOfflineIpuTarget())
    offline.compileAndExport("model.poptorch", rows)
    os.makedirs("elsewhere")
    os.rename("model.poptorch", "elsewhere/model.poptorch")
    loaded = poptorch.load("elsewhere/model.poptorch")
    torch.testing.assert_close(loaded(rows), model(rows))


def cached(how, folder):
    """A process that runs a model with a cache; its files."""
    script = f"""
import poptorch, torch
{how}
model = torch.nn.Linear(8, 8)
print(poptorch.inferenceModel(model, opts)(torch.ones(1, 8)).shape)
"""
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return {f: os.stat(os.path.join(folder, f)).st_ino for f in os.listdir(folder) if f.endswith(".popef")}


@pytest.mark.parametrize("way", ["option", "variable"])
def test_the_second_start_compiles_nothing(way, monkeypatch, tmp_path):
    """S-56, S-61, S-62"""
    folder = str(tmp_path / "cache")
    how = f"opts = poptorch.Options(); opts.enableExecutableCaching({folder!r})" if way == "option" else "opts = poptorch.Options()"
    if way == "variable":
        monkeypatch.setenv("POPTORCH_CACHE_DIR", folder)
    first = cached(how, folder)
    assert len(first) == 1 and cached(how, folder) == first


def test_runs_on_synthetic_data():
    """S-57"""
    opts = poptorch.Options()
    opts.enableSyntheticData(True)
    inference = poptorch.inferenceModel(small(), opts)
    assert inference(torch.full((4, 1, 28, 28), float("nan"))).shape == (4, 10)


def test_the_cpu_and_ipu_variants_of_the_script_agree():
    """S-105"""
    def cpu():
        torch.manual_seed(1)
        model = small()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for data, labels in torch.utils.data.DataLoader(Spots(160), batch_size=16):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(data), labels).backward()
            optimizer.step()
        return model

    def ipu():
        torch.manual_seed(1)
        model = small()
        opts = poptorch.Options()
        training = poptorch.trainingModel(WithLoss(model), opts, torch.optim.SGD(model.parameters(), lr=0.05))
        for data, labels in poptorch.DataLoader(opts, Spots(160), batch_size=16):
            training(data, labels)
        training.detachFromDevice()
        return model

    for a, b in zip(ipu().parameters(), cpu().parameters()):
        torch.testing.assert_close(a.detach(), b.detach(), rtol=1e-3, atol=1e-5)
