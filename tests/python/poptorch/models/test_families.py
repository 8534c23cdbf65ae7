# SPDX-License-Identifier: MIT
"""Small models of the families that people use today: what they give, and their weights after a step of training, against
torch. torch 1.13 runs them all; test_packages.py has those of transformers and torch_geometric, where these are."""
import copy

import pytest
import torch

import language
import pictures
import poptorch

numbers = torch.Generator()


@pytest.fixture(autouse=True)
def same_numbers():
    torch.manual_seed(3)
    numbers.manual_seed(3)


def tokens(*shape):
    return torch.randint(1, 31, shape, generator=numbers)


def rand(*shape):
    return torch.rand(shape, generator=numbers) * 2 - 1


def edges(nodes, n):
    return torch.randint(0, nodes, (2, n), generator=numbers)


FAMILIES = {
    "gpt2": (language.GPT2, lambda: [tokens(2, 9)]),
    "llama": (language.Llama, lambda: [tokens(2, 9)]),
    "llama with a window": (lambda: language.Llama(window=3), lambda: [tokens(2, 9)]),
    "llama with groups": (lambda: language.Llama(grouped=True), lambda: [tokens(2, 9)]),
    "t5": (language.T5, lambda: [tokens(2, 9), tokens(2, 5)]),
    "mamba": (language.Mamba, lambda: [tokens(2, 6)]),
    "mixtral": (language.Mixtral, lambda: [tokens(2, 7)]),
    "bert": (language.Bert, lambda: [tokens(2, 8), torch.tensor([[1] * 8, [1] * 5 + [0] * 3])]),
    "deberta": (language.Deberta, lambda: [tokens(2, 8)]),
    "whisper": (language.Decoder, lambda: [rand(2, 6, 16), tokens(2, 5)]),
    "vit": (pictures.ViT, lambda: [rand(2, 3, 12, 12)]),
    "swin": (pictures.Swin, lambda: [rand(2, 3, 8, 8)]),
    "convnext": (pictures.ConvNeXt, lambda: [rand(2, 3, 16, 16)]),
    "wav2vec2": (pictures.Wav2Vec2, lambda: [rand(2, 80)]),
    "clip": (pictures.Clip, lambda: [rand(2, 3, 12, 12), tokens(2, 6)]),
    "gcn": (pictures.GCN, lambda: [rand(7, 5), edges(7, 16)]),
    "sage": (pictures.SAGE, lambda: [rand(7, 5), edges(7, 16)]),
    "gat": (pictures.GAT, lambda: [rand(7, 5), edges(7, 16)]),
    "gin": (pictures.GIN, lambda: [rand(7, 5), edges(7, 16), torch.tensor([0, 0, 0, 1, 1, 1, 1])]),
}


class Trained(torch.nn.Module):
    """The mean square distance of what a model gives to fixed numbers."""

    def __init__(self, model, wanted):
        super().__init__()
        self.model, self.wanted = model, wanted

    def forward(self, *inputs):
        loss = (self.model(*inputs) - self.wanted).pow(2).mean()
        return poptorch.identity_loss(loss, "none")


def close(found, wanted, bound, what):
    torch.testing.assert_close(found.double(), wanted.double(), rtol=bound, atol=bound, msg=lambda text: f"{what}: {text}")


@pytest.mark.parametrize("name", FAMILIES)
def test_forward(name):
    make, inputs = FAMILIES[name]
    model, given = make().eval(), inputs()
    with torch.no_grad():
        wanted = model(*given)
    close(poptorch.inferenceModel(model)(*given), wanted, 1e-4, name)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_step_of_training(name):
    make, inputs = FAMILIES[name]
    model, other, third, given = make().train(), make().train(), make().train(), inputs()
    with torch.no_grad():
        wanted = rand(*third(*given).shape)
    other.load_state_dict(model.state_dict())
    ours, theirs = Trained(other, wanted), Trained(model, wanted)
    optimizer = torch.optim.SGD(theirs.parameters(), lr=0.1)
    theirs(*given).backward()
    optimizer.step()
    training = poptorch.trainingModel(ours, optimizer=torch.optim.SGD(ours.parameters(), lr=0.1))
    training(*given)
    training.copyWeightsToHost()
    found = ours.state_dict()
    for key, value in theirs.state_dict().items():
        close(found[key], value, 1e-3, f"{name}: {key}")


def test_generation_with_a_cache():
    """Each step writes its keys and values into buffers, which stay on the device."""
    model = language.Cached().eval()
    device, token, other = poptorch.inferenceModel(copy.deepcopy(model)), torch.tensor([[5]]), torch.tensor([[5]])
    said, wanted = [], []
    for step in range(8):
        position = torch.tensor([step])
        with torch.no_grad():
            other = model(other, position)
        token = device(token.int(), position).long()
        said.append(int(token))
        wanted.append(int(other))
    assert said == wanted
    close(device.model.keys, model.keys, 1e-4, "keys")
