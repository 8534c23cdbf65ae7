# SPDX-License-Identifier: MIT
"""Where tensors live: the dicts of location_activation, location_weight, location_optimizer, location_accumulator."""
import popart

_GROUPS = {"sharding_domain_with_all": "All", "sharding_domain_with_consecutive": "Consecutive",
           "sharding_domain_with_orthogonal": "Orthogonal"}


def set_location(settings, option, value):
    if not isinstance(value, dict):
        raise TypeError(f"The option {option} must be a dict such as {{'on_chip': 1}}, not {value!r}.")
    where, tiles = settings.location, popart.TileSet
    for key, given in value.items():
        if key == "on_chip":
            where.storage = popart.TensorStorage.OnChip if given else popart.TensorStorage.OffChip
        elif key == "use_replicated_tensor_sharding":
            sharding = popart.ReplicatedTensorSharding
            where.replicatedTensorSharding = sharding.On if given else sharding.Off
        elif key == "use_io_tiles_to_load":
            where.loadTileSet = tiles.IO if given else tiles.Compute
        elif key == "use_io_tiles_to_store":
            where.storageTileSet = tiles.IO if given else tiles.Compute
        elif key == "min_elements_for_off_chip":
            settings.minElementsForOffChip = int(given)
        elif key == "min_elements_for_replicated_tensor_sharding":
            settings.minElementsForReplicatedTensorSharding = int(given)
        elif key in _GROUPS:
            kind = getattr(popart.CommGroupType, _GROUPS[key])
            where.shardingDomain = popart.CommGroup(kind, int(given))
        else:
            raise ValueError(f"The option {option} has no key {key!r}.")
