# SPDX-License-Identifier: MIT
"""The numbers of an optimizer as PopART's programs have them: names and values of ipu_param in state_dict().

Only those that can change are on the device by themselves; constants are part of the program.
"""
_ADAM = {"lr": "learningRate", "weight_decay": "weightDecay", "eps": "adamEps", "max_weight_norm": "maxWeightNorm"}
_ADAPTIVE = {"lr": "learningRate", "weight_decay": "weightDecay", "alpha": "adaptiveAlpha", "eps": "adaptiveEps",
             "momentum": "adaptiveMomentum"}


def scalars(values, scale, combined):
    """{name: number} of one weight. values: (number, whether it is constant) by torch's names; scale: of the loss, alike;
    combined: SGD whose gradients are accumulated in the velocity."""
    if "dampening" in values:
        return _sgd(values, scale, combined)
    names = _ADAPTIVE if "alpha" in values else _ADAM
    out = {names[name]: value for name, (value, constant) in values.items() if name in names and not constant}
    betas, constant = values.get("betas", ((), True))
    if not constant:
        out.update(adamBeta1=betas[0], adamBeta2=betas[1])
    return out


def _sgd(values, scale, combined):
    number = {name: value for name, (value, _) in values.items()}
    number["loss"] = scale[0]
    changes = {name for name, (_, constant) in values.items() if not constant} | (set() if scale[1] else {"loss"})
    lr, kept, velocity = number["lr"], 1 - number["dampening"], number["velocity_scaling"]
    decay, momentum, loss = number["weight_decay"], number["momentum"], number["loss"]
    if not momentum and "momentum" not in changes:
        made = {"scaledLearningRate0": (lr * kept / loss, {"lr", "dampening", "loss"}),
                "weightDecayScaleFactor0": (1 - lr * kept * decay, {"lr", "dampening", "weight_decay"})}
    else:
        n = 1 if combined else 2
        made = {"scaledWeightDecay1": (kept * decay * velocity, {"dampening", "weight_decay", "velocity_scaling"}),
                f"dampeningScaleFactor{n}": (kept * velocity / loss, {"dampening", "velocity_scaling", "loss"}),
                f"scaledLearningRate{n}": (lr / velocity, {"lr", "velocity_scaling"}),
                f"scaledMomentum{n}": (momentum, {"momentum"})}
    return {name: value for name, (value, of) in made.items() if of & changes}
