# SPDX-License-Identifier: MIT
"""Facts that programs add to the debug file."""
import json

import numpy as np
import popart
import pytest


def test_facts_of_a_call_are_in_the_file(tmp_path):
    path = tmp_path / "debug.json"
    popart.initializePoplarDebugInfo(str(path), "json")
    info = popart.DebugInfo(popart.DebugContext("outer"), "mine")
    assert info.setValue("facts", {"text": "a", "numbers": [1, 2.5], "yes": True})
    assert not info.setValue("facts", 3)
    builder = popart.Builder()
    x = builder.addInputTensor(popart.TensorInfo("FLOAT", [2]), popart.DebugContext(info, "inner"))
    assert x == "outer/inner"
    assert builder.aiOnnx.abs([x], debugContext=info)
    del info
    popart.closePoplarDebugInfo()
    contexts = json.loads(path.read_text())["contexts"]
    (found,) = [c for c in contexts if c.get("layer") == "mine"]
    assert found["facts"] == {"text": "a", "numbers": [1, 2.5], "yes": True}


def test_what_is_no_fact_is_refused():
    info = popart.DebugInfo("name", "mine")
    with pytest.raises(TypeError, match="is no text, number, list or dict"):
        info.setValue("x", np)
