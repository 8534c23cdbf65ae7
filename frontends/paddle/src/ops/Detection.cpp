// SPDX-License-Identifier: MIT
// yolo_box: boxes and scores out of the feature map of a YOLO network.
#include "core/Call.hpp"

namespace paddleipu {

namespace {

struct Grid {
  std::int64_t n, anchors, classes, h, w;
};

Value part(const Call &c, Value x, std::int64_t from, std::int64_t to) {
  return c.slice(x, 2, from, to);
}

// 0, 1, ... along one axis of [1, 1, 1, h, w].
Value places(const Call &c, std::int64_t n, bool vertical, DataType type) {
  return c.cast(c.m.reshape(c.iota(n), vertical ? Shape{1, 1, 1, n, 1} : Shape{1, 1, 1, 1, n}),
                type);
}
// (sigmoid(t) * scale - (scale - 1) / 2 + place) / n, of the picture's extent
Value centre(const Call &c, Value t, Value place, std::int64_t n, double scale) {
  const Value inside = c.m.add(c.m.mul(c.m.op("Sigmoid", {t}), scale), -0.5 * (scale - 1));
  return c.m.div(c.m.add(inside, place), double(n));
}
Value extent(const Call &c, Value t, const Integers &anchors, std::size_t first, double size) {
  std::vector<double> all;
  for (std::size_t i = first; i < anchors.size(); i += 2)
    all.push_back(double(anchors[i]) / size);
  const TensorInfo info(c.m.type(t), {1, std::int64_t(all.size()), 1, 1, 1});
  return c.m.mul(c.m.exp(t), c.m.constant(HostTensor::fromDoubles(info, all)));
}

void yoloBox(Call &c) {
  const auto anchors = c.integers("anchors");
  const Shape s = c.shapeOf(c.in("X"));
  Grid g{s[0], std::int64_t(anchors.size() / 2), c.integer("class_num"), s[2], s[3]};
  if (c.flag("iou_aware"))
    c.unimplemented("iou_aware=True is not there.");
  if (s[1] != g.anchors * (5 + g.classes))
    c.fail("X has ", s[1], " channels; ", g.anchors, " anchors with ", g.classes, " classes need ",
           g.anchors * (5 + g.classes), ".");
  const Value x = c.m.reshape(c.in("X"), {g.n, g.anchors, 5 + g.classes, g.h, g.w});
  const auto type = c.m.type(x);
  const double down = double(c.integer("downsample_ratio", 32)), scale = c.real("scale_x_y", 1);
  const Value bx = centre(c, part(c, x, 0, 1), places(c, g.w, false, type), g.w, scale);
  const Value by = centre(c, part(c, x, 1, 2), places(c, g.h, true, type), g.h, scale);
  const Value bw = c.m.mul(extent(c, part(c, x, 2, 3), anchors, 0, down * double(g.w)), 0.5);
  const Value bh = c.m.mul(extent(c, part(c, x, 3, 4), anchors, 1, down * double(g.h)), 0.5);
  const Value confidence = c.m.op("Sigmoid", {part(c, x, 4, 5)});
  const Value sure =
      c.m.op("GreaterOrEqual", {confidence, c.m.scalar(c.real("conf_thresh", 0.01), confidence)});
  const Value size = c.cast(c.in("ImgSize"), type); // [n, 2]: height, width
  const Value height = c.m.reshape(c.slice(size, 1, 0, 1), {g.n, 1, 1, 1, 1});
  const Value width = c.m.reshape(c.slice(size, 1, 1, 2), {g.n, 1, 1, 1, 1});
  const auto edge = [&](Value middle, Value half, Value whole, bool end) {
    const Value at = c.m.mul(end ? c.m.add(middle, half) : c.m.sub(middle, half), whole);
    if (!c.flag("clip_bbox", true))
      return at;
    return end ? c.m.op("Min", {at, c.m.sub(whole, 1.0)}) : c.m.op("Relu", {at});
  };
  const Value boxes = c.concat({edge(bx, bw, width, false), edge(by, bh, height, false),
                                edge(bx, bw, width, true), edge(by, bh, height, true)},
                               2);
  const Value zero = c.m.scalar(0, x);
  const auto listed = [&](Value v, std::int64_t n) { // [n, anchors, k, h, w] -> [n, boxes, k]
    return c.m.reshape(c.m.transpose(c.m.where(sure, v, zero), {0, 1, 3, 4, 2}),
                       {g.n, g.anchors * g.h * g.w, n});
  };
  c.out("Boxes", listed(boxes, 4));
  const Value scores = c.m.mul(c.m.op("Sigmoid", {part(c, x, 5, 5 + g.classes)}), confidence);
  c.out("Scores", listed(scores, g.classes));
}

} // namespace

void addDetection(Registry &r) { r.add("yolo_box", yoloBox); }

} // namespace paddleipu
