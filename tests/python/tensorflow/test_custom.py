# SPDX-License-Identifier: MIT
"""Gradients and operations of the user's own: tf.custom_gradient, and libraries that build programs with Poplar's interface."""
import os
import subprocess

import numpy as np
import popart_core
import pytest
import tensorflow as tf
from tensorflow import keras
from tensorflow.python import ipu

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
SOURCE = r"""
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <popops/ElementWise.hpp>
#include <string>
#include <vector>
using namespace poplar;
using Tensors = std::vector<Tensor>;
extern "C" {
std::int32_t custom_op_api_level = LEVEL;

// y = a * b * scale, z = a + b
program::Program Build(Graph &graph, const Tensors &in, Tensors &out, const std::string &text, const std::string &name) {
  program::Sequence prog;
  Tensor product = popops::mul(graph, in.at(0), in.at(1), prog, name);
  popops::mulInPlace(graph, product, std::stof(text), prog, name);
  out = {product, popops::add(graph, in.at(0), in.at(1), prog, name)};
  return prog;
}
// Not the true gradients: twice those by a, and by b those of z alone.
program::Program Build_grad(Graph &graph, int, const Tensors &dy, const Tensors &in, const Tensors &, Tensors &out,
                            const std::string &text, const std::string &name) {
  program::Sequence prog;
  Tensor da = popops::mul(graph, dy.at(0), in.at(1), prog, name);
  popops::mulInPlace(graph, da, std::stof(text), prog, name);
  out = {da, popops::neg(graph, dy.at(1), prog, name)};
  return prog;
}
program::Program Each(Graph &graph, const Tensors &in, Tensors &out, const std::string &text, const std::string &name) {
  program::Program prog = Build(graph, in, out, text, name);
  out.pop_back();
  return prog;
}
program::Program Each_grad(Graph &graph, int which, const Tensors &dy, const Tensors &, const Tensors &, Tensors &out,
                           const std::string &, const std::string &name) {
  program::Sequence prog;
  out = {popops::mul(graph, dy.at(0), float(which + 1), prog, name)};
  return prog;
}
}
"""


def library(folder, level=5):
    source, made = folder / f"own{level}.cpp", folder / f"libown{level}.so"
    source.write_text(SOURCE.replace("LEVEL", str(level)))
    headers = [f"-I{ROOT}/{path}" for path in ("poplar/include", "poplibs/popops/include", "poplibs/poputil/include")]
    libraries = os.path.join(os.path.dirname(os.path.dirname(popart_core.__file__)), "lib")
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", *headers, "-o", str(made), str(source), f"-L{libraries}",
                    "-lpopops", "-lpoplar"], check=True)
    return str(made)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    return library(tmp_path_factory.mktemp("own"))


OUTS = {"output_types": [tf.float32, tf.float32], "output_shapes": [tf.TensorShape([3]), [3]]}
A, B = np.array([1, 2, 3], "float32"), np.array([4, 5, 6], "float32")


def on_ipu(function, *args):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 1
    config.configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    with strategy.scope():
        return strategy.run(tf.function(function), [tf.constant(a) for a in args])


def test_an_operation_and_its_gradient(own):
    def f(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y, z = ipu.custom_ops.precompiled_user_op([a, b], own, outs=OUTS, attributes="0.5", gradient_attributes="3")
            total = tf.reduce_sum(y) + 2.0 * tf.reduce_sum(z)
        return (y, z, *tape.gradient(total, [a, b]))
    y, z, da, db = on_ipu(f, A, B)
    np.testing.assert_allclose(y, A * B * 0.5)
    np.testing.assert_allclose(z, A + B)
    np.testing.assert_allclose(da, 3 * B)
    np.testing.assert_allclose(db, [-2, -2, -2])


def test_a_gradient_for_each_input(own):
    outs = {"output_types": [tf.float32], "output_shapes": [[3]]}

    def f(a, b, wanted=None):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y, = ipu.custom_ops.precompiled_user_op([a, b], own, outs=outs, op_name="Each", attributes="1",
                                                    separate_gradients=True, inputs_with_gradients=wanted)
            total = tf.reduce_sum(y * y)
        return tape.gradient(total, [a, b], unconnected_gradients="zero")
    da, db = on_ipu(f, A, B)
    np.testing.assert_allclose(da, 2 * A * B)
    np.testing.assert_allclose(db, 4 * A * B)
    da, db = on_ipu(lambda a, b: f(a, b, [1]), A, B)
    np.testing.assert_allclose(da, 0 * A)
    np.testing.assert_allclose(db, 4 * A * B)


def test_libraries_that_do_not_fit(own, tmp_path):
    def call(path=own, **kwargs):
        return on_ipu(lambda a, b: ipu.custom_ops.precompiled_user_op([a, b], path, attributes="1",
                                                                      **{"outs": OUTS, **kwargs})[0], A, B)
    with pytest.raises(ValueError, match="nothing.so is not there"):
        call("/nothing.so")
    with pytest.raises(ValueError, match="as many output_types as output_shapes"):
        call(outs={"output_types": [tf.float32], "output_shapes": []})
    with pytest.raises(ValueError, match="not fully defined"):
        call(outs={"output_types": [tf.float32], "output_shapes": [[None]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="has no function Missing. It must be extern"):
        call(op_name="Missing")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"made 2 outputs; 1 were declared"):
        call(outs={"output_types": [tf.float32], "output_shapes": [[3]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"has the shape \[3\]; \[4\] was declared"):
        call(outs={"output_types": [tf.float32] * 2, "output_shapes": [[4], [3]]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="custom_op_api_level 4; it must be 5"):
        call(library(tmp_path, 4))
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be loaded"):
        call(str(text))


def test_expressions_of_elements():
    found = on_ipu(lambda a, b: ipu.custom_ops.codelet_expression_op(lambda x, y: x * y + x, a, b), A, B)
    np.testing.assert_allclose(found, A * B + A)


# ---- functions of the host

ON_HOST = r"""
#include <cstdint>
#include <string>
#include <vector>
using In = std::vector<const void *>;
using Out = std::vector<void *>;
using Sizes = std::vector<std::uint32_t>;
static const float *floats(const void *p) { return static_cast<const float *>(p); }
extern "C" {
std::int32_t custom_op_api_level = LEVEL;
// y = a * b * scale, n = elements of a
void Callback(const In &in, const Sizes &sizes, const Out &out, const std::string &text, const std::string &) {
  for (std::uint32_t i = 0; i < sizes.at(0); ++i)
    static_cast<float *>(out.at(0))[i] = floats(in.at(0))[i] * floats(in.at(1))[i] * std::stof(text);
  *static_cast<std::int32_t *>(out.at(1)) = std::int32_t(sizes.at(0));
}
// in: gradients of y and n, then a, b, y, n. by a the true one, by b ten times y.
void Callback_grad(const In &in, const Sizes &sizes, const Out &out, const std::string &text, const std::string &) {
  for (std::uint32_t i = 0; i < sizes.at(0); ++i) {
    static_cast<float *>(out.at(0))[i] = floats(in.at(0))[i] * floats(in.at(3))[i] * std::stof(text);
    if (out.size() > 1)
      static_cast<float *>(out.at(1))[i] = 10 * floats(in.at(4))[i];
  }
}
void Alone(const In &in, const Sizes &, const Out &out, const std::string &, const std::string &) {
  *static_cast<float *>(out.at(0)) = floats(in.at(0))[2];
}
}
"""
HOST_OUTS = {"output_types": [tf.float32, tf.int32], "output_shapes": [[3], []]}


def host_library(folder, level=5):
    source, made = folder / f"host{level}.cpp", folder / f"libhost{level}.so"
    source.write_text(ON_HOST.replace("LEVEL", str(level)))
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", "-o", str(made), str(source)], check=True)
    return str(made)


@pytest.fixture(scope="module")
def on_host(tmp_path_factory):
    return host_library(tmp_path_factory.mktemp("host"))


@pytest.mark.parametrize("where", ["ipu", "traced", "at once"])
@pytest.mark.parametrize("wanted", [None, [0]])
def test_a_function_of_the_host_and_its_gradient(on_host, where, wanted):
    def f(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y, n = ipu.custom_ops.cpu_user_op([a, b], on_host, outs=HOST_OUTS, attributes="0.5", gradient_attributes="3",
                                              inputs_with_gradients=wanted)
            total = tf.reduce_sum(y * y)
        return (y, n, *tape.gradient(total, [a, b], unconnected_gradients="zero"))
    run = {"ipu": on_ipu, "traced": lambda g, *v: tf.function(g)(*map(tf.constant, v)),
           "at once": lambda g, *v: g(*map(tf.constant, v))}[where]
    y, n, da, db = run(f, A, B)
    np.testing.assert_allclose(y, A * B * 0.5)
    assert int(n) == 3
    np.testing.assert_allclose(da, 2 * (A * B * 0.5) * B * 3)
    np.testing.assert_allclose(db, 0 * B if wanted else 5 * A * B)


def test_a_function_of_the_host_for_every_batch_and_replica(on_host):
    config = ipu.config.IPUConfig()
    config.auto_select_ipus = 2
    config.configure_ipu_system()
    strategy = ipu.ipu_strategy.IPUStrategy()
    outs = {"output_types": [tf.float32], "output_shapes": [[]]}
    with strategy.scope():
        queue = ipu.ipu_outfeed_queue.IPUOutfeedQueue()
        data = iter(tf.data.Dataset.from_tensor_slices(np.arange(18, dtype="float32").reshape(6, 3)))

        @tf.function
        def step(data):
            for _ in tf.range(3):
                queue.enqueue(ipu.custom_ops.cpu_user_op([next(data)], on_host, outs=outs, op_name="Alone")[0])
        strategy.run(step, [data])
        np.testing.assert_array_equal(queue.dequeue(), [[2, 5], [8, 11], [14, 17]])


def test_functions_of_the_host_that_do_not_fit(on_host, tmp_path):
    def call(path=on_host, **own):
        return ipu.custom_ops.cpu_user_op([tf.constant(A)], path, **{"outs": HOST_OUTS, **own})
    with pytest.raises(ValueError, match="has no function Missing. It must be extern"):
        call(op_name="Missing")
    with pytest.raises(ValueError, match="custom_op_api_level 4; it must be 5"):
        call(host_library(tmp_path, 4))
    with pytest.raises(ValueError, match="cpu_user_op: the library /none.so is not there"):
        call("/none.so")
    with pytest.raises(NotImplementedError, match="one call gives the gradients of all inputs"):
        call(separate_gradients=True)
    with pytest.raises(ValueError, match="not fully defined"):
        call(outs={"output_types": [tf.float32], "output_shapes": [[None]]})


CODELET = """
#include <poplar/Vertex.hpp>
class Thrice : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i) out[i] = 3.0f * in[i];
    return true;
  }
};
"""
WITH_CODELETS = r"""
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>
using namespace poplar;
extern "C" {
std::int32_t custom_op_api_level = 5;
program::Program Build(Graph &graph, const std::vector<Tensor> &in, std::vector<Tensor> &out, const std::string &,
                       const std::string &) {
  ComputeSet set = graph.addComputeSet("thrice");
  Tensor made = graph.addVariable(FLOAT, in.at(0).shape());
  graph.setTileMapping(made, 0);
  VertexRef vertex = graph.addVertex(set, "Thrice", {{"in", in.at(0).flatten()}, {"out", made.flatten()}});
  graph.setTileMapping(vertex, 0);
  out = {made};
  return program::Execute(set);
}
}
"""


def test_codelets_of_an_operation_come_from_a_file(tmp_path):
    (tmp_path / "thrice.cpp").write_text(CODELET)
    (tmp_path / "own.cpp").write_text(WITH_CODELETS)
    libraries = os.path.join(os.path.dirname(os.path.dirname(popart_core.__file__)), "lib")
    subprocess.run(["g++", "-std=c++17", "-shared", "-fPIC", f"-I{ROOT}/poplar/include", "-o", str(tmp_path / "own.so"),
                    str(tmp_path / "own.cpp"), f"-L{libraries}", "-lpoplar"], check=True)
    outs = {"output_types": [tf.float32], "output_shapes": [[3]]}

    def call(a, codelets=str(tmp_path / "thrice.cpp")):
        return ipu.custom_ops.precompiled_user_op([a], str(tmp_path / "own.so"), codelets, outs)[0]
    np.testing.assert_allclose(on_ipu(lambda a: call(call(a)), A), 9 * A)  # twice in one program
    with pytest.raises(ValueError, match="the file of codelets /nothing.gp is not there"):
        on_ipu(lambda a: call(a, "/nothing.gp"), A)


# ---- tf.custom_gradient

@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.math.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))


@pytest.mark.parametrize("traced", [False, True])
def test_a_gradient_that_is_said(traced):
    """The example of TensorFlow's documents: the plain gradient is NaN at 100."""
    def f(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = 2.0 * log1pexp(x)
        return tape.gradient(y, x)
    f = tf.function(f) if traced else f
    for x in (np.array([0.5, 100, -3], "float32"), np.array([1, -1, 90], "float32")):
        np.testing.assert_allclose(f(tf.constant(x)), 2 / (1 + np.exp(-x.astype(float))), rtol=1e-5)


@pytest.mark.parametrize("traced", [False, True])
def test_several_results_and_arguments(traced):
    @tf.custom_gradient
    def two(x, w):
        return (x + w, x * w), lambda p, q: (p * 10.0, q * w)

    def f(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            p, q = two(a, b)
            total = tf.reduce_sum(p) + tf.reduce_sum(q * q)
        return tape.gradient(total, [a, b])
    da, db = (tf.function(f) if traced else f)(tf.constant(A), tf.constant(B))
    np.testing.assert_allclose(da, [10, 10, 10])
    np.testing.assert_allclose(db, 2 * A * B * B)


@pytest.mark.parametrize("ipus", [0, 1])
def test_a_layer_that_says_its_gradient(ipus):
    class Clipped(keras.layers.Layer):
        def build(self, shape):
            self.w = self.add_weight("w", (4,), initializer="ones")

        def call(self, x):
            @tf.custom_gradient
            def times(x, w):
                return x * w, lambda dy: (dy * w, tf.clip_by_value(tf.reduce_sum(dy * x, 0), -0.1, 0.1))
            return times(x, tf.convert_to_tensor(self.w))

    def run():
        model = keras.Sequential([Clipped(input_shape=(4,))])
        model.compile(keras.optimizers.SGD(1.0), "mse")
        model.fit(np.ones((8, 4), "float32"), np.zeros((8, 4), "float32"), batch_size=8, verbose=0)
        return model.get_weights()[0]
    if ipus:
        config = ipu.config.IPUConfig()
        config.auto_select_ipus = ipus
        config.configure_ipu_system()
        with ipu.ipu_strategy.IPUStrategy().scope():
            found = run()
    else:
        found = run()
    np.testing.assert_allclose(found, np.full(4, 0.9), rtol=1e-6)


def test_gradients_that_do_not_fit():
    @tf.custom_gradient
    def few(x, y):
        return x + y, lambda dy: dy
    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1 instead"):
        tf.function(lambda: few(tf.constant(1.0), tf.constant(2.0)))()

    @tf.custom_gradient
    def alone(x):
        return x
    with pytest.raises(ValueError, match="its result and a function of gradients"):
        alone(tf.constant(1.0))

    @tf.custom_gradient
    def shaped(x):
        return x, lambda dy: tf.reduce_sum(dy)
    with pytest.raises(ValueError, match=r"shape \(3,\) has shape \(\)"):
        tf.function(lambda: shaped(tf.constant(A)))()
    with pytest.raises(NotImplementedError, match="variables cannot be arguments"):
        shaped(tf.Variable(A))
