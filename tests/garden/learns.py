# SPDX-License-Identifier: MIT
"""learns.py ROOT MODEL: the small configuration reaches its goal on simulated IPUs, and equals plain torch.

From the same seed and in the same order, the first updates have the same losses within rounding. Rounding grows while a model
trains, so later only what it can do is compared."""
import sys

root, name = sys.argv[1:]
sys.path.insert(0, root)
from garden import run
from garden.common import catalogue, loop

SAME, ROUNDING, ABILITY = 10, 2e-4, 0.05

recipe = catalogue.load(name, "small")
here, plain = loop.network(recipe), loop.network(recipe)
losses, _, _ = loop.train(recipe, here)
wanted, _ = loop.train_plain(recipe, plain)
assert len(losses) == len(wanted) >= 2 * SAME, f"{len(losses)} updates, and {len(wanted)} in plain torch"
for i, (a, b) in enumerate(zip(losses[:SAME], wanted)):
    assert abs(a - b) <= ROUNDING * abs(b), f"update {i + 1}: the loss is {a}, and {b} in plain torch"
assert losses[0] != losses[SAME - 1], "the loss does not move"
found, able = (loop.infer(recipe, model)[0] for model in (here, plain))
assert abs(found - able) <= ABILITY, f"{recipe.module.QUALITY} is {found}, and {able} of weights that plain torch trained"
wrong = list(run.missed(recipe, losses, found))
assert not wrong, " and ".join(wrong)
assert list(run.missed(recipe, losses[:1], 0.0)), "the goal is reached before training"
print(f"{name}: loss {losses[0]:.4f} -> {losses[-1]:.4f}, {recipe.module.QUALITY} {found:.4f}; "
      f"plain torch {wanted[-1]:.4f}, {able:.4f}")
