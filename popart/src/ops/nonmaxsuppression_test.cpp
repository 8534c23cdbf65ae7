// SPDX-License-Identifier: MIT
#include "model.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

using std::int64_t;

struct Case {
  int64_t batch, classes, boxes, most;
  double overlap, score; // score < -1: no threshold
  bool center;
};

struct Box {
  double top, left, bottom, right;
};
Box boxOf(const double *v, bool center) {
  if (center)
    return {v[1] - v[3] / 2, v[0] - v[2] / 2, v[1] + v[3] / 2, v[0] + v[2] / 2};
  return {std::min(v[0], v[2]), std::min(v[1], v[3]), std::max(v[0], v[2]), std::max(v[1], v[3])};
}
double overlap(const Box &a, const Box &b) {
  const auto area = [](const Box &x) { return (x.bottom - x.top) * (x.right - x.left); };
  const double h = std::min(a.bottom, b.bottom) - std::max(a.top, b.top),
               w = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double common = std::max(h, 0.0) * std::max(w, 0.0);
  return common / (area(a) + area(b) - common);
}

// Candidates in order of their scores; each stays unless one that stayed covers it.
Doubles wanted(const Case &c, const Doubles &boxes, const Doubles &scores) {
  Doubles out;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t k = 0; k < c.classes; ++k) {
      const double *own = scores.data() + (b * c.classes + k) * c.boxes;
      std::vector<int64_t> order, stay;
      for (int64_t i = 0; i < c.boxes; ++i)
        if (own[i] >= c.score)
          order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return own[i] > own[j]; });
      const auto box = [&](int64_t i) {
        return boxOf(boxes.data() + (b * c.boxes + i) * 4, c.center);
      };
      for (auto i : order)
        if (int64_t(stay.size()) < c.most && std::none_of(stay.begin(), stay.end(), [&](auto j) {
              return overlap(box(i), box(j)) > c.overlap;
            }))
          stay.push_back(i);
      for (auto i : stay)
        for (auto n : {b, k, i})
          out.push_back(double(n));
    }
  out.resize(std::size_t(c.batch * c.classes * std::min(c.most, c.boxes) * 3), -1);
  return out;
}

} // namespace

TEST(NonMaxSuppressionOp, ChoosesWhatAPlainLoopChooses) {
  for (const Case &c : {Case{1, 1, 12, 5, 0.3, -9, false}, Case{2, 3, 20, 6, 0.4, 0.2, false},
                        Case{2, 2, 9, 50, 0.0, -0.5, true}, Case{1, 3, 7, 2, 0.6, 0.99, true},
                        Case{3, 1, 1, 3, 0.5, 0.0, false}, Case{1, 2, 15, 4, 1.0, -9, false}}) {
    Model m;
    const Value boxes = m.randomInput({c.batch, c.boxes, 4}, 0.1, 1),
                scores = m.randomInput({c.batch, c.classes, c.boxes});
    Values inputs{boxes, scores, m.constant({1}, {double(c.most)}, DataType::INT64),
                  m.input({1}, {c.overlap})};
    if (c.score > -2)
      inputs.push_back(m.input({}, {c.score}));
    const Value y =
        m.imported("NonMaxSuppression", inputs, {{"center_point_box", int64_t(c.center)}}, 11)[0];
    EXPECT_EQ(m.graph[y].info.shape(), (Shape{c.batch * c.classes * std::min(c.most, c.boxes), 3}));
    expectNear(m.run(y), wanted(c, m.fed(boxes), m.fed(scores)));
  }
}

TEST(NonMaxSuppressionOp, OfEqualScoresTakesTheFirstAndNoneWithoutALimit) {
  Model m;
  const Value boxes = m.input({1, 3, 4}, {5, 5, 6, 6, 0, 0, 1, 1, 0, 0, 1, 1}),
              scores = m.input({1, 1, 3}, {0.5, 0.5, 0.5});
  const Value two = m.constant({}, {2}, DataType::INT64);
  const Value y = m.imported("NonMaxSuppression", {boxes, scores, two}, {}, 11)[0];
  expectNear(m.run(y), {0, 0, 0, 0, 0, 1});
  const Value none = m.imported("NonMaxSuppression", {boxes, scores}, {}, 11)[0];
  EXPECT_EQ(m.graph[none].info.shape(), (Shape{0, 3}));
}
