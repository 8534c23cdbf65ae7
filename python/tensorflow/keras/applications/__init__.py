# SPDX-License-Identifier: MIT
"""tf.keras.applications: networks for images with random weights, or those of a file; nothing is downloaded."""
from tensorflow import _names

_FILES = {"resnet": "ResNet50 ResNet101 ResNet152", "resnet_v2": "ResNet50V2 ResNet101V2 ResNet152V2", "vgg": "VGG16 VGG19",
          "mobilenet": "MobileNet", "mobilenet_v2": "MobileNetV2", "densenet": "DenseNet121 DenseNet169 DenseNet201",
          "efficientnet": " ".join(f"EfficientNetB{i}" for i in range(8))}
_PATHS = {"resnet50": "resnet", "vgg16": "vgg", "vgg19": "vgg"}  # Keras' names of files
_modules = {name: f"tensorflow.keras.applications.{name}" for name in _FILES if name != "vgg"}
_modules |= {name: f"tensorflow.keras.applications.{name}" for name in _PATHS}
_modules |= {name: f"tensorflow.keras.applications.{file}:{name}" for file, names in _FILES.items() for name in names.split()}
_names.lazy(globals(), _modules)
__all__ = sorted(_modules)
