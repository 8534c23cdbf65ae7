# SPDX-License-Identifier: MIT
"""Which models there are, and their configurations: a folder each, with model.py and YAML files beside it."""
import difflib
import importlib.util
import os

import yaml

GARDEN = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# What a configuration may say, and what holds if it says nothing. `model` and `data` are arguments of functions in model.py.
DEFAULTS = {
    "system": {"chip": "GC200", "replicas": 1, "ipus": 1},
    "model": {},
    "data": {},
    "training": {"micro_batch": 1, "accumulate": 1, "half": False, "epochs": 1, "optimizer": "SGD", "lr": 0.01, "momentum": 0.0,
                 "weight_decay": 0.0, "loss_scaling": 1.0, "state": "float", "offload": False,
                 "recompute": False, "memory_proportion": None, "read_ahead": False, "seed": 0},
    "goal": {"loss": None, "quality": None},
    "published": {"value": None, "row": None, "system": None, "source": None, "recipe": None},
}
CHIPS = {"GC200": 2, "Bow": 21}  # the version of the IPU, as useOfflineIpuTarget counts
OPTIMIZERS = ("SGD", "AdamW")
STATES = ("float", "half", "combined")  # of the optimiser; combined: SGD's sum of gradients and momentum, one tensor of halves


class Recipe:
    """One configuration of one model. Its sections are dictionaries: recipe.training["lr"]."""

    def __init__(self, name, config, module, sections):
        self.name, self.config, self.module = name, config, module
        self.system, self.model, self.data = (sections[s] for s in ("system", "model", "data"))
        self.training, self.goal, self.published = (sections[s] for s in ("training", "goal", "published"))

    @property
    def rows(self):
        """Of a weight update."""
        return self.training["micro_batch"] * self.training["accumulate"] * self.system["replicas"]

    def described(self):
        """System and batch in a few words."""
        replicas, ipus, accumulate = self.system["replicas"], self.system["ipus"], self.training["accumulate"]
        count = replicas * ipus
        parts = [f"{count} {self.system['chip']}"]
        if count > 1 and ipus > 1:
            parts.append(f"{replicas} x {ipus} stages" if replicas > 1 else f"{ipus} stages")
        parts.append(f"micro-batch {self.training['micro_batch']}" + (f" x {accumulate}" if accumulate > 1 else ""))
        parts.append("half" if self.training["half"] else "float")
        return ", ".join(parts)


def near(word, known):
    """` Did you mean ...?`, or nothing."""
    found = difflib.get_close_matches(word.lower(), known, 3, 0.5) or [k for k in known if word and word.lower() in k]
    return f" Did you mean {' or '.join(found)}?" if found else ""


def models():
    return sorted(n for n in os.listdir(GARDEN) if os.path.exists(os.path.join(GARDEN, n, "model.py")))


def configurations(name):
    return sorted(f[:-5] for f in os.listdir(os.path.join(GARDEN, name)) if f.endswith(".yaml"))


def _sections(read, file):
    """What the file says, over the defaults; everything it says is known."""
    if not isinstance(read, dict):
        raise SystemExit(f"{file}: wants sections: {', '.join(DEFAULTS)}.")
    sections = {name: dict(values) for name, values in DEFAULTS.items()}
    for name, values in read.items():
        if name not in sections:
            raise SystemExit(f"{file}: there is no section {name}.{near(str(name), list(DEFAULTS))}")
        for key, value in (values or {}).items():
            if DEFAULTS[name] and key not in DEFAULTS[name]:
                raise SystemExit(f"{file}: {name} has no {key}.{near(str(key), list(DEFAULTS[name]))}")
            sections[name][key] = value
    for section, key, known in (("system", "chip", CHIPS), ("training", "optimizer", OPTIMIZERS),
                                ("training", "state", STATES)):
        if sections[section][key] not in known:
            raise SystemExit(f"{file}: {key} is {' or '.join(known)}, not {sections[section][key]!r}.")
    for section, key in (("system", "replicas"), ("system", "ipus"), ("training", "micro_batch"), ("training", "accumulate"),
                         ("training", "epochs")):
        if not isinstance(sections[section][key], int) or sections[section][key] < 1:
            raise SystemExit(f"{file}: {key} is a number from 1 on, not {sections[section][key]!r}.")
    return sections


def find(name, config):
    """The file, or an error that names what is near."""
    if name not in models():
        raise SystemExit(f"There is no model {name}.{near(name, models())} `run.py list` shows all.")
    if config not in configurations(name):
        known = configurations(name)
        raise SystemExit(f"{name} has no configuration {config}.{near(config, known)} It has {' and '.join(known)}.")
    return os.path.join(GARDEN, name, config + ".yaml")


def load(name, config):
    """The recipe of a configuration."""
    file = find(name, config)
    with open(file, encoding="utf-8") as text:
        try:
            sections = _sections(yaml.safe_load(text), file)
        except yaml.YAMLError as error:
            raise SystemExit(f"{file}: {error}") from None
    spec = importlib.util.spec_from_file_location("garden_" + name.replace("-", "_"), os.path.join(GARDEN, name, "model.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return Recipe(name, config, module, sections)
