# SPDX-License-Identifier: MIT
"""Packed sequences and LSTMs with projections, taken apart into what has converters.

The lengths of packed sequences must be known while the model is captured; then so is how many sequences run at each
time. Times at which equally many run are one piece: an ordinary recurrent layer of that batch, on rows that lie one
after the other in the packed data.
"""
import torch

from poptorch.errors import Error

_unknown = ("The lengths of packed sequences must be known while the model is captured: a list, or a tensor that is "
            "neither an input nor computed from one. Otherwise give layers the padded sequence, and mask their results.")


def _known(capture, tensor):
    value = capture.wrap(tensor).value
    if value is None:
        raise Error(_unknown)
    return value.tolist()


def pack(capture, func, args, kwargs):
    """_pack_padded_sequence(input, lengths, batch_first): the rows that belong to sequences, time by time."""
    input, lengths, batch_first = args
    lengths = _known(capture, lengths)
    times, batch = (input.size(1), input.size(0)) if batch_first else input.shape[:2]
    if len(lengths) != batch:
        raise RuntimeError(f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} "
                           f"(batch_size={batch})")
    if any(a < b for a, b in zip(lengths, lengths[1:])) or lengths[-1] <= 0 or lengths[0] > times:
        raise RuntimeError("`lengths` array must be sorted in decreasing order when `enforce_sorted` is True, and each "
                           "must be between 1 and the length of the padded sequence. "
                           "You can pass `enforce_sorted=False` to pack_padded_sequence.")
    sizes = [sum(length > t for length in lengths) for t in range(lengths[0])]
    with capture:
        rows = (input.transpose(0, 1) if batch_first else input).reshape(times * batch, *input.shape[2:])
        at = torch.tensor([t * batch + b for t, size in enumerate(sizes) for b in range(size)])
        data = rows.index_select(0, at)
    return data, torch.tensor(sizes)  # outside of the capture: torch wants them on the CPU


def pad(capture, func, args, kwargs):
    """_pad_packed_sequence(data, batch_sizes, batch_first, padding_value, total_length), and the lengths."""
    data, sizes, batch_first, value, total = args
    sizes = _known(capture, sizes)
    times, batch = max(total, len(sizes)), sizes[0]
    if 0 < total < len(sizes):
        raise RuntimeError(f"Expected total_length to be at least the length of the longest sequence in input, but got "
                           f"total_length={total} and max sequence length being {len(sizes)}")
    first = [sum(sizes[:t]) for t in range(len(sizes))]
    nothing = data.size(0)  # the row behind the last one
    at = [first[t] + b if t < len(sizes) and b < sizes[t] else nothing for t in range(times) for b in range(batch)]
    with capture:
        rows = torch.cat([data, torch.full((1, *data.shape[1:]), value, dtype=data.dtype)])
        padded = rows.index_select(0, torch.tensor(at)).reshape(times, batch, *data.shape[1:])
        padded = padded.transpose(0, 1) if batch_first else padded
    return padded, torch.tensor([sum(size > b for size in sizes) for b in range(batch)])


def _pieces(sizes):
    """(first row, times, batch) of the times at which equally many sequences run."""
    out, row = [], 0
    for size in sizes:
        if out and out[-1][2] == size:
            out[-1][1] += 1
        else:
            out.append([row, 1, size])
        row += size
    return out


def _direction(layer, data, pieces, states, reverse):
    """One direction of one layer: what it gives for the packed rows, and its last states [1, batch, n]."""
    done, ended = [], []  # states of sequences that are over, the shortest first
    batch = pieces[0][2]
    now = [s[:, :pieces[-1][2]] for s in states] if reverse else states
    for row, times, running in reversed(pieces) if reverse else pieces:
        if now[0].size(1) > running:
            ended.insert(0, [s[:, running:] for s in now])
            now = [s[:, :running] for s in now]
        elif now[0].size(1) < running:  # backwards, longer sequences begin earlier
            now = [torch.cat([s, first[:, s.size(1):running]], 1) for s, first in zip(now, states)]
        part = data[row:row + times * running].reshape(times, running, -1)
        result, *now = layer(part.flip(0) if reverse else part, now)
        done.append((result.flip(0) if reverse else result).reshape(times * running, -1))
    assert reverse or sum(e[0].size(1) for e in ended) + now[0].size(1) == batch
    last = [torch.cat([part[i] for part in [now, *ended]], 1) for i in range(len(now))]
    return torch.cat(done[::-1] if reverse else done), last


def _projected(x, states, weights, biases):
    """An LSTM whose state is projected, step by step:  h = W_hr (o * tanh(c))"""
    (h, c), w, u, project = states, weights[0], weights[1], weights[-1]
    rows = []
    known = x.matmul(w.t()) + (weights[2] + weights[3] if biases else 0)
    h, c = h[0], c[0]
    for step in known:
        i, f, g, o = (step + h.matmul(u.t())).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = (o.sigmoid() * c.tanh()).matmul(project.t())
        rows.append(h)
    return torch.stack(rows), h[None], c[None]


def _layers(kind, data, pieces, states, params, biases, layers, dropout, train, both):
    """Layer after layer on packed rows. states: h, and c of an LSTM, of all layers and directions."""
    directions = 2 if both else 1
    each = len(params) // (layers * directions)
    last = []
    for layer in range(layers):
        if layer and dropout and train:
            data = torch.dropout(data, dropout, True)
        results = []
        for d in range(directions):
            at = layer * directions + d
            weights = [p.to(data.dtype) for p in params[at * each:(at + 1) * each]]
            own = [s[at:at + 1] for s in states]

            def run(x, now):
                if kind == "lstm" and each > (4 if biases else 2):
                    return _projected(x, now, weights, biases)
                hx = tuple(now) if kind == "lstm" else now[0]
                return getattr(torch, kind)(x, hx, weights, biases, 1, 0.0, False, False, False)

            result, ended = _direction(run, data, pieces, own, d == 1)
            results.append(result)
            last.append(ended)
        data = torch.cat(results, 1)
    return data, *(torch.cat([s[i] for s in last]) for i in range(len(states)))


def recurrent(capture, func, args, kwargs):
    """lstm, gru, rnn_tanh, rnn_relu: of packed sequences, and with projections. Others are recorded as they are."""
    kind = func._schema.name[len("aten::"):]
    if func._overloadname == "data":
        data, sizes, hx, params, biases, layers, dropout, train, both = args
        pieces = _pieces(_known(capture, sizes))
        states = list(hx) if kind == "lstm" else [hx]
        with capture:
            return _layers(kind, data, pieces, states, params, biases, layers, dropout, train, both)
    input, hx, params, biases, layers, dropout, train, both, batch_first = args
    if kind != "lstm" or hx[0].shape == hx[1].shape:
        return capture.record_call(func, args, kwargs)
    with capture:
        x = input.transpose(0, 1) if batch_first else input
        times, batch = x.shape[:2]
        rows = x.reshape(times * batch, -1)
        y, *last = _layers(kind, rows, [(0, times, batch)], list(hx), params, biases, layers, dropout, train, both)
        y = y.reshape(times, batch, -1)
        return y.transpose(0, 1) if batch_first else y, *last
