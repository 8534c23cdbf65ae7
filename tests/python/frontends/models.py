# SPDX-License-Identifier: MIT
"""One model in all front ends: weights w of n numbers that begin as 1, 2, 3 ..., the loss sum(w * w * x), SGD with rate 0.1. A
step is w -= 0.2 * w * x. Each class has step(x), which returns the loss, weights(), save(path) and load(path). With `rule` the
optimiser is the one of this name in the front end, with the rule's numbers. Those of FRONT_ENDS train; MODELS has Paddle's
predictor too, which has the weights of a file and neither saves nor trains them."""
import contextlib
import tempfile

import numpy as np


def first(n):
    return np.arange(1, n + 1, dtype=np.float32)


def _options_of_poptorch():
    import poptorch
    options = poptorch.Options()
    options.showCompilationProgressBar(False)
    options.Precision.enableFloatingPointExceptions(True)
    return options


def _optimizer_of_torch(net, rule, numbers):
    import poptorch
    import torch
    kind = torch.optim.SGD if rule is None else getattr(poptorch.optim, rule)
    numbers = {"learning_rate": 0.1, **numbers}
    return kind(net.parameters(), lr=numbers.pop("learning_rate"), **numbers)


class Poptorch:
    saved = "model.pt"

    def __init__(self, n=4, rule=None, **numbers):
        import poptorch
        import torch
        from squares import Squares
        self._net = Squares(first(n))
        self._torch = torch
        self.optimizer = _optimizer_of_torch(self._net, rule, numbers)
        self._model = poptorch.trainingModel(self._net, _options_of_poptorch(), self.optimizer)

    def step(self, x):
        return float(self._model(self._torch.from_numpy(x)))

    def weights(self):
        return self._net.w.detach().numpy().copy()

    def save(self, path):
        self._model.save(path)

    def load(self, path):
        import poptorch
        self._model = poptorch.load(path)
        self._net = self._model._user_model

    def close(self):
        self._model.destroy()


class PiMl:
    """A step is a training of one batch, which has the IPUs as long as it lasts."""
    saved = "model.ckpt"

    def __init__(self, n=4, rule=None, **numbers):
        import pi_ml
        from squares import Squares
        front_end = self

        class Training(pi_ml.LightningModule):
            def __init__(self):
                super().__init__()
                self.net = Squares(first(n))

            def training_step(self, batch, batch_idx):
                return self.net(batch[0])

            def configure_optimizers(self):
                return front_end.optimizer

            def on_train_batch_end(self, outputs, batch, batch_idx):
                front_end._loss = float(outputs["loss"])

        self._pi_ml, self._module, self._trainer = pi_ml, Training(), None
        self.optimizer = _optimizer_of_torch(self._module.net, rule, numbers)

    def step(self, x):
        import torch
        strategy = self._pi_ml.strategies.IPUStrategy(training_opts=_options_of_poptorch())
        self._trainer = self._pi_ml.Trainer(ipus=1, strategy=strategy, max_epochs=1, logger=False, enable_checkpointing=False,
                                            enable_progress_bar=False, enable_model_summary=False)
        data = torch.utils.data.TensorDataset(torch.from_numpy(x)[None])
        self._trainer.fit(self._module, torch.utils.data.DataLoader(data))
        if self._trainer.interrupted:
            raise KeyboardInterrupt
        return self._loss

    def weights(self):
        return self._module.net.w.detach().numpy().copy()

    def save(self, path):
        self._trainer.save_checkpoint(path)

    def load(self, path):
        import torch
        self._module.load_state_dict(torch.load(path)["state_dict"])

    def close(self):
        pass


class Keras:
    saved = "weights.h5"

    def __init__(self, n=4, rule="SGD", **numbers):
        import tensorflow as tf
        from tensorflow.python import ipu
        config = ipu.config.IPUConfig()
        config.auto_select_ipus = 1
        config.floating_point_behaviour.inv = config.floating_point_behaviour.oflo = True
        config.floating_point_behaviour.div0 = True
        config.configure_ipu_system()

        class Squares(tf.keras.layers.Layer):
            def build(self, shape):
                self.w = self.add_weight("w", [n], initializer=lambda shape, dtype=None: tf.constant(first(n)))

            def call(self, x):
                return self.w * self.w * x

        self._ipu, self._strategy = ipu, ipu.ipu_strategy.IPUStrategy()
        with self._strategy.scope():
            self._model = tf.keras.Sequential([tf.keras.Input([n]), Squares()])
            self.optimizer = getattr(tf.keras.optimizers, rule)(**{"learning_rate": 0.1, **numbers})
            self._model.compile(optimizer=self.optimizer, loss=lambda _, y: tf.reduce_sum(y, -1))

    def step(self, x):
        with self._strategy.scope():
            found = self._model.fit(x[None], np.zeros([1, 1], np.float32), batch_size=1, epochs=1, verbose=0, shuffle=False)
        return float(found.history["loss"][0])

    def weights(self):
        return self._model.get_weights()[0]

    def save(self, path):
        self._model.save_weights(path)

    def load(self, path):
        self._model.load_weights(path)

    def close(self):
        self._ipu.config.reset_ipu_configuration()


class Paddle:
    saved = "model.pdparams"

    def __init__(self, n=4, rule="SGD", **numbers):
        import paddle
        from paddle import static
        paddle.enable_static()
        self._static, self._scope = static, static.Scope()
        self._program, startup = static.Program(), static.Program()
        with static.program_guard(self._program, startup), self._own():
            x = static.data("x", [1, n])
            w = static.create_parameter([n], "float32", name="w", default_initializer=paddle.nn.initializer.Assign(first(n)))
            self._loss = paddle.sum(w * w * x)
            getattr(paddle.optimizer, rule)(**{"learning_rate": 0.1, **numbers}).minimize(self._loss)
            self._exe = static.Executor(paddle.IPUPlace())
            self._exe.run(startup)
        self._compiled = None

    def _own(self):
        return self._static.scope_guard(self._scope)

    def step(self, x):
        with self._own():
            if self._compiled is None:
                strategy = self._static.IpuStrategy()
                strategy.set_graph_config(is_training=True, micro_batch_size=1)
                strategy.set_options({"enable_floating_point_checks": True})
                self._ipu = self._static.IpuCompiledProgram(self._program, ipu_strategy=strategy)
                self._compiled = self._ipu.compile(["x"], [self._loss.name])
            return float(np.ravel(self._exe.run(self._compiled, feed={"x": x[None]}, fetch_list=[self._loss])[0])[0])

    def _fetch(self):
        if self._compiled is not None:
            self._ipu._backend.weights_to_host()

    def weights(self):
        self._fetch()
        return np.array(self._scope.find_var("w").get_tensor())

    def save(self, path):
        self._fetch()
        with self._own():
            self._static.save(self._program, path.removesuffix(".pdparams"))

    def load(self, path):
        with self._own():
            self._static.load(self._program, path.removesuffix(".pdparams"))

    def close(self):
        if self._compiled is not None:
            self._ipu._backend.detach()


class Popart:
    saved = "model.onnx"

    def __init__(self, n=4, rule=None, **numbers):
        import popart
        self._popart, self._optimizer = popart, popart.ConstSGD(0.1)
        if rule is not None:
            found = next(one for one in popart.optimizerRules() if one.name == rule)
            self._optimizer = popart.RuleOptimizer(found, {name: (value, False) for name, value in numbers.items()})
        builder = popart.Builder()
        self._w = builder.addInitializedInputTensor(first(n), "w")
        self._x = builder.addInputTensor("FLOAT", [n])
        squares = builder.aiOnnx.mul([builder.aiOnnx.mul([self._w, self._w]), self._x])
        self._loss = builder.aiGraphcore.identityloss([squares], reduction=popart.ReductionType.Sum)
        self._proto, self._session, self._device = builder.getModelProto(), None, None

    def _start(self):
        popart, options = self._popart, self._popart.SessionOptions()
        options.enableFloatingPointChecks = True
        self._device = popart.DeviceManager().acquireAvailableDevice(1)
        self._session = popart.TrainingSession(
            self._proto, popart.DataFlow(1, {self._loss: popart.AnchorReturnType("All")}), self._loss,
            self._optimizer, self._device, userOptions=options)
        self._session.prepareDevice()
        self._session.weightsFromHost()

    def step(self, x):
        if self._session is None:
            self._start()
        if self._session.needsWeights():  # a step was broken off within an update
            self._session.weightsFromHost()
        anchors = self._session.initAnchorArrays()
        self._session.run(self._popart.PyStepIO({self._x: x}, anchors))
        return float(np.ravel(anchors[self._loss])[0])

    def weights(self):
        w = np.zeros(self._session.getInfo(self._w).shape(), np.float32)
        self._session.weightsToHost()
        self._session.readWeights(self._popart.PyWeightsIO({self._w: w}))
        return w

    def save(self, path):
        self._session.modelToHost(path)

    def load(self, path):
        self.close()
        self._proto, self._session = path, None
        self._start()

    def close(self):
        if self._device is not None:
            self._session = None
            with contextlib.suppress(self._popart.popart_exception):
                self._device.detach()


class Predictor:
    """Of Paddle. weights() asks the device: what it says of (1, 0, 0 ...) is w[0] * w[0]."""

    def __init__(self, n=4):
        import paddle
        from paddle import inference, static
        paddle.enable_static()
        self._n, self._folder, self._predictor = n, tempfile.TemporaryDirectory(), None
        path = self._folder.name + "/model"
        program, startup = static.Program(), static.Program()
        with static.scope_guard(static.Scope()), static.program_guard(program, startup):
            x = static.data("x", [1, n])
            w = static.create_parameter([n], "float32", name="w", default_initializer=paddle.nn.initializer.Assign(first(n)))
            loss = paddle.sum(w * w * x)
            exe = static.Executor(paddle.CPUPlace())
            exe.run(startup)
            static.save_inference_model(path, [x], [loss], exe, program=program)
        self._inference, self._config = inference, inference.Config(path + ".pdmodel", path + ".pdiparams")
        self._config.enable_ipu(1, 1)
        self._config.disable_glog_info()

    def step(self, x):
        if self._predictor is None:
            self._predictor = self._inference.create_predictor(self._config)
        predictor = self._predictor
        predictor.get_input_handle("x").copy_from_cpu(x[None])
        predictor.run()
        return float(np.ravel(predictor.get_output_handle(predictor.get_output_names()[0]).copy_to_cpu())[0])

    def weights(self):
        return np.sqrt([self.step(row) for row in np.eye(self._n, dtype=np.float32)])

    def close(self):
        self._predictor = None
        self._folder.cleanup()


FRONT_ENDS = {"poptorch": Poptorch, "pi_ml": PiMl, "keras": Keras, "paddle": Paddle, "popart": Popart}
MODELS = {**FRONT_ENDS, "predictor": Predictor}
