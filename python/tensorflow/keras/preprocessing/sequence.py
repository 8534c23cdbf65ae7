# SPDX-License-Identifier: MIT
"""Lists of different lengths as one array."""
import numpy as np

from tensorflow import _names


def pad_sequences(sequences, maxlen=None, dtype="int32", padding="pre", truncating="pre", value=0.0):
    """[samples, maxlen, ...]. padding, truncating: "pre" fills or cuts at the beginning, "post" at the end."""
    for name, given in (("padding", padding), ("truncating", truncating)):
        if given not in ("pre", "post"):
            raise ValueError(f"{name} must be 'pre' or 'post', not {given!r}.")
    if not hasattr(sequences, "__len__") or any(not hasattr(s, "__len__") for s in sequences):
        raise ValueError("`sequences` must be a list of sequences.")
    maxlen = max((len(s) for s in sequences), default=0) if maxlen is None else int(maxlen)
    rest = next((np.shape(s)[1:] for s in sequences if len(s)), ())
    out = np.full((len(sequences), maxlen, *rest), value, dtype)
    for row, sequence in zip(out, sequences):
        kept = np.asarray(sequence, dtype)
        kept = kept[max(0, len(kept) - maxlen):] if truncating == "pre" else kept[:maxlen]
        if len(kept):
            if padding == "post":
                row[:len(kept)] = kept
            else:
                row[maxlen - len(kept):] = kept
    return out


_names.explain_missing(globals())
