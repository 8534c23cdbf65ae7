# SPDX-License-Identifier: MIT
"""Large inputs for PopVision, made of nothing.

popvision_files.py report FOLDER [TILES STEPS VARIABLES] writes a report, popvision_files.py trace FILE [EVENTS] a trace
of a host program.
"""
import itertools
import os
import random
import re
import sqlite3
import sys

SCHEMA = os.path.join(os.path.dirname(__file__), "../pva/include/pva/Schema.hpp")


def fill(database, table, rows):
    first = next(rows := iter(rows))
    marks = ",".join("?" * len(first))
    database.execute(f"INSERT INTO {table} VALUES({marks})", first)
    database.executemany(f"INSERT INTO {table} VALUES({marks})", rows)


def programs(database, steps):
    """A sequence of layers, each a sequence of steps: exchange, then compute, now and then a transfer."""
    layers = (steps + 99) // 100
    kind = ["DoExchange", "OnTileExecute"]
    rows, children = [], []
    for s in range(steps):
        layer, type_ = s // 100, "StreamCopyMid" if s % 500 == 499 else kind[s % 2]
        name = f"layer{layer // 8}/block{layer % 8}/{'exchange' if s % 2 == 0 else f'op{s % 100}'}"
        cycles = 200 + (s * 7919) % 5000
        compute_set = s // 2 if type_ == "OnTileExecute" else None
        rows.append((s, name, type_, compute_set, 0, cycles, 0 if s % 2 else 4096 * (s % 50), s % 90, 0))
    for layer in range(layers):
        rows.append((steps + layer, f"layer{layer // 8}/block{layer % 8}", "Sequence", None, 0, 0, 0, 0, 0))
        children += [(steps + layer, s) for s in range(layer * 100, min(steps, layer * 100 + 100))]
    root = steps + layers
    rows.append((root, "training", "Sequence", None, 0, 0, 0, 0, 0))
    children += [(root, steps + layer) for layer in range(layers)]
    fill(database, "programs", rows)
    fill(database, "program_children", children)
    fill(database, "program_roots", [(root, 0, 2)])
    fill(database, "compute_sets", [(i, f"cs{i}") for i in range(steps // 2 + 1)])
    fill(database, "vertex_types", [(i, f"poplin::Vertex{i}<half,float>", 6400, 1200) for i in range(40)])
    fill(database, "vertex_groups", [(i, i % 40, 0, 1000, 6, 3000, 50000) for i in range(steps // 2)])
    return rows


def report(folder, tiles=1472, steps=20000, variables=5000):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "profile.pop")
    if os.path.exists(path):
        os.remove(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA application_id = 0x4f495055")
    database.execute("PRAGMA user_version = 2")
    database.execute("PRAGMA journal_mode = OFF")
    database.execute("PRAGMA synchronous = OFF")
    text = open(SCHEMA).read()
    database.executescript(re.search(r'R"sql\((.*?)\)sql"', text, re.S).group(1))
    r = random.Random(1)
    fill(database, "meta", [("poplarVersion", "3.3.0"), ("packageHash", "generated"), ("instrumentCompute", "tile"),
                            ("instrumentExternalExchange", "off")])
    fill(database, "options", [("autoReport.all", "true")])
    fill(database, "target", [("IPU", "ipu2", 1, 1, tiles, 638976, 1330000000, 6)])
    fill(database, "graph", [(steps * 1000, steps * 3000, variables, steps // 2)])
    made = programs(database, steps)
    ranges = []
    for p in made[:steps]:
        cuts = sorted(r.sample(range(1, tiles), 7)) + [tiles]
        first = 0
        for cut in cuts:
            share = r.randint(1, p[5])
            ranges.append((p[0], first, cut - first, share, share * 4, 64 * (p[0] % 5), 64 * (p[0] % 7)))
            first = cut
    fill(database, "program_tiles", ranges)
    fill(database, "program_vars", ((p, (p * 13 + k) % variables) for p in range(steps) for k in range(3)))
    sizes = [r.randint(1, 200) * 1472 for _ in range(variables)]
    always = [v % 10 == 0 for v in range(variables)]
    fill(database, "vars", [(v, f"layer{v * 25 // variables}/variable{v}", "half" if v % 3 else "float", sizes[v],
                             int(always[v]), 0) for v in range(variables)])
    fill(database, "var_categories", enumerate(["variable", "constant", "vertexCode", "internalExchangeCode",
                                                "controlCode", "message"]))
    parts = []
    for v in range(variables):
        count = r.choice((tiles // 16, tiles // 4, tiles // 2))
        first = r.randrange(tiles - count)
        pieces = r.choice((1, 2, 2, 3, 8))  # ranges of tiles that hold as much each
        cuts = [first + count * k // pieces for k in range(pieces + 1)]
        parts += [(v, 0, a, b - a, max(4, sizes[v] // count - 4 * k)) for k, (a, b) in enumerate(zip(cuts, cuts[1:]))]
    fill(database, "var_parts", parts)
    more = [(t * 7919) % 200000 for t in range(tiles)]
    fill(database, "memory_by_tile", [(t, 300000 + more[t], (t * 31) % 900, 200000, 100000 + more[t], t % steps)
                                      for t in range(tiles)])
    fill(database, "memory_by_category", [(c, t, 1, 20000 * (c + 1) + more[t] // 10) for c in range(6)
                                          for t in range(tiles)])
    spans, change = [], [0] * (steps + 1)
    for v in range(variables):
        if not always[v]:
            first = r.randrange(steps)
            count = min(steps - first, r.randint(20, 800))
            spans.append((v, first, count))
            change[first] += sizes[v]
            change[first + count] -= sizes[v]
    fill(database, "liveness_steps", [(s, s, live) for s, live in enumerate(itertools.accumulate(change[:-1]))])
    fill(database, "liveness_spans", spans)
    cycle, trace, onIpu = 0, [], []
    for run in range(2):
        for p in made[:steps]:
            trace.append((len(trace), p[2], p[0], p[3]))
            onIpu.append((len(onIpu), 0, p[5], tiles, cycle, cycle, cycle, cycle + p[5], cycle + p[5]))
            cycle += p[5]
    fill(database, "steps", trace)
    fill(database, "steps_by_ipu", onIpu)
    fill(database, "runs", [(i, "train", made[-1][0], i * cycle // 2, (i + 1) * cycle // 2, i * steps, steps)
                            for i in range(2)])
    fill(database, "totals", [(p[0], 2, 2 * p[5]) for p in made[:steps]])
    fill(database, "execution", [(cycle, 0, 0)])
    fill(database, "energy", [("compute", 12.5)])
    database.commit()
    database.close()
    print(f"{path}: {os.path.getsize(path):,} bytes")


def trace(path, events=5_000_000):
    """Eight threads with nested work, and a counter."""
    names = ["load batch", "decode", "copy", "Engine::run", "step", "log", "callback", "wait"]
    with open(path, "w") as out:
        out.write("[\n")
        out.write('{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"main"}}')
        time, depth = 0, [0] * 8
        for i in range(events):
            thread = i * 7 % 8
            time += 130 + (i * 7919) % 400
            stamp = f"{time // 1000}.{time % 1000:03d}"
            common = f'"cat":"channel{thread % 3}","pid":1,"tid":{thread + 1},"ts":{stamp}}}'
            if depth[thread] < 4 and (i * 31) % 7 < 4 or depth[thread] == 0:
                out.write(f',\n{{"ph":"B","name":"{names[(i + depth[thread]) % 8]}",{common}')
                depth[thread] += 1
            else:
                out.write(f',\n{{"ph":"E","name":"",{common}')
                depth[thread] -= 1
            if i % 10000 == 0:
                loss = f"{1 / (1 + i / 1e5):.5f}"
                out.write(f',\n{{"ph":"C","name":"Loss","pid":1,"tid":1,"args":{{"train":{loss}}},"ts":{stamp}}}')
        out.write("\n]\n")
    print(f"{path}: {os.path.getsize(path):,} bytes")


if __name__ == "__main__":
    what = {"report": report, "trace": trace}.get(sys.argv[1] if len(sys.argv) > 2 else "")
    if what is None:
        sys.exit(__doc__)
    what(sys.argv[2], *map(int, sys.argv[3:]))
