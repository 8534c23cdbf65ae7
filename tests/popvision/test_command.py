# SPDX-License-Identifier: MIT
"""The command in the terminal, and what it says of things that are no reports."""
import csv
import io
import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import stat
import subprocess
import time
import urllib.error
import urllib.request
from xml.etree import ElementTree

import pva
import pytest


@pytest.fixture(scope="module")
def profile(report):
    return f"{report}/training/profile.pop"


def parsed(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_json_is_what_libpva_says(popvision, profile):
    truth = pva.openReport(profile)
    summary = parsed(popvision("summary", "--json", profile))
    assert summary["summary"]["execution"]["totalCycles"] == truth.execution.totalCycles
    assert {i["severity"] for i in summary["insights"]} <= {"bad", "warn", "note", "good"}
    told = " ".join(i["title"] + i["detail"] + i["advice"] for i in summary["insights"])
    assert re.search(r"\d (KiB|MiB) are always live", told) and not re.search(r"\d bytes", told)
    memory = parsed(popvision("memory", "--json", profile))
    assert memory["total"] == [t.memory.total.excludingGaps for t in truth.compilation.tiles]
    tile = parsed(popvision("memory", "--tile", "3", "--json", profile))
    assert sum(tile["categories"].values()) == memory["total"][3]
    liveness = parsed(popvision("liveness", "--json", profile))
    steps = truth.compilation.livenessProgramSteps
    assert liveness["liveness"]["bytes"] == [s.notAlwaysLiveMemory.bytes for s in steps]
    trace = parsed(popvision("trace", "--json", profile))
    assert trace["ipus"][0]["cycles"] == [s.ipus[0].cycles for s in truth.execution.steps]


def test_advice_is_of_a_step_and_fits_the_program(popvision, profile):
    told = parsed(popvision("summary", "--json", profile))
    step = told["summary"]["step"]
    host = step["cyclesByKind"]["host"] / step["cycles"]
    advice = {insight["title"]: insight for insight in told["insights"]}
    found = advice[f"{100 * host:.1f} % of a step goes to the host and to waiting for it"]  # and none of loading weights
    assert found["value"] == pytest.approx(host) and step["host"][0]["name"] in found["detail"]
    assert f"{step['hostWaiting']:,} of {step['cyclesByKind']['host']:,} cycles" in found["detail"]
    text = " ".join(insight["advice"] for insight in told["insights"])
    assert "Optimiser state" in text and "matrix products" in text  # it is a model with weights


def test_one_step_as_json(popvision, profile):
    steps = pva.openReport(profile).compilation.livenessProgramSteps
    at = max(range(len(steps)), key=lambda i: steps[i].notAlwaysLiveMemory.bytes)
    shown = json.loads(popvision("liveness", "--json", "--step", str(at), profile).stdout)
    assert (shown["step"], shown["bytes"]) == (at, steps[at].notAlwaysLiveMemory.bytes)
    assert {v["id"]: v["bytes"] for v in shown["variables"]} == {
        v.id: v.bytes for v in steps[at].notAlwaysLiveMemory.variables}


def test_text(popvision, profile, report):
    assert "GC200" in popvision("summary", profile).stdout
    assert "vertexCode" in popvision("memory", profile).stdout
    assert "tile 5:" in popvision("memory", "--tile", "5", profile).stdout
    assert "peak" in popvision("liveness", profile).stdout
    assert "OnTileExecute" in popvision("trace", profile).stdout
    traces = [os.path.join(report, name) for name in os.listdir(report) if name.endswith(".pvti")]
    assert "PoplarExecutor._run" in popvision("trace", *traces).stdout


def test_a_report_compared_with_itself_and_with_another(popvision, profile, other_report):
    same = parsed(popvision("compare", "--json", profile, profile))
    assert len(same) > 10 and all(row["change"] == 0 for row in same)
    assert popvision("compare", "--fail-above", "0", profile, profile).returncode == 0
    path = f"{other_report}/training/profile.pop"
    rows = {row["name"]: row for row in parsed(popvision("compare", "--json", profile, path))}
    other = pva.openReport(path)
    assert rows["cycles"]["after"] == other.execution.totalCycles and rows["cycles"]["change"] != 0


def cycles_of(steps):
    return sum(max(ipu.cycles for ipu in step.ipus) for step in steps)


def test_a_step_compared_is_the_median_run_and_its_parts_add_up(popvision, profile, other_report):
    path = f"{other_report}/training/profile.pop"
    rows = parsed(popvision("compare", "--json", profile, path))
    step = next(row for row in rows if row["name"] == "cycles of a step")
    for side, name in (("before", profile), ("after", path)):
        unnamed = [run for run in pva.openReport(name).execution.runs if not run.name]
        assert step[side] == sorted(run.cycles for run in unnamed)[(len(unnamed) - 1) // 2]
        assert step[side] == cycles_of(unnamed[0].steps)
        phases = [row[side] for row in rows if row["table"] == "step" and row is not step]
        assert len(phases) == 7 and sum(phases) == step[side]
        parts = [row for row in rows if row["table"] == "operation"]
        assert sum(row[side] or 0 for row in parts) == step[side]
        assert [abs(row["change"]) for row in parts] == sorted((abs(row["change"]) for row in parts), reverse=True)
    text = popvision("compare", profile, path).stdout
    assert "operations of a step whose cycles changed most" in text and "features.0" in text


def test_programs_are_compared_where_no_operations_are_named(popvision, profile, other_report, tmp_path):
    shutil.copy(profile, tmp_path / "profile.pop")  # without debug.cbor
    rows = parsed(popvision("compare", "--json", str(tmp_path), f"{other_report}/training"))
    parts = [row for row in rows if row["table"] in ("program", "operation")]
    step = next(row for row in rows if row["name"] == "cycles of a step")
    assert {row["table"] for row in parts} == {"program"}
    assert sum(row["before"] or 0 for row in parts) == step["before"]
    assert any(row["name"].startswith("OnTileExecute features.0") for row in parts)


def test_compare_as_csv_is_compare_as_json(popvision, profile, other_report):
    path = f"{other_report}/training/profile.pop"
    table = list(csv.DictReader(io.StringIO(popvision("compare", "--csv", profile, path).stdout)))
    rows = parsed(popvision("compare", "--json", profile, path))
    assert len(table) == len(rows)
    for line, row in zip(table, rows):
        assert {name: None if text == "" else type(row[name])(text) for name, text in line.items()} == row
    assert popvision("compare", "--csv", "--json", profile, path).returncode != 0


def test_compare_fails_above_a_limit(popvision, profile, other_report):
    path = f"{other_report}/training/profile.pop"
    rows = {row["name"]: row for row in parsed(popvision("compare", "--json", profile, path))}
    memory, step = rows["memory used"], rows["cycles of a step"]
    assert 1 < step["percent"] < 5 < memory["percent"] and rows["memory of fullest tile"]["change"] < 0
    done = popvision("compare", "--fail-above", "5%", profile, path)
    assert done.returncode == 1 and "change" in done.stdout
    assert done.stderr == (f"popvision: Grown by more than 5 %: memory used by {memory['percent']:.1f} %, from "
                           f"{memory['before']:,} to {memory['after']:,}.\n")
    done = popvision("compare", "--csv", "--fail-above", "1 %", profile, path)
    assert done.returncode == 1 and done.stdout.startswith("table,name,")
    assert re.search(rf"cycles of a step by {step['percent']:.1f} %, from [0-9,]+ to [0-9,]+, most of all loss", done.stderr)
    assert popvision("compare", "--fail-above", "1000%", profile, path).returncode == 0
    done = popvision("compare", "--fail-above", f"{memory['percent'] + 0.1}", profile, path)
    assert (done.returncode, done.stderr) == (0, "")
    for wrong in ("", "%", "5x", "-5%", "5%%", "nan", "inf", "1e400", "five"):
        done = popvision("compare", f"--fail-above={wrong}", profile, path)
        assert done.returncode != 0 and done.stderr and not done.stdout, wrong


def changed(tmp_path, profile, *statements):
    path = str(tmp_path / "profile.pop")
    shutil.copy(profile, path)
    database = sqlite3.connect(path)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()
    return path


def test_compare_says_what_a_report_lacks(popvision, profile, other_report, tmp_path):
    path = changed(tmp_path, profile, "UPDATE runs SET num_steps = 0")
    done = popvision("compare", profile, path)
    assert done.returncode == 0 and "has the cycles of runs, but no whole run with its steps" in done.stdout
    assert popvision("compare", "--fail-above", "0", profile, path).returncode == 0
    path = changed(tmp_path, profile, "DELETE FROM runs")
    done = popvision("compare", profile, path)
    assert done.returncode == 0 and f'after, "{path}", has no run' in done.stdout
    done = popvision("compare", "--fail-above", "5%", profile, path)
    assert done.returncode == 1 and "the report after has no run" in done.stderr
    path = changed(tmp_path, profile, "UPDATE target SET clock_hz = 1000000")
    assert "different machines" in popvision("compare", profile, path).stdout


def test_compare_names_what_is_no_report(popvision, profile, report, other_report, tmp_path):
    for what, says in (("truncated", "damaged"), ("newer", "format version 99"), ("empty", "is empty")):
        path = damaged(tmp_path, profile, what)
        for pair in ((path, profile), (profile, path)):
            done = popvision("compare", "--fail-above", "5%", *pair)
            assert done.returncode == 1 and says in done.stderr and path in done.stderr, done.stderr
    assert "There is no file or folder" in popvision("compare", profile, "nowhere").stderr
    shutil.copytree(report, tmp_path / "both/one")
    shutil.copytree(other_report, tmp_path / "both/two")
    done = popvision("compare", str(tmp_path / "both"), profile)
    assert done.returncode == 1 and "holds several reports" in done.stderr and "two/training/profile.pop" in done.stderr
    assert popvision("compare", str(tmp_path / "both")).returncode == 0
    trace = next(os.path.join(report, name) for name in os.listdir(report) if name.endswith(".pvti"))
    assert "holds traces and no profile.pop" in popvision("compare", trace, profile).stderr


def table_of(popvision, *arguments):
    done = popvision(*arguments, "--csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO(done.stdout)))
    assert rows[0] and all(len(row) == len(rows[0]) for row in rows)
    return [dict(zip(rows[0], row)) for row in rows[1:]]


def test_csv_of_memory_and_liveness_is_what_libpva_says(popvision, profile):
    truth = pva.openReport(profile).compilation
    tiles = table_of(popvision, "memory", profile)
    assert [int(row["total"]) for row in tiles] == [tile.memory.total.excludingGaps for tile in truth.tiles]
    categories = table_of(popvision, "memory", profile, "--table", "categories")
    for row in categories:
        assert int(row["bytes"]) == sum(int(tile[row["category"]]) for tile in tiles)
    assert sum(int(row["bytes"]) for row in categories) == sum(int(tile["total"]) for tile in tiles)
    of_three = table_of(popvision, "memory", "--tile", "3", profile, "--table", "categories")
    assert sum(int(row["bytes"]) for row in of_three) == int(tiles[3]["total"])
    assert [int(v["bytes"]) for v in table_of(popvision, "memory", "--tile", "3", profile)] == [
        v["bytes"] for v in parsed(popvision("memory", "--tile", "3", "--json", profile))["variables"]]
    steps = truth.livenessProgramSteps
    assert [int(row["bytes"]) for row in table_of(popvision, "liveness", profile)] == [
        step.notAlwaysLiveMemory.bytes for step in steps]
    at = max(range(len(steps)), key=lambda i: steps[i].notAlwaysLiveMemory.bytes)
    lives = table_of(popvision, "liveness", "--step", str(at), profile)
    assert {int(row["id"]): int(row["bytes"]) for row in lives} == {
        v.id: v.bytes for v in steps[at].notAlwaysLiveMemory.variables}
    variables = table_of(popvision, "liveness", profile, "--table", "variables")
    assert len(variables) == len(parsed(popvision("liveness", "--json", profile))["variables"]["name"])
    assert {row["name"] for row in lives} <= {row["name"] for row in variables if row["firstStep"]}


def test_csv_of_cycles_adds_up(popvision, profile):
    execution = pva.openReport(profile).execution
    figures = {row["name"]: row["value"] for row in table_of(popvision, "summary", profile)}
    assert int(figures["execution.totalCycles"]) == execution.totalCycles and figures["target.chip"] == "GC200 (Mk2)"
    for command, table in (("summary", "cycles"), ("trace", "programs"), ("trace", "operations")):
        rows = table_of(popvision, command, profile, "--table", table)
        assert sum(int(row["cycles"]) for row in rows) == execution.totalCycles, table
    assert table_of(popvision, "trace", profile) == table_of(popvision, "trace", profile, "--table", "programs")
    runs = table_of(popvision, "trace", profile, "--table", "runs")
    assert [(row["name"], int(row["cycles"])) for row in runs] == [(run.name, run.cycles) for run in execution.runs]
    steps = table_of(popvision, "trace", profile, "--table", "steps")
    assert [int(row["cycles"]) for row in steps] == [step.ipus[0].cycles for step in execution.steps]


def test_csv_of_texts_and_events(popvision, profile, report):
    told = parsed(popvision("summary", "--json", profile))
    insights = table_of(popvision, "summary", profile, "--table", "insights")
    assert [row["detail"] for row in insights] == [i["detail"] for i in told["insights"]]
    assert any("," in row["detail"] for row in insights)
    options = table_of(popvision, "summary", profile, "--table", "options")
    assert {row["option"]: row["value"] for row in options} == told["summary"]["options"]
    traces = [os.path.join(report, name) for name in os.listdir(report) if name.endswith(".pvti")]
    events = table_of(popvision, "trace", *traces)
    run = next(row for row in events if row["event"] == "PoplarExecutor._run")
    assert int(run["times"]) > 0 and int(run["totalNanoseconds"]) >= int(run["longestNanoseconds"]) > 0


def test_tables_that_there_are_not(popvision, profile):
    done = popvision("trace", "--csv", "--table", "opration", profile)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == ('popvision: There is no table "opration". Did you mean "operations"? The tables are programs, '
                           "runs, steps, operations.\n")
    assert popvision("trace", "--table", "runs", profile).returncode != 0
    for command in ("summary", "memory", "liveness", "trace"):
        assert popvision(command, "--csv", "--json", profile).returncode != 0


def damaged(tmp_path, profile, what):
    path = str(tmp_path / "profile.pop")
    shutil.copy(profile, path)
    if what == "truncated":
        os.truncate(path, os.path.getsize(path) // 2)
    elif what == "newer":
        database = sqlite3.connect(path)
        database.execute("PRAGMA user_version = 99")
        database.close()
    elif what == "empty":
        os.truncate(path, 0)
    else:
        with open(path, "w") as file:
            file.write("hello " * 1000)
    return path


@pytest.mark.parametrize("what, says", [("truncated", "damaged"), ("newer", "format version 99"),
                                        ("empty", "is empty"), ("text", "is not a profile")])
def test_bad_reports(popvision, browse, profile, tmp_path, what, says):
    path = damaged(tmp_path, profile, what)
    for command in ("summary", "memory", "liveness", "trace"):
        done = popvision(command, path)
        assert done.returncode == 1 and says in done.stderr, done.stderr
    assert popvision("--export", str(tmp_path / "x.html"), path).returncode == 1
    if what in ("truncated", "text"):
        shown = browse("broken.mjs", path)
        assert says in shown["text"] and shown["problems"] == []


def test_wrong_paths_and_numbers(popvision, profile, report, tmp_path):
    assert "There is no file or folder" in popvision("summary", "nowhere").stderr
    assert "no profile.pop" in popvision("summary", str(tmp_path)).stderr
    assert "There is no tile 99999" in popvision("memory", "--tile", "99999", profile).stderr
    assert "There is no step 99999" in popvision("liveness", "--step", "99999", profile).stderr
    assert "two reports" in popvision("compare", profile).stderr
    assert popvision("--port", "99999", profile).returncode != 0
    assert popvision("memory", "--tile", "-3", profile).returncode != 0
    exported = popvision("--export", str(tmp_path / "x.html"), "--port", "8000", profile)
    assert exported.returncode != 0 and "--port" in exported.stderr
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = popvision("--no-browser", "--port", str(taken.getsockname()[1]), profile)
        assert done.returncode == 1 and "it is taken" in done.stderr
    (tmp_path / "old.pvti").write_bytes(b"SQLite format 3\0 and more")
    assert "vendor" in popvision("trace", str(tmp_path / "old.pvti")).stderr
    text = tmp_path / "x.json"
    text.write_text("hello")
    assert "is not a trace" in popvision("trace", str(text)).stderr


def test_half_a_trace(popvision, report, tmp_path):
    """What a killed process leaves, and what a running one has written so far."""
    name = next(n for n in os.listdir(report) if n.endswith(".pvti"))
    whole = open(os.path.join(report, name)).read()
    half = tmp_path / "half.pvti"
    half.write_text(whole[: len(whole) // 2])
    done = popvision("trace", str(half))
    assert done.returncode == 0 and "event" in done.stdout, done.stderr


@pytest.fixture(scope="module")
def server(profile):
    """(address, token)"""
    process = subprocess.Popen([os.environ["POPVISION"], "--no-browser", profile], stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().split()[1].split("?token=")
    process.kill()
    process.wait()
    process.stdout.close()


class NotElsewhere(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def ask(url, **headers):
    try:
        opener = urllib.request.build_opener(NotElsewhere)
        with opener.open(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


def test_only_who_has_the_token_may_ask(server):
    """Everybody with an account can connect to loopback."""
    address, token = server
    assert len(token) == 32
    for path in ("", "api/site", "?token=", "?token=" + "0" * 32, f"api/site?token={token}"):
        status, headers, text = ask(address + path)
        assert status == 403 and "Set-Cookie" not in headers and token not in text, path
    status, headers, _ = ask(f"{address}?token={token}")
    assert status == 303 and headers["Location"] == "/"
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite" in cookie
    assert ask(address + "api/site", Cookie=cookie.split(";")[0])[0] == 200
    assert ask(address + "api/site", Cookie=cookie.split(";")[0][:-1] + "x")[0] == 403


def test_everybody_may_ask_if_told_so(profile):
    command = [os.environ["POPVISION"], "--no-browser", "--no-token", profile]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().split()[1]
        assert "token" not in address and ask(address + "api/site")[0] == 200
        process.kill()


def interrupted_already():
    """Ctrl-C comes before the server listens: it waits until somebody looks."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("when", ["serving", "starting"])
def test_ctrl_c_ends_it_well(profile, when):
    process = subprocess.Popen([os.environ["POPVISION"], "--no-browser", profile], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True,
                               preexec_fn=interrupted_already if when == "starting" else None)
    try:
        process.stdout.readline()
        if when == "serving":
            process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == "" and process.returncode == 0
    finally:
        process.kill()


def waited_for(file):
    end = time.monotonic() + 60
    while not file.exists() and time.monotonic() < end:
        time.sleep(0.05)
    return file.read_text()


def test_the_browser_is_led_by_a_private_page_and_left_alone(profile, tmp_path):
    """A browser that stays open keeps nobody waiting; the page goes with the server."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "tmp").mkdir()
    browser = tmp_path / "bin/xdg-open"
    browser.write_text(f"""#!/bin/sh
cp "$1" {tmp_path}/page; echo $$ $1 > {tmp_path}/begun.new; mv {tmp_path}/begun.new {tmp_path}/begun; exec sleep 600
""")
    browser.chmod(0o755)
    environment = {**os.environ, "DISPLAY": ":0", "TMPDIR": str(tmp_path / "tmp"),
                   "PATH": f"{tmp_path}/bin:{os.environ['PATH']}"}
    process = subprocess.Popen([os.environ["POPVISION"], profile], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True, env=environment)
    address = process.stdout.readline().split()[1]
    pid, page = waited_for(tmp_path / "begun").split()
    try:
        assert f"url={address}\"" in (tmp_path / "page").read_text()
        assert os.stat(os.path.dirname(page)).st_mode & 0o77 == 0
        assert os.getsid(int(pid)) != os.getsid(process.pid)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "") and process.returncode == 0
    finally:
        os.kill(int(pid), signal.SIGKILL)
        process.kill()
    assert os.listdir(tmp_path / "tmp") == []


def test_slow_clients_keep_nobody_out(server):
    """Who has no token yet may connect as often as he likes, and send as slowly as he likes."""
    address, token = server
    port = int(address.rstrip("/").rpartition(":")[2])
    slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    try:
        for each in slow[::2]:
            each.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        assert ask(f"{address}?token={token}")[0] == 303
        for each in slow[::4]:
            each.send(b"x")
        assert ask(f"{address}?token={token}")[0] == 303
    finally:
        for each in slow:
            each.close()


def test_the_export_is_written_as_outputs_are(popvision, profile, tmp_path):
    (tmp_path / "target.html").write_text("old")
    (tmp_path / "link.html").symlink_to("target.html")
    if "not in this build" in popvision("--export", tmp_path / "link.html", profile).stderr:
        pytest.skip("the page is not in this build")
    assert (tmp_path / "link.html").is_symlink() and "PopVision" in (tmp_path / "target.html").read_text()
    assert popvision("--export", "/dev/null", profile).returncode == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    found = popvision("--export", tmp_path / "none/page.html", profile)
    assert found.returncode == 1 and "there is no folder" in found.stderr
    assert "No space left" in popvision("--export", "/dev/full", profile).stderr
    if os.geteuid() == 0:
        (tmp_path / "target.html").write_text("precious")
        os.chown(tmp_path / "link.html", 65534, 65534, follow_symlinks=False)
        found = popvision("--export", tmp_path / "link.html", profile)
        assert found.returncode == 1 and "is a link that user 65534 made" in found.stderr
        assert (tmp_path / "target.html").read_text() == "precious"


def test_the_server_serves_nothing_but_its_views(server):
    address, token = server
    cookie = ask(f"{address}?token={token}")[1]["Set-Cookie"].split(";")[0]

    def get(path, **headers):
        return ask(address + path, Cookie=cookie, **headers)

    assert address.startswith("http://127.0.0.1:")
    status, headers, page = get("")
    assert status == 200 and "PopVision" in page
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
    for path in ("api/../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "api/report/0/../../x", "api/report/7/summary",
                 "etc/passwd", "api/report/0/nothing"):
        assert get(path)[0] == 404, path
    for path in ("api/report/x/summary", "api/report/0/tile", "api/report/0/tile?tile=-1",
                 "api/report/0/tile?tile=1e9", "api/report/-1/summary"):
        assert get(path)[0] == 400, path
    assert get("api/report/0/tile?tile=99999")[0] == 404
    assert get("api/site", Host="evil.example")[0] == 403
    assert get("api/site")[0] == 200


def test_plots_for_papers(popvision, profile):
    told = parsed(popvision("summary", "--json", profile))["summary"]
    kinds = {kind: cycles for kind, cycles in told["step"]["cyclesByKind"].items() if cycles}
    svg = ElementTree.fromstring(popvision("plot", profile).stdout)
    texts = [text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    bars = [float(bar.get("width")) for bar in list(svg.iter("{http://www.w3.org/2000/svg}rect"))[1:]]
    assert len(bars) == len(kinds) and set(kinds) <= set(texts)
    assert bars == pytest.approx([max(bars) * cycles / max(kinds.values()) for cycles in kinds.values()], abs=0.06)
    caption = svg.find("{http://www.w3.org/2000/svg}title").text
    assert f"{told['step']['cycles']:,}" in caption and told["target"]["chip"] in caption and "±" in caption
    assert caption in " ".join(texts)  # below the picture, too
    memory = ElementTree.fromstring(popvision("plot", profile, "--of", "memory").stdout)
    heights = [float(bar.get("height")) for bar in list(memory.iter("{http://www.w3.org/2000/svg}rect"))[1:-1]]
    assert max(heights) == pytest.approx(240 * told["memory"]["fullestTileBytes"] / told["target"]["bytesPerTile"], abs=0.1)
    wrong = popvision("plot", profile, "--of", "stepp")
    assert wrong.returncode == 1 and 'There is no plot of "stepp". Did you mean "step"?' in wrong.stderr
