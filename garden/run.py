#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Models that are ready to run, and what they would cost.

    run.py list                                      the models and their configurations
    run.py resnet50 --train --infer                  trains the small one here, in seconds
    run.py resnet50 --config published --estimate    compiles the measured one, and prints what the machine model says
    run.py page [FILE | --check]                     makes docs/model-garden.md, or says whether it is as made
"""
import argparse
import difflib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
PAGE = os.path.join(os.path.dirname(HERE), "docs", "model-garden.md")


def rate_of(value, unit):
    return f"{value:,.0f} {unit}/s" if value >= 100 else f"{value:.3g} {unit}/s"


def print_list(catalogue):
    print(f"{'model':<18} {'configuration':<14} {'system':<46} published")
    for name in catalogue.models():
        for config in catalogue.configurations(name):
            recipe = catalogue.load(name, config)
            value = recipe.published["value"]
            print(f"{name:<18} {config:<14} {recipe.described():<46} "
                  f"{rate_of(value, recipe.module.UNIT) if value else '-'}")


def estimate(recipe, loop, report):
    made = loop.Estimate(recipe, report)
    step, unit, published = made.step, recipe.module.UNIT, recipe.published
    total = sum(step.cycles_by_kind.values())
    kinds = ", ".join(f"{kind} {count / total:.0%}" for kind, count in step.cycles_by_kind.items() if count >= total / 200)
    print(f"{recipe.module.TITLE}, {recipe.config}: {made.parameters / 1e6:,.2f} million parameters; {recipe.described()}")
    print(f"  modelled throughput  {rate_of(made.rate, unit)} in training, {step.cycles:,} cycles for {recipe.rows:,} {unit}")
    print(f"  of a step            {kinds}")
    print(f"  fullest tile         {step.fullest_tile / 1024:,.0f} of {step.bytes_per_tile / 1024:,.0f} KiB: "
          f"{'it fits' if made.fits else 'it does not fit'}")
    print(f"  input from the host  {made.input_bytes / 1e9:.3g} GB/s")
    print(f"  compile time         {made.seconds_to_compile:.1f} s here")
    if published["value"] is None:
        print("  published            none known")
        return
    print(f"  published            {rate_of(published['value'], unit)} on {published['system']} ({published['row']}: "
          f"{published['source']}); the modelled throughput is {made.rate / published['value']:.2f} of it")
    print(f"  recipe               {published['recipe']}")


def train(recipe, loop, args, model):
    unit, how = recipe.module.UNIT, f"{recipe.module.TITLE}, {recipe.config}"
    if args.plain:
        losses, rate = loop.train_plain(recipe, model, args.data)
        modelled = ""
    else:
        losses, rate, step = loop.train(recipe, model, args.data, args.report)
        modelled = f"{rate_of(recipe.rows / step.seconds, unit)} modelled on IPUs"
    here = f"{rate_of(rate, unit)} {'in plain torch here' if args.plain else 'here'}" if rate else ""
    rates = ", ".join(filter(None, (here, modelled)))
    print(f"{how}: loss {losses[0]:.4f} -> {losses[-1]:.4f} in {len(losses)} updates; {rates}")
    return losses


def missed(recipe, losses, found):
    """The goals of the configuration that were not met, each in a sentence. Drawn data only: others have others."""
    goal, last = recipe.goal, losses[-5:]
    if goal["loss"] is not None and sum(last) / len(last) > goal["loss"]:
        yield f"the mean loss of the last {len(last)} updates is {sum(last) / len(last):.4f}, above {goal['loss']}"
    if goal["quality"] is not None and found is not None and found < goal["quality"]:
        yield f"the {recipe.module.QUALITY} is {found:.4f}, below {goal['quality']}"


def run_model(args, parser):
    from garden.common import catalogue
    catalogue.find(args.model, args.config)  # before torch is imported, which takes seconds
    if not (args.estimate or args.train or args.infer):
        parser.error("say what to do: --estimate, --train or --infer")
    for name, needs in (("plain", args.train and not args.infer), ("save", args.train)):
        if getattr(args, name) and not needs:
            parser.error(f"--{name} goes with --train{' alone' if name == 'plain' else ''}")
    if args.data is not None and not os.path.isdir(args.data):
        raise SystemExit(f"There is no folder {args.data}.")
    recipe = catalogue.load(args.model, args.config)
    import poptorch
    from garden.common import loop
    try:
        if args.estimate:
            estimate(recipe, loop, args.report)
        if not (args.train or args.infer):
            return
        model, losses, found = loop.network(recipe), [], None
        if args.load:
            loop.restore(recipe, model, args.load)
        if args.train:
            losses = train(recipe, loop, args, model)
        if args.infer:
            found, rate, step = loop.infer(recipe, model, args.data, args.report)
            unit = recipe.module.UNIT
            here = f"{rate_of(rate, unit)} here, " if rate else ""
            modelled = rate_of(recipe.training["micro_batch"] * step.micro_batches / step.seconds, unit)
            print(f"{recipe.module.TITLE}, {recipe.config}: {recipe.module.QUALITY} {found:.4f}; "
                  f"{here}{modelled} modelled on IPUs")
        if args.save:
            loop.save(recipe, model, args.save)
    except poptorch.Error as error:
        raise SystemExit(f"{args.model}, {args.config}: {error}") from None
    if losses and args.data is None:
        wrong = list(missed(recipe, losses, found))
        if wrong:
            raise SystemExit(f"{args.model}, {args.config}: it learned too little: {' and '.join(wrong)}.")


def make_page(args):
    from garden.common import catalogue, page
    text = page.made(catalogue)
    file = args.file or PAGE
    if not args.check:
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return
    with open(file, encoding="utf-8") as read:
        there = read.read()
    if there != text:
        sys.stdout.writelines(difflib.unified_diff(there.splitlines(True), text.splitlines(True), file, "made"))
        raise SystemExit(f"{file} is not what `garden/run.py page` makes.")


def main():
    if sys.argv[1:2] == ["list"]:
        argparse.ArgumentParser(prog="run.py list", description="Shows the models.").parse_args(sys.argv[2:])
        from garden.common import catalogue
        return print_list(catalogue)
    if sys.argv[1:2] == ["page"]:
        parser = argparse.ArgumentParser(prog="run.py page", description="Makes the page of the garden, from estimates.")
        parser.add_argument("file", nargs="?", help="(default: docs/model-garden.md)")
        parser.add_argument("--check", action="store_true", help="write nothing; fail if the file says something else")
        return make_page(parser.parse_args(sys.argv[2:]))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a model of `run.py list`")
    parser.add_argument("--config", default="small", help="small or published (default: small)")
    parser.add_argument("--estimate", action="store_true",
                        help="compile for the named system, run nothing, say what it costs")
    parser.add_argument("--train", action="store_true", help="train on simulated IPUs, and fail if the goal is not reached")
    parser.add_argument("--infer", action="store_true", help="measure the quality on test data, after --train or --load")
    parser.add_argument("--plain", action="store_true", help="train in plain torch instead, to compare")
    parser.add_argument("--data", metavar="FOLDER",
                        help="data of the real format (default: drawn; the model's page names the format)")
    parser.add_argument("--load", metavar="FILE", help="begin with the weights of a checkpoint")
    parser.add_argument("--save", metavar="FILE", help="write a checkpoint after training")
    parser.add_argument("--report", metavar="DIR", help="write PopVision reports there")
    run_model(parser.parse_args(), parser)


if __name__ == "__main__":
    main()
