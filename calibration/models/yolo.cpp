// SPDX-License-Identifier: MIT
// Scaled-YOLOv4-P5 for inference: norms are folded into the convolutions, boxes are decoded and all
// of them returned.
#include "models.hpp"

namespace calibration::models {
namespace {

constexpr std::int64_t anchors = 4, classes = 80;

class Yolo {
public:
  explicit Yolo(Net &net) : net_(net) {}

  TensorId boxes(TensorId x) {
    x = down(conv(x, 32, 3), 64, 1);
    x = down(x, 128, 3);
    const auto p3 = down(x, 256, 15), p4 = down(p3, 512, 15);
    const auto p5 = pyramid(down(p4, 1024, 7), 512);
    const auto n4 = csp2(join(up(conv(p5, 256, 1)), conv(p4, 256, 1)), 256);
    const auto n3 = csp2(join(up(conv(n4, 128, 1)), conv(p3, 128, 1)), 128);
    const auto m4 = csp2(join(conv(n3, 256, 3, 2), n4), 256);
    const auto m5 = csp2(join(conv(m4, 512, 3, 2), p5), 512);
    return net_.onnx.concat(
        {head(conv(n3, 256, 3)), head(conv(m4, 512, 3)), head(conv(m5, 1024, 3))}, 1);
  }

private:
  TensorId join(const TensorId &a, const TensorId &b) { return net_.onnx.concat({a, b}, 1); }
  // x tanh(log(1 + e^x))
  TensorId mish(const TensorId &x) {
    return net_.onnx.mul({x, net_.onnx.tanh({net_.onnx.softplus({x})})});
  }
  TensorId conv(const TensorId &x, std::int64_t out, std::int64_t kernel, std::int64_t stride = 1) {
    return mish(net_.conv(x, out, kernel, stride, 1, true));
  }
  TensorId bottlenecks(TensorId x, std::int64_t width, std::int64_t n, bool added) {
    for (std::int64_t i = 0; i < n; ++i) {
      const auto y = conv(conv(x, width, 1), width, 3);
      x = added ? net_.onnx.add({x, y}) : y;
    }
    return x;
  }
  // Half the size; half of the channels take the short way.
  TensorId down(const TensorId &in, std::int64_t width, std::int64_t n) {
    const auto x = conv(in, width, 3, 2);
    const auto half = width / 2;
    const auto deep = net_.conv(bottlenecks(conv(x, half, 1), half, n, true), half, 1);
    return conv(mish(join(deep, net_.conv(x, half, 1))), width, 1);
  }
  TensorId csp2(const TensorId &in, std::int64_t width) {
    const auto x = conv(in, width, 1);
    return conv(mish(join(bottlenecks(x, width, 3, false), net_.conv(x, width, 1))), width, 1);
  }
  TensorId pyramid(const TensorId &in, std::int64_t width) {
    const auto x = conv(conv(conv(in, width, 1), width, 3), width, 1);
    std::vector<TensorId> sizes{x};
    for (const std::int64_t window : {5, 9, 13})
      sizes.push_back(net_.maxPool(x, window, 1, window / 2));
    const auto y = conv(conv(net_.onnx.concat(sizes, 1), width, 1), width, 3);
    return conv(mish(join(y, net_.conv(in, width, 1))), width, 1);
  }
  TensorId up(const TensorId &x) {
    const auto s = net_.shape(x);
    auto y = net_.graphcore.reshape(x, {s[0], s[1], s[2], 1, s[3], 1});
    y = net_.onnx.expand({y, net_.integers({s[0], s[1], s[2], 2, s[3], 2})});
    return net_.graphcore.reshape(y, {s[0], s[1], 2 * s[2], 2 * s[3]});
  }

  TensorId part(const TensorId &x, std::int64_t from, std::int64_t to) {
    return net_.onnx.slice({x, net_.integers({from}), net_.integers({to}), net_.integers({3})});
  }
  // One row per box: place (from the cell's corner), size (of the anchor), objectness, classes.
  TensorId head(const TensorId &x) {
    const auto out = net_.conv(x, anchors * (classes + 5), 1, 1, 1, true);
    const auto s = net_.shape(out);
    const auto places = s[2] * s[3];
    auto y = net_.graphcore.reshape(out, {s[0], anchors, classes + 5, places});
    y = net_.onnx.sigmoid({net_.onnx.transpose({y}, {0, 1, 3, 2})});
    const auto name = "head" + std::to_string(places);
    const auto corner = net_.onnx.add({net_.graphcore.scale({part(y, 0, 2)}, 2),
                                       net_.weight({1, 1, places, 2}, name + ".cells")});
    const auto size = net_.onnx.mul({net_.onnx.mul({part(y, 2, 4), part(y, 2, 4)}),
                                     net_.weight({1, anchors, 1, 2}, name + ".anchors")});
    const auto boxes = net_.onnx.concat({corner, size, part(y, 4, classes + 5)}, 3);
    return net_.graphcore.reshape(boxes, {s[0], anchors * places, classes + 5});
  }

  Net &net_;
};

} // namespace

Made yolo(std::int64_t batch, std::int64_t pixels, const std::string &type) {
  Made made{std::make_unique<Net>(type), {}, nullptr};
  made.result = Yolo(*made.net).boxes(made.net->bytes({batch, 3, pixels, pixels}, "images"));
  made.net->builder->addOutputTensor(made.result);
  return made;
}

} // namespace calibration::models
