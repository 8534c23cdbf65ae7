# SPDX-License-Identifier: MIT
"""TensorLocationSettings, Options.TensorLocations and Options._Popart."""
import copy
from typing import Any

from poptorch.options.base import Option, OptionSet, Own, mapping


_NAMES = {"onChip": "on_chip", "useReplicatedTensorSharding": "replicated_tensor_sharding", "useIOTilesToLoad": "io_tiles_load",
          "useIOTilesToStore": "io_tiles_store", "minElementsForOffChip": "min_elements_for_off_chip",
          "minElementsForReplicatedTensorSharding": "min_elements_for_replicated_tensor_sharding"}


class TensorLocationSettings(OptionSet):
    """Where tensors of a kind are kept. What is unset is PopART's choice."""

    declared = {
        "on_chip": Option(None, bool),
        "replicated_tensor_sharding": Option(None, bool),
        "io_tiles_load": Option(None, bool),
        "io_tiles_store": Option(None, bool),
        "min_elements_for_off_chip": Option(None, int),
        "min_elements_for_replicated_tensor_sharding": Option(None, int),
    }

    def __eq__(self, other):
        return isinstance(other, TensorLocationSettings) and self._values == other._values

    def __hash__(self):
        return hash(tuple(self._values.values()))

    def __getitem__(self, name):
        """A setting by the vendor's name, such as "onChip"; KeyError for one that is unset."""
        value = self._values.get(_NAMES.get(name))
        if value is None:
            raise KeyError(name)
        return value

    def minElementsForOffChip(self: Own, min_elements: int) -> Own:
        """Smaller tensors stay on the chip."""
        self.min_elements_for_off_chip = min_elements
        return self

    def minElementsForReplicatedTensorSharding(self: Own, min_elements: int) -> Own:
        """Smaller tensors are whole on every replica."""
        self.min_elements_for_replicated_tensor_sharding = min_elements
        return self

    def useOnChipStorage(self: Own, use: "bool | None" = True) -> Own:
        """On the chip, or off it; None: PopART's choice."""
        self.on_chip = use
        return self

    def useReplicatedTensorSharding(self: Own, use: bool = True) -> Own:
        """Every replica keeps its part."""
        self.replicated_tensor_sharding = use
        return self

    def useIOTilesToLoad(self: Own, use: bool = True) -> Own:
        """They come by way of the I/O tiles."""
        self.io_tiles_load = use
        return self

    def useIOTilesToStore(self: Own, use: bool = True) -> Own:
        """They lie on the I/O tiles."""
        self.io_tiles_store = use
        return self


class TensorLocationOptions(OptionSet):
    """Where activations, weights, optimiser state and accumulators are."""

    declared = {name: Option(None, TensorLocationSettings) for name in (
        "location_activation", "location_weight", "location_optimizer", "location_accumulator")}
    declared["num_io_tiles"] = Option(None, int)

    def numIOTiles(self: Own, num_tiles: int) -> Own:
        """This many tiles of every IPU only move data."""
        num_tiles = Option(0).checked("numIOTiles", num_tiles)
        assert 32 <= num_tiles <= 192 and num_tiles % 2 == 0, (
            f"numIOTiles must be an even number between 32 and 192, not {num_tiles}.")
        self.num_io_tiles = num_tiles
        return self

    def _place(self, name, location):
        if not isinstance(location, TensorLocationSettings):
            raise TypeError(f"A location is a poptorch.TensorLocationSettings, not {type(location).__name__} ({location!r}).")
        setattr(self, name, copy.deepcopy(location))
        return self

    def setActivationLocation(self: Own, location: TensorLocationSettings) -> Own:
        """Where activations are kept for the backward pass."""
        return self._place("location_activation", location)

    def setWeightLocation(self: Own, location: TensorLocationSettings) -> Own:
        """Where weights are."""
        return self._place("location_weight", location)

    def setOptimizerLocation(self: Own, location: TensorLocationSettings) -> Own:
        """Where the optimiser's state is."""
        return self._place("location_optimizer", location)

    def setAccumulatorLocation(self: Own, location: TensorLocationSettings) -> Own:
        """Where gradients are accumulated."""
        return self._place("location_accumulator", location)


class PopartOptions(OptionSet):
    """PopART's session options by their names, for what has no option here."""

    declared = {"options": Option({"instrumentWithHardwareCycleCounter": False, "rearrangeAnchorsOnHost": False}),
               "patterns": Option({}), "patterns_level": Option(2)}

    def set(self: Own, key: str, value: Any) -> Own:
        """Any of PopART's options (docs/session-options.md) by its name; `executionPhaseSettings.phases` names one within
        another. Enumerations are ints."""
        self.checkIsFrozen()
        if not isinstance(key, str):
            raise TypeError(f"_Popart.set: the name of an option is a str, not {key!r}.")
        self.options[key] = value
        return self

    def setEngineOptions(self: Own, engine_options: dict) -> Own:
        """Options of Poplar's engine."""
        return self.set("engineOptions", dict(mapping("setEngineOptions", engine_options)))

    def setPatterns(self: Own, patterns: dict, level: int = 2) -> Own:
        """Which patterns of PopART are on, besides those of a level: 0 none, 1 minimal, 2 default, 3 all."""
        level = Option(2).checked("setPatterns: level", level)
        if not 0 <= level <= 3:
            raise ValueError(f"setPatterns: the level is 0 to 3, not {level}.")
        self.patterns = {str(name): bool(on) for name, on in mapping("setPatterns", patterns).items()}
        self.patterns_level = level
        return self

    def toDict(self, merged: bool = True) -> dict:
        return {"popart_options": dict(self._values["options"]), "patterns": dict(self.patterns),
                "patterns_level": self.patterns_level} if merged else super().toDict(False)
