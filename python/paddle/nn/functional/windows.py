# SPDX-License-Identifier: MIT
"""Arguments of convolutions and pools as attributes."""


def repeated(value, n, what):
    values = list(value) if isinstance(value, (list, tuple)) else [value] * n
    if len(values) != n or not all(isinstance(v, int) for v in values):
        raise ValueError(f"{what} must be an integer or {n} of them, not {value!r}.")
    return values


def padding_attributes(padding, n, data_format="NCHW"):
    """(numbers, algorithm) of what Paddle takes for a padding."""
    if isinstance(padding, str):
        if padding.upper() not in ("SAME", "VALID"):
            raise ValueError(f"Unknown padding: {padding!r}. It can only be 'SAME' or 'VALID', or numbers.")
        return [0] * n, padding.upper()
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        pairs = [list(p) for p in padding]
        if len(pairs) == n + 2:  # with batch and channel
            last = data_format.endswith("C")
            ends, pairs = ([pairs[0], pairs[-1]], pairs[1:-1]) if last else (pairs[:2], pairs[2:])
            if any(p != [0, 0] for p in ends):
                raise ValueError(f"Non-zero padding({padding}) in the batch or channel dimensions is not supported.")
        return [v for p in pairs for v in p], "EXPLICIT"
    if isinstance(padding, (list, tuple)) and len(padding) == 2 * n:
        return list(padding), "EXPLICIT"
    return repeated(padding, n, "padding"), "EXPLICIT"
