# SPDX-License-Identifier: MIT
"""docs/session-options.md against the header and against sessions: no field is parsed and forgotten. Pages of other options
against the tables that are parsed."""
import pathlib
import re
import sys

import numpy as np
import popart
import pytest
from harness import device

root = pathlib.Path(__file__).resolve().parents[2]


def documented():
    """{section: [names]}"""
    sections, now = {}, None
    for line in (root / "docs/session-options.md").read_text().splitlines():
        if line.startswith("## "):
            now = sections.setdefault(line[3:], [])
        elif match := re.match(r"\| `([\w.]+)` \|", line):
            now.append(match.group(1))
    return sections


def fields_of(name):
    """The fields of a struct of the header."""
    text = (root / "popart/include/popart/sessionoptions.hpp").read_text()
    body = re.sub(r"//.*", "", text[text.index(f"struct {name} {{"):])
    body = body[:body.index("\n};")]
    body = re.sub(rf"\b{name}\([^;]*?\{{\}}", "", body)  # constructors
    body = re.sub(r"\{[^{}]*\}", "", body)  # initial values, bodies of functions
    body = re.sub(r"<[^;<>]*(<[^<>]*>)?[^;<>]*>", "", body)  # arguments of templates
    out = []
    for statement in re.split(r"[;\n]\s*(?=[\w:]+ )", body):
        if "(" in statement.split("=")[0] or " " not in statement.strip():
            continue
        for part in statement.strip().split(" ", 1)[1].split(","):
            if match := re.fullmatch(r"(\w+)\s*(=.*)?", part.strip().rstrip(";"), re.S):
                out.append(match.group(1))
    return out


structs = {"executionPhaseSettings", "experimentalSettings", "batchSerializationSettings", "accumulateOuterFragmentSettings",
           "replicatedCollectivesSettings", "automaticLossScalingSettings", "autodiffSettings"}  # listed by field


def test_every_field_of_the_header_stands_in_the_table():
    fields = fields_of("SessionOptions")
    assert len(fields) > 100 and {"virtualGraphMode", "gclOptions", "finalDotOp", "cachePath"} <= set(fields)
    pages = documented()
    names = pages["Done"] + pages["Refused"] + pages["Accepted without effect"]
    assert len(names) == len(set(names))
    assert {name.split(".")[0] for name in names if "." in name} == structs
    for field in structs:
        parts = {f"{field}.{part}" for part in fields_of(field[0].upper() + field[1:])}
        assert parts == {name for name in names if name.startswith(field + ".")}
    assert {name.split(".")[0] for name in names} == set(fields)


def test_every_member_of_a_location_stands_in_its_list():
    header = (root / "popart/include/popart/tensorlocation.hpp").read_text()
    table = (root / "popart/internal/openipu/LocationSettings.def").read_text()
    listed = re.findall(r"^LOCATION_MEMBER\((\w+), (\w+),", table, re.M)
    for name in ("TensorLocation", "TensorLocationSettings"):
        body = re.search(rf"^(class|struct) {name} \{{$(.*?)^}};$", header, re.M | re.S).group(2)
        members = re.findall(r"^  \w+ (\w+)(?: = [\w:]+)?;$", body, re.M)
        assert len(members) > 2 and members == [member for of, member in listed if of == name]


def test_the_page_says_what_the_table_says():
    sys.path.insert(0, str(root / "python/tools"))
    import optionpage
    table = optionpage.session_table()
    page = (root / "docs/session-options.md").read_text()
    assert len(list(optionpage.session_rows(table))) == sum(table.count(f"\nOPTION{kind}(") for kind in ("", "_CPP", "_PART"))
    assert optionpage.written("session-options.md") == page, "python/tools/optionpage.py writes the page again"


def test_the_header_has_what_the_table_says(monkeypatch):
    monkeypatch.syspath_prepend(str(root / "python/tools"))
    import optionpage
    header = optionpage.SESSION_HEADER.read_text()
    assert optionpage.written_header() == header, "python/tools/optionpage.py writes the header again"
    table, row = optionpage.session_table(), 'OPTION(sizes, None, Done, "one for each\\n",\n       std::map<TensorId, int>)\n'
    at = table.index("OPTION(groupNormStridedChannelGrouping,")
    monkeypatch.setattr(optionpage, "session_table", lambda: table[:at] + row + table[at:])
    assert "  bool enableStableNorm = false;\n  std::map<TensorId, int> sizes;\n" in optionpage.written_header()
    other = table.replace('normalisations",\n       bool = false', 'norms", int = 0')
    monkeypatch.setattr(optionpage, "session_table", lambda: other)
    with pytest.raises(SystemExit, match="has bool = false for enableStableNorm, and the table int = 0"):
        optionpage.written_header()


def test_the_page_of_engines_says_what_their_tables_say():
    sys.path.insert(0, str(root / "python/tools"))
    import optionpage
    text = optionpage.engine_tables()
    tables = optionpage.engine_rows(text)
    for name, least in (("engine", 70), ("runtime", 8)):
        body = text[text.index(f" {name}Table[]"):]
        assert len(tables[name]) == body[:body.index("\n};")].count("\n    {\"") >= least
    engine = {key: row for key, *row in tables["engine"]}
    for key, *row in tables["runtime"]:
        assert row[:3] == engine[key][:3], "the page says once what both tables say"
    page = (root / "docs/engine-options.md").read_text()
    assert optionpage.written("engine-options.md") == page, "python/tools/optionpage.py writes the page again"

    source = (root / "poplar/src/device/TargetOptions.cpp").read_text()
    source = source[source.index("rows = {"):source.index("return rows;")]
    wanted = {name: re.findall(r'"(\w+)"', (re.search(r"choose\(key, value, \{(.*?)\}", row) or [""])[0])
              for name, row in re.findall(r'\{"(\w+)",(.*?)\n       \}\}', source, re.S)}
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", page[page.index("## Target options"):], re.M)
    assert {name: values for name, values in wanted.items() if values} == {
        name: re.findall(r"`(\w+)`", values) for name, values in rows if wanted[name]}
    assert [name for name, _ in rows] == list(wanted) and "backend" in wanted


def test_the_page_of_convolutions_says_what_their_table_says():
    table = (root / "poplibs/poplin/internal/poplin/ConvOptions.def").read_text()
    rows = re.findall(r'^CONV_OPTION\("([\w.]+)", [\w:]+, \w+, ([\w:.{}]+), \w+, (\w+),\s*"([^"]*)"\)', table, re.M)
    assert len(rows) == table.count("\nCONV_OPTION(") > 15
    usual = {"{}": "none", "poplar::FLOAT": "`float`", "Pass::NONE": "`NONE`"}
    wanted = [(name, usual.get(value, f"`{value}`"), "yes" if takes == "MatMul" else "", words)
              for name, value, takes, words in rows]
    page = (root / "docs/convolution-options.md").read_text()
    assert [tuple(x.strip() for x in row)
            for row in re.findall(r"^\| `([\w.]+)` \|(.*?)\|(.*?)\| (.*) \|$", page, re.M)] == wanted


def sections_of(page):
    """{heading: [(option, default)]}"""
    text = (root / "docs" / page).read_text()
    return {title: re.findall(r"^\| `([\w.]+)` \| (.*?) \|", body, re.M)
            for title, body in re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", text, re.M | re.S)}


# Sections of a page: the file that parses, and those where the initial values of members stand, nearest first.
PARSERS = {
    "popnn-options.md": {
        "LSTM": ("popnn/src/lstm/LstmPlan.cpp", "popnn/src/lstm/LstmImpl.hpp", "popnn/src/rnn/Layer.hpp"),
        "GRU": ("popnn/src/gru/GruPlan.cpp", "popnn/src/gru/GruImpl.hpp", "popnn/src/rnn/Layer.hpp"),
        "Loops over a sequence": ("popnn/src/rnn/Loop.cpp",), "Norms": ("popnn/src/norm/Norms.cpp",),
        "Pooling": ("popnn/src/pooling/PoolPlan.cpp", "popnn/src/pooling/PoolPlan.hpp"),
        "Plans of CTC": ("popnn/src/ctc/CtcPlan.cpp",), "CTC losses": ("popnn/src/ctc/CtcLoss.cpp",)},
    "library-options.md": {
        "Slices and embeddings": ("popops/src/slice/SliceOptions.cpp", "popops/src/slice/SliceOptions.hpp"),
        "Expressions": ("popops/src/elementwise/MapPlan.cpp", "popops/src/elementwise/MapPlan.hpp"),
        "Reductions": ("popops/src/reduce/Reduce.cpp",), "Histograms": ("popops/src/statistics/Histogram.cpp",),
        "Scaled additions": ("popops/src/scaledadd/ScaledAdd.cpp",),
        "Several convolutions": ("poplin/src/conv/MultiConvolution.cpp",), "Solvers": ("poplin/src/solve/Solve.cpp",),
        "QR factorisation": ("poplin/src/solve/QRFactorization.cpp",),
        "Dynamic sparse products": ("popsparse/src/Plan.cpp", "popsparse/src/Plan.hpp"),
        "Static sparse products": ("popsparse/src/Plan.cpp", "popsparse/src/Plan.hpp"),
        "Block-sparse products": ("popsparse/src/experimental/BlockSparseMatMul.cpp",),
        "Collectives": ("gcl/src/Groups.cpp", "gcl/src/Groups.hpp")}}
ELSEWHERE = {"poplin/src/plan/Options.cpp", "poplin/src/matmul/MatMulOptions.cpp"}  # convolution-options.md


def test_every_parser_of_poplibs_has_a_section():
    found = {str(f.relative_to(root / "poplibs")) for f in (root / "poplibs").rglob("*.cpp") if "OptionSpec " in f.read_text()}
    assert {files[0] for page in PARSERS.values() for files in page.values()} | ELSEWHERE == {
        f for f in found if not f.startswith("poputil/")}


@pytest.mark.parametrize("page", PARSERS)
def test_pages_of_libraries_say_what_their_parsers_take(page):
    assert set(sections_of(page)) == set(PARSERS[page])
    for section, names in PARSERS[page].items():
        parser, *others = [(root / "poplibs" / name).read_text() for name in names]
        if page == "library-options.md":  # two of these are in one file
            number = {"Dynamic sparse products": 1, "Static sparse products": 2}.get(section, 0)
            specs = re.findall(r"OptionSpec \w+\{(.*?)\};", parser, re.S)[number]
        else:
            specs = parser
        handler = r"(?:(?:poplibs::)?(?:OptionHandler|create\w+Handler)(?:::\w+)?\(\s*(?:\w+\.)?(\w+)?|method\})"
        keys = list(dict(re.findall(rf'\{{"([\w.]+)",\s*{handler}', specs)).items())
        assert keys, section
        written = sections_of(page)[section]
        assert [name for name, _ in written] == [key for key, _ in keys], section
        for (name, default), (_, member) in zip(written, keys):
            values = re.findall(rf"\b{member} = (?:Recomputation::)?(true|false|[\d.e-]+|None)\b",
                                "".join(others) + parser) if member else []
            if values and not (name == "indicesDistribution" or default == "the planner's choice"):
                shown = values[0].lower()
                assert default in (f"`{shown}`", "none" if shown == "none" else None,
                                   "`parallel`" if name == "planType" else None), (section, name)
            elif "`" in default:  # a word among those that the parser takes
                assert page == "library-options.md" and f'{{"{default[1:-1]}", ' in parser, (section, name)


def another(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return value + 2
    if isinstance(value, str):
        return "other"
    return next(x for x in type(value).__members__.values() if x not in (value, getattr(type(value), "N", None)))


def set_otherwise(options, name):
    """Gives the field a value that it does not have by default; False if Python has no such field."""
    *path, last = name.split(".")
    for part in path:
        options = getattr(options, part, None)
    if not hasattr(options, last):
        return False
    value = getattr(options, last)
    if last == "customTransformApplierSettings":
        setattr(options, last, {"Fwd0": ["mine"]})
    elif last == "bufferingDepthMap":
        setattr(options, last, {"x": 3})
    elif hasattr(type(value), "__members__") or isinstance(value, (bool, int, float, str)):
        setattr(options, last, another(value))
    else:
        assert isinstance(value, list), name
        setattr(options, last, [1])
    return True


def trained(options, patterns=None):
    """The weights after three steps, and the last loss."""
    b = popart.Builder()
    x = b.addInputTensor("FLOAT", [4, 6])
    weights = np.sin(np.arange(30, dtype=np.float32)).reshape(6, 5)
    w = b.addInitializedInputTensor(weights, "w")
    y = b.aiOnnx.transpose([b.aiOnnx.relu([b.aiOnnx.matmul([x, w])])], [0, 1])
    y = b.aiOnnx.sum([b.aiOnnx.identity([y]), b.aiOnnx.sum([y])])
    labels = b.aiOnnx.constant(np.array([0, 1, 2, 3], np.int32))
    loss = b.aiGraphcore.nllloss([b.aiOnnx.softmax([y]), labels])
    session = popart.TrainingSession(b.getModelProto(), popart.DataFlow(1, {loss: popart.AnchorReturnType("All")}),
                                     loss, popart.SGD({"defaultLearningRate": (0.1, False),
                                                       "defaultMomentum": (0.9, True)}),
                                     userOptions=options, deviceInfo=device(),
                                     **({"patterns": patterns} if patterns else {}))
    session.prepareDevice()
    session.weightsFromHost()
    anchors = session.initAnchorArrays()
    for step in range(3):
        session.run(popart.PyStepIO({x: np.cos(np.arange(24, dtype=np.float32) + step)}, anchors))
    session.weightsToHost()
    read = popart.PyWeightsIO({"w": weights})
    session.readWeights(read)
    return np.append(weights, anchors[loss])


def test_automatic_loss_scaling_is_made_in_one_call():
    settings = popart.AutomaticLossScalingSettings(enabled=True, binEdgeLocation=0.5, updatePeriod=3)
    assert settings.enabled and settings.binEdgeLocation == 0.5 and settings.updatePeriod == 3
    assert settings.toTrackTensors is None
    usual, named = popart.AutomaticLossScalingSettings(), popart.AutomaticLossScalingSettings(False)
    for name in ("binEdgeLocation", "thresholdUpperCountProportion", "updatePeriod", "gradientTensorTrackingMethod"):
        assert getattr(usual, name) == getattr(named, name)
    assert popart.AutomaticLossScalingSettings(True, ["w"]).toTrackTensors == ["w"]


def test_refused_options_are_named():
    for name in documented()["Refused"]:
        options = popart.SessionOptions()
        assert set_otherwise(options, name), name
        with pytest.raises(popart.popart_exception, match=re.escape(name)):
            trained(options)


def test_options_without_effect_change_nothing():
    plain = trained(popart.SessionOptions())
    assert np.isfinite(plain).all()
    missing = []
    for name in documented()["Accepted without effect"]:
        options = popart.SessionOptions()
        if not set_otherwise(options, name):
            missing.append(name)
        elif not np.array_equal(trained(options), plain):
            raise AssertionError(name)
    assert missing == ["looseThresholdAtPeak", "autodiffSettings.stitchStrategy"]  # of C++ alone


def test_patterns_change_no_number_and_unknown_ones_are_refused():
    plain = trained(popart.SessionOptions())
    for level in (popart.PatternsLevel.NoPatterns, popart.PatternsLevel.Minimal, popart.PatternsLevel.All):
        patterns = popart.Patterns(level)
        patterns.InPlace = level == popart.PatternsLevel.Minimal
        np.testing.assert_allclose(trained(popart.SessionOptions(), patterns), plain, rtol=1e-6, atol=1e-7)
    with pytest.raises(popart.popart_exception, match='No pattern is called "SumToAd". Did you mean "SumToAdd"?'):
        popart.Patterns(popart.PatternsLevel.Default).enablePattern("SumToAd", True)


def test_strings_of_options_are_checked():
    cases = (("engineOptions", {"debug.instrumet": "true"}, "debug.instrumet"),
             ("engineOptions", {"debug.instrument": "perhaps"}, "debug.instrument"),
             ("matmulOptions", {"fullyConnectedPas": "NONE"}, "fullyConnectedPas"),
             ("matmulOptions", {"partialsType": "quarter"}, "partialsType"),
             ("kahnTieBreaker", "eager", "kahnTieBreaker"),
             ("partialsTypeMatMuls", "double", "partialsType"),
             ("dotChecks", {"Fwd7"}, "(?i)fwd7"))
    for name, value, words in cases:
        options = popart.SessionOptions()
        setattr(options, name, value)
        with pytest.raises((popart.popart_exception, popart.poplar_exception, popart.poplibs_exception), match=words):
            trained(options)


def test_groups_of_replicas_that_make_no_sense():
    pairs = popart.VariableSettings(popart.CommGroup(popart.CommGroupType.Consecutive, 2))
    assert pairs.groups(4) == [[0, 1], [2, 3]] and pairs.getGroupRepresentative(1, 4) == 2
    for call in (lambda: pairs.groups(0), lambda: popart.VariableSettings().groups(0), lambda: pairs.groups(2**31),
                 lambda: pairs.getGroupRepresentative(2, 4), lambda: popart.VariableSettings().shapeOnHost([1], 0)):
        with pytest.raises(popart.popart_exception, match="roup"):
            call()


def test_partials_types_that_do_not_exist_are_refused():
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2, 3]))
    w = builder.addInitializedInputTensor(np.ones([3, 4], np.float32))
    y = builder.aiOnnx.matmul([x, w])
    builder.setPartialsType(y, "DOUBLE")
    builder.addOutputTensor(y)
    session = popart.InferenceSession(builder.getModelProto(), popart.DataFlow(1, [y]),
                                      popart.DeviceManager().createIpuModelDevice({}))
    with pytest.raises(popart.popart_exception, match='The partials type "DOUBLE" is not known. Use HALF or FLOAT.'):
        session.prepareDevice()
