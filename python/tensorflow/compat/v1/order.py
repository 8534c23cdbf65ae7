# SPDX-License-Identifier: MIT
"""What else runs when tensors of a graph are asked for: the assignments that they are computed of, and what
tf.control_dependencies put before them."""


def behind(graph, tensors):
    """(tensors that assign, operations and tensors that come first) of all that these numbers are computed of."""
    if not graph.assigning and not graph.after:
        return [], []
    known, key = graph.__dict__.setdefault("_behind", {}), tuple(tensors)
    if key not in known:
        known[key] = _found(graph, tensors)
    return known[key]


def _found(graph, tensors):
    maker, edges = _edges(graph)
    seen, open_ = set(), list(tensors)
    while open_:
        number = open_.pop()
        if number not in seen:
            seen.add(number)
            open_ += edges[maker[number]][0] if number in maker else ()
    return ([graph.assigning[n] for n in sorted(seen) if n in graph.assigning],
            [c for n in sorted(seen) for c in graph.after.get(n, ())])


def _edges(graph):
    known = graph.__dict__.get("_edges")
    if known is None or known[0] != len(graph.recorder):
        edges = graph.recorder.edges()
        known = graph.__dict__["_edges"] = len(edges), {t: i for i, (_, outs, *_) in enumerate(edges) for t in outs}, edges
    return known[1:]
