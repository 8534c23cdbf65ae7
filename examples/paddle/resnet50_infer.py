# SPDX-License-Identifier: MIT
"""resnet50_infer.py [--model FILE --params FILE]: a picture through ResNet-50 on an IPU with paddle.inference.

Without files a network of first values is saved and used: its classes mean nothing, its speed and cycles do.
"""
import argparse
import os
import tempfile
import time

import numpy as np
import paddle
from paddle import inference, static


def make(folder, size):
    paddle.enable_static()
    paddle.seed(1)
    image = static.data("image", [-1, 3, size, size])
    network = paddle.vision.models.resnet50()
    network.eval()
    scores = network(image)
    executor = static.Executor(paddle.CPUPlace())
    executor.run(static.default_startup_program())
    static.save_inference_model(os.path.join(folder, "resnet50"), [image], [scores], executor)
    picture = np.random.RandomState(0).rand(1, 3, size, size).astype(np.float32)
    return picture, executor.run(feed={"image": picture}, fetch_list=[scores])[0]


def predictor_of(program, parameters):
    config = inference.Config(program, parameters)
    config.enable_ipu(ipu_device_num=1, ipu_micro_batch_size=1)
    config.disable_glog_info()
    return inference.create_predictor(config)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--params")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--runs", type=int, default=10)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        expected = None
        picture = np.random.RandomState(0).rand(1, 3, args.size, args.size).astype(np.float32)
        if args.model is None:
            picture, expected = make(folder, args.size)
            args.model, args.params = (os.path.join(folder, "resnet50" + end) for end in (".pdmodel", ".pdiparams"))
        predictor = predictor_of(args.model, args.params)
    handle = predictor.get_input_handle(predictor.get_input_names()[0])
    handle.copy_from_cpu(picture)
    output = predictor.get_output_handle(predictor.get_output_names()[0])
    predictor.run()
    scores = output.copy_to_cpu()
    start = time.perf_counter()
    for _ in range(args.runs):
        predictor.run()
    print(f"class {int(scores.argmax())}, {(time.perf_counter() - start) / args.runs * 1000:.1f} ms a picture on this machine")
    if expected is not None:
        apart = np.abs(scores - expected).max() / np.abs(expected).max()
        print(f"apart from the CPU's scores: {apart:.1e}")
        assert apart < 1e-3


main()
