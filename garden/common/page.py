# SPDX-License-Identifier: MIT
"""The page of the garden: what each model is, and what the machine model says of its published configuration."""
HEAD = """# The model garden

Models that are ready to run, each in a folder of [garden](../garden/README.md) with a page of its own.
`small` trains here in seconds, to a stated goal, and equals plain torch. `published` is the network
as it was published, with the recipe of the vendor's figure where one is known.

```sh
/usr/bin/python3 garden/run.py list
/usr/bin/python3 garden/run.py resnet50 --train --infer
/usr/bin/python3 garden/run.py resnet50 --config published --estimate
```

## Published configurations, modelled

One training step is compiled for the system. Nothing runs.

- The **tile** is what the fullest one needs, of the memory that it has. Above 1.00 it does not fit.
- The **modelled** throughput is that of training.
- **Published** is the vendor's figure of training. **Ratio** is the modelled one of that.

| model | million parameters | IPUs and recipe | tile | modelled | published | ratio |
| --- | ---: | --- | ---: | ---: | ---: | ---: |
"""

MIDDLE = """
{notes}

## Small configurations

The goal is the mean loss of the last five updates, and the quality on drawn test data. The tests
`garden.MODEL` train each of these, on IPUs and in plain torch, and compare the two.

| model | recipe | loss | quality |
| --- | --- | ---: | --- |
"""

TAIL = """
`garden/run.py page` makes this page. The test `garden.page` says whether it is as made.
"""


def made(catalogue):
    from . import loop
    rows, notes, small = [], [], []
    for name in catalogue.models():
        link = f"[{catalogue.load(name, 'small').module.TITLE}](../garden/{name}/README.md)"
        recipe = catalogue.load(name, "small")
        goal = recipe.goal
        small.append(f"| {link} | {recipe.described()}, {recipe.training['epochs']} epochs | {goal['loss']} | "
                     f"{goal['quality']} {recipe.module.QUALITY} |")
        if "published" not in catalogue.configurations(name):
            continue
        recipe = catalogue.load(name, "published")
        made, said, unit = loop.Estimate(recipe), recipe.published, recipe.module.UNIT
        figure, ratio = "none known", ""
        if said["value"] is not None:
            figure, ratio = f"{said['value']:,} ({said['row']})", f"{made.rate / said['value']:.2f}"
            notes.append(f"- {said['row']}: {recipe.module.TITLE} on {said['system']}. {said['source']}.\n"
                         f"  Recipe: {said['recipe']}.")
        if not made.fits:
            notes.append(f"- {recipe.module.TITLE} does not fit: [its page](../garden/{name}/README.md) says why.")
        rows.append(f"| {link} | {made.parameters / 1e6:.2f} | {recipe.described()} | "
                    f"{made.step.fullest_tile / made.step.bytes_per_tile:.2f} | {made.rate:,.0f} {unit}/s | "
                    f"{figure} | {ratio} |")
    return (HEAD + "\n".join(rows) + "\n" + MIDDLE.format(notes="\n".join(notes)) + "\n".join(small) + "\n" + TAIL)
