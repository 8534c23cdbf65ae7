# SPDX-License-Identifier: MIT
"""Trains a small network on MNIST on one IPU, tests it there, and saves it for mnist_infer.py."""
import draw_mnist
import numpy as np
import paddle
import paddle.fluid as fluid
import paddle.static as static

BATCH = 1  # of the graph
STEPS = 64  # batches of one run


def network():
    image = static.data("img", [BATCH, 1, 28, 28], "float32")
    label = static.data("label", [BATCH, 1], "int64")
    x = fluid.nets.simple_img_conv_pool(image, 20, 5, 2, 2, act="relu")
    x = fluid.layers.batch_norm(x)
    x = fluid.nets.simple_img_conv_pool(x, BATCH, 5, 2, 2, act="relu")
    prediction = fluid.layers.fc(x, 10, act="softmax")
    loss = fluid.layers.mean(fluid.layers.cross_entropy(prediction, label))
    return image, label, prediction, loss


def loader(mode):
    dataset = paddle.vision.datasets.MNIST(mode=mode, transform=lambda x: x / 127.5 - 1, **draw_mnist.files(mode))

    def collate(samples):
        images = np.stack([image.reshape(1, 28, 28) for image, _ in samples]).astype(np.float32)
        return images, np.stack([label for _, label in samples])

    return paddle.io.DataLoader(dataset, batch_size=BATCH * STEPS, collate_fn=collate, shuffle=mode == "train",
                                drop_last=True)


def progress(done, total):
    if done % 20 == 0 and done > 0:
        print(f"Graph compilation: {done}/{total}")


def compile(program, training, fetches):
    strategy = static.IpuStrategy()
    strategy.set_graph_config(is_training=training)
    strategy.set_pipelining_config(batches_per_step=STEPS)
    if training:
        strategy.set_options({"compilation_progress_logger": progress})
    print("start compiling model for ipu, it will need some minutes")
    ipu_program = static.IpuCompiledProgram(program, ipu_strategy=strategy)
    compiled = ipu_program.compile(["img", "label"], [v.name for v in fetches])
    print("finish model compiling!")
    return ipu_program, compiled


def main():
    paddle.enable_static()
    paddle.seed(42)
    np.random.seed(42)
    image, label, prediction, loss = network()
    main_program = static.default_main_program()
    test_program = main_program.clone(for_test=True)
    executor = static.Executor(paddle.IPUPlace())
    paddle.optimizer.Adam(learning_rate=0.001).minimize(loss)
    executor.run(static.default_startup_program())

    print("start training")
    fetches = [prediction, loss]
    ipu_program, compiled = compile(main_program, True, fetches)
    for step, (images, labels) in enumerate(loader("train")):
        _, losses = executor.run(compiled, feed={"img": images, "label": labels}, fetch_list=fetches)
        if step % 40 == 0:
            print(f"step: {step}, loss: {np.mean(losses)}")
    ipu_program._backend.weights_to_host()
    print("finish training!")

    print("start verifying")
    _, compiled = compile(test_program, False, fetches)
    right = count = 0
    for images, labels in loader("test"):
        scores, _ = executor.run(compiled, feed={"img": images, "label": labels}, fetch_list=fetches)
        right += int((scores.reshape(-1, 10).argmax(1) == labels[:, 0]).sum())
        count += len(labels)
    print(f"top1 score: {right / count}")
    static.save_inference_model("./model/mnist", [image], [prediction], executor)


main()
