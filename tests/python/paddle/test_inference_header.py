# SPDX-License-Identifier: MIT
"""Deployments in C++ with the older names, and with the header where Paddle's package has it."""
import pathlib
import subprocess

import numpy as np
import popart_core

import paddle
from paddle import static

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAM = r"""
#include "paddle/include/paddle_inference_api.h"
#include <iostream>

using paddle::AnalysisConfig;
using paddle_infer::PrecisionType;

int main(int, char **argv) {
  const PrecisionType wanted = PrecisionType::kHalf;
  AnalysisConfig config;
  config.SetModel(std::string(argv[1]) + ".pdmodel", std::string(argv[1]) + ".pdiparams");
  config.DisableGlogInfo();
  config.EnableIpu();
  config.SetIpuConfig(wanted == PrecisionType::kFloat32);
  config.SetIpuCustomInfo({{"relu", "Neg", "", "1"}});
  auto predictor = paddle_infer::CreatePredictor(config);
  const float given[] = {1.5f, -2.0f};
  auto input = predictor->GetInputHandle("x");
  input->Reshape({1, 2});
  input->CopyFromCpu(given);
  predictor->Run();
  float found[2];
  predictor->GetOutputHandle(predictor->GetOutputNames()[0])->CopyToCpu(found);
  std::cout << found[0] << " " << found[1] << "\n";
}
"""


def test_older_names_of_the_predictor(tmp_path):
    """A custom operator without a domain is one of PopART's own: relu is replaced by a negation."""
    x = static.data("x", [1, 2])
    y = paddle.scale(paddle.nn.functional.relu(x), 2.0)
    static.save_inference_model(str(tmp_path / "model"), [x], [y], static.Executor(paddle.CPUPlace()))
    (tmp_path / "main.cpp").write_text(PROGRAM)
    libraries = pathlib.Path(popart_core.__file__).parents[1] / "lib"
    subprocess.run(["g++", "-std=c++17", tmp_path / "main.cpp", f"-I{ROOT}/frontends/paddle/include", "-o", tmp_path / "main",
                    f"-L{libraries}", "-lpaddle_inference", "-lpopart", "-lpoplar", f"-Wl,-rpath,{libraries}"], check=True)
    done = subprocess.run([tmp_path / "main", tmp_path / "model"], capture_output=True, text=True)
    assert np.array_equal(np.fromstring(done.stdout, sep=" "), [-3, 4]), done.stderr
