# SPDX-License-Identifier: MIT
"""commands.py ROOT: what the garden's command line prints, writes and refuses; every model has its page."""
import os
import re
import subprocess
import sys

root = sys.argv[1]
sys.path.insert(0, root)
from garden.common import catalogue


def said(*arguments, code=0):
    done = subprocess.run([sys.executable, os.path.join(root, "garden", "run.py"), *arguments], capture_output=True, text=True)
    assert done.returncode == code, f"{arguments} ends with {done.returncode}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def expect(pattern, *arguments, code=0):
    text = said(*arguments, code=code)
    assert re.search(pattern, text), f"{arguments} says:\n{text}\nand not: {pattern}"
    assert "Traceback" not in text, text


listed = said("list")
for name in catalogue.models():
    assert re.search(rf"^{name} +small ", listed, re.M), listed
    page = open(os.path.join(root, "garden", name, "README.md"), encoding="utf-8").read()
    for config in catalogue.configurations(name):
        assert catalogue.load(name, config).model, f"{name}, {config} describes no network"
    for needed in ("Paper", "--train", "--data"):
        assert needed in page, f"garden/{name}/README.md has no {needed}"

expect("There is no model resnet.*Did you mean resnet50", "resnet", "--estimate", code=1)
expect("no configuration smal.*Did you mean small", "vae", "--config", "smal", "--train", code=1)
expect("say what to do", "vae", code=2)
expect("--save goes with --train", "vae", "--infer", "--save", "x.pt", code=2)
expect("There is no folder nowhere", "vae", "--train", "--data", "nowhere", code=1)
expect("There is no file nothing.pt", "vae", "--infer", "--load", "nothing.pt", code=1)
os.makedirs("empty", exist_ok=True)
expect("There is no train-images", "vae", "--train", "--data", "empty", code=1)
expect("There is no data set in empty", "gin", "--train", "--data", "empty", code=1)

expect(r"loss [\d.]+ -> [\d.]+ in 192 updates.*\n.*accuracy", "gin", "--train", "--infer", "--save", "gin.pt")
expect(r"accuracy (1\.0|0\.9)", "gin", "--infer", "--load", "gin.pt")
expect("checkpoint of gin, small, not of vae, small", "vae", "--infer", "--load", "gin.pt", code=1)
expect(r"0.82 million parameters(.|\n)*images/s(.|\n)*fits(.|\n)*none known", "vae", "--config", "published", "--estimate")
expect("in plain torch here", "gin", "--train", "--plain")
expect("images/s modelled", "vae", "--infer", "--report", "reports")
assert any("profile.pop" in files for _, _, files in os.walk("reports")), "no report was written"
