#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Trains a ResNet of torchvision, then classifies with it: float32 or float16, on one IPU or as a pipeline over several.

The data are a folder with a folder of images per class (--data), or striped images made here.
"""
import argparse

import poptorch
import torch
import torchvision
from common import Rates, check, gratings
from torch import nn
from tqdm import tqdm

# Where the model is cut: each of these layers begins the part of another IPU.
CUTS = {1: [], 2: ["layer3"], 4: ["layer2", "layer3", "layer4"]}


class WithLoss(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        scores = self.model(images)
        return scores, nn.functional.cross_entropy(scores.float(), labels)


def dataset(args):
    if args.data is None:
        return gratings(args.samples, args.classes, args.image_size, seed=1)
    from torchvision import datasets, transforms
    steps = [transforms.RandomResizedCrop(args.image_size), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
             transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))]
    return datasets.ImageFolder(args.data, transforms.Compose(steps))


def build(args, classes):
    torch.manual_seed(0)
    model = getattr(torchvision.models, args.model)(num_classes=classes)
    for ipu, name in enumerate(CUTS[args.ipus], start=1):
        poptorch.BeginBlock(getattr(model, name), ipu_id=ipu)
    return model.half() if args.half else model


def batches(loader, args):
    """As many as asked for, however often that goes through the data."""
    done = 0
    while done < args.steps:
        for images, labels in loader:
            yield images.half() if args.half else images, labels
            done += 1
            if done == args.steps:
                return


def train(model, data, args):
    options = poptorch.Options().deviceIterations(args.device_iterations).randomSeed(0)
    options.Training.gradientAccumulation(args.gradient_accumulation)
    options.outputMode(poptorch.OutputMode.All)
    loader = poptorch.DataLoader(options, data, batch_size=args.batch_size, shuffle=True, num_workers=args.workers)
    optimizer = poptorch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9, weight_decay=1e-4,
                                   loss_scaling=128.0 if args.half else 1.0, use_combined_accum=False)
    training = poptorch.trainingModel(WithLoss(model.train()), options, optimizer)
    rates, losses = Rates(training), []
    bar = tqdm(batches(loader, args), desc="training", total=args.steps)
    for images, labels in bar:
        _, loss = training(images, labels)
        losses.append(float(loss.mean()))
        rates.count(len(images))
        bar.set_postfix(loss=f"{losses[-1]:.4f}")
    training.detachFromDevice()
    print(f"Training: loss {losses[0]:.4f} -> {losses[-1]:.4f}; {rates}")
    return losses


def infer(model, data, args):
    options = poptorch.Options().deviceIterations(max(args.device_iterations, args.ipus))
    loader = poptorch.DataLoader(options, data, batch_size=args.batch_size, num_workers=args.workers)
    inference = poptorch.inferenceModel(model.eval(), options)
    rates, right, seen = Rates(inference), 0, 0
    for images, labels in tqdm(batches(loader, args), desc="inference", total=args.steps):
        right += int((inference(images).argmax(1) == labels).sum())
        seen += len(labels)
        rates.count(len(images))
    inference.detachFromDevice()
    print(f"Inference: {100 * right / seen:.2f}% right; {rates}")
    return right / seen


def main():
    parser = argparse.ArgumentParser(description="ResNets in PopTorch")
    parser.add_argument("--model", default="resnet50", help="a ResNet of torchvision.models (default: resnet50)")
    parser.add_argument("--mode", choices=("train", "infer", "both"), default="both", help="(default: both)")
    parser.add_argument("--half", action="store_true", help="compute in float16")
    parser.add_argument("--ipus", type=int, choices=CUTS, default=1, help="IPUs to spread the model over (default: 1)")
    parser.add_argument("--batch-size", type=int, default=4, help="rows of a micro-batch (default: 4)")
    parser.add_argument("--gradient-accumulation", type=int, help="micro-batches to a weight update "
                        "(default: 4; in a pipeline 2 x IPUs)")
    parser.add_argument("--device-iterations", type=int, default=1, help="weight updates in a call (default: 1)")
    parser.add_argument("--steps", type=int, default=10, help="calls (default: 10)")
    parser.add_argument("--lr", type=float, default=0.01, help="learning rate (default: 0.01)")
    parser.add_argument("--data", metavar="FOLDER", help="a folder of images per class (default: striped images)")
    parser.add_argument("--image-size", type=int, default=224, help="pixels of a side (default: 224)")
    parser.add_argument("--classes", type=int, default=10, help="of images that are made here (default: 10)")
    parser.add_argument("--samples", type=int, default=256, help="images to make (default: 256)")
    parser.add_argument("--workers", type=int, default=0, help="processes that load data (default: 0)")
    parser.add_argument("--check", action="store_true", help="fail if it learns nothing")
    args = parser.parse_args()
    args.gradient_accumulation = args.gradient_accumulation or (2 * args.ipus if args.ipus > 1 else 4)

    data = dataset(args)
    model = build(args, len(data.classes) if args.data else args.classes)
    if args.mode != "infer":
        losses = train(model, data, args)
        last = sum(losses[-3:]) / len(losses[-3:])
        check(args.check, last < 0.8 * losses[0], f"the losses are {losses}")
    if args.mode != "train":
        right = infer(model, data, args)
        check(args.check and args.mode == "both", right > 1.5 / args.classes, f"only {100 * right:.1f}% are right")


if __name__ == "__main__":
    main()
