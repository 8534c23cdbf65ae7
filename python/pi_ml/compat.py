# SPDX-License-Identifier: MIT
"""What is not torch's public interface: all such names of pi_ml stand here, each with the versions that have it. Tried were
1.13 and 2.11."""
from torch.nn.modules.batchnorm import _BatchNorm as BatchNorm  # noqa: F401 (all)
from torch.utils._pytree import tree_flatten, tree_unflatten  # noqa: F401 (all)
