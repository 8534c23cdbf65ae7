# SPDX-License-Identifier: MIT
"""Reads a digit off a picture on one IPU, with the network that mnist_train.py saved."""
import numpy as np
import paddle.inference
from PIL import Image

config = paddle.inference.Config("./model/mnist.pdmodel", "./model/mnist.pdiparams")
config.enable_ipu()
predictor = paddle.inference.create_predictor(config)

picture = np.asarray(Image.open("./image/infer_3.png").convert("L"), np.float32)
image = predictor.get_input_handle(predictor.get_input_names()[0])
image.reshape([1, 1, 28, 28])
image.copy_from_cpu((picture / 127.5 - 1).reshape(1, 1, 28, 28).astype(np.float32))
predictor.run()
scores = predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu()
print("Inference result of ./infer_3.png is: ", int(np.argmax(scores)))
