// SPDX-License-Identifier: MIT
// Handwritten digits to learn from, 28 x 28 grey values between 0 and 1. Either MNIST's IDX files
// from a folder, or drawn here: each digit is a few strokes with random slant, size, place,
// thickness and noise, so that telling them apart takes some learning.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

struct Digits {
  static const std::size_t side = 28, pixels = side * side, classes = 10;
  std::vector<float> images; // [size][28][28]
  std::vector<int> labels;   // [size]
  std::size_t size() const { return labels.size(); }
  const float *image(std::size_t i) const { return images.data() + i * pixels; }
};

namespace strokes {

struct Point {
  float x, y; // x to the right, y down, the digit fills about [0,1] x [0,1]
};
typedef std::vector<Point> Line;

// An arc of an ellipse; angles in turns, 0 at the right, a quarter at the bottom.
inline Line arc(float x, float y, float rx, float ry, float from, float to) {
  Line line;
  const int parts = 16;
  for (int i = 0; i <= parts; ++i) {
    const float angle = 6.2831853f * (from + (to - from) * float(i) / parts);
    line.push_back(Point{x + rx * std::cos(angle), y + ry * std::sin(angle)});
  }
  return line;
}

inline std::vector<Line> shapeOf(int digit) {
  switch (digit) {
  case 0:
    return {arc(.5f, .5f, .34f, .48f, 0, 1)};
  case 1:
    return {{{.32f, .2f}, {.55f, .02f}, {.55f, .98f}}};
  case 2:
    return {arc(.5f, .28f, .32f, .27f, .5f, 1.08f), {{.78f, .42f}, {.18f, .97f}, {.85f, .97f}}};
  case 3:
    return {arc(.46f, .26f, .32f, .25f, .55f, 1.25f), arc(.46f, .74f, .36f, .25f, .75f, 1.45f)};
  case 4:
    return {{{.62f, .02f}, {.14f, .66f}, {.88f, .66f}}, {{.66f, .38f}, {.66f, .98f}}};
  case 5:
    return {{{.8f, .03f}, {.28f, .03f}, {.24f, .45f}}, arc(.46f, .67f, .34f, .3f, .68f, 1.42f)};
  case 6:
    return {{{.68f, .03f}, {.4f, .28f}, {.22f, .6f}}, arc(.5f, .69f, .3f, .29f, 0, 1)};
  case 7:
    return {{{.15f, .04f}, {.84f, .04f}, {.42f, .98f}}};
  case 8:
    return {arc(.5f, .26f, .27f, .24f, 0, 1), arc(.5f, .74f, .33f, .25f, 0, 1)};
  default:
    return {arc(.5f, .3f, .3f, .28f, 0, 1), {{.79f, .34f}, {.74f, .66f}, {.6f, .98f}}};
  }
}

// Distance of a point to a segment.
inline float distance(Point p, Point a, Point b) {
  const float dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  float t = length > 0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / length : 0;
  t = std::min(1.f, std::max(0.f, t));
  const float ex = p.x - a.x - t * dx, ey = p.y - a.y - t * dy;
  return std::sqrt(ex * ex + ey * ey);
}

// Where the pen goes on the page: slanted, turned, scaled and moved a little.
struct Hand {
  float slant, turn, width, height, x, y, thickness, noise;
  explicit Hand(std::mt19937 &random) {
    auto between = [&](float lo, float hi) {
      return lo + (hi - lo) * float(random() % 65536) / 65535;
    };
    slant = between(-.45f, .25f);
    turn = between(-.22f, .22f);
    width = between(11, 18);
    height = between(15, 21);
    x = between(-2.5f, 2.5f);
    y = between(-2, 2);
    thickness = between(.8f, 1.9f);
    noise = between(0, .12f);
  }
  Point place(Point p) const {
    const float u = (p.x - .5f) * width - slant * (p.y - .5f) * height, v = (p.y - .5f) * height;
    return Point{14 + x + u * std::cos(turn) - v * std::sin(turn),
                 14 + y + u * std::sin(turn) + v * std::cos(turn)};
  }
};

inline void draw(int digit, std::mt19937 &random, float *image) {
  const Hand hand(random);
  std::vector<Line> lines = shapeOf(digit);
  for (auto &line : lines)
    for (auto &point : line) {
      point = hand.place(point);
      point.x += .5f * (float(random() % 1000) / 1000 - .5f); // no two strokes alike
      point.y += .5f * (float(random() % 1000) / 1000 - .5f);
    }
  for (std::size_t i = 0; i < Digits::pixels; ++i) {
    const Point at = {float(i % Digits::side) + .5f, float(i / Digits::side) + .5f};
    float nearest = 100;
    for (const auto &line : lines)
      for (std::size_t s = 0; s + 1 < line.size(); ++s)
        nearest = std::min(nearest, distance(at, line[s], line[s + 1]));
    const float ink = std::min(1.f, std::max(0.f, hand.thickness + .5f - nearest));
    const float grain = hand.noise * float(random() % 1000) / 1000;
    image[i] = std::min(1.f, ink + grain);
  }
}

} // namespace strokes

inline Digits drawDigits(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Digits digits;
  digits.images.resize(count * Digits::pixels);
  for (std::size_t i = 0; i < count; ++i) {
    digits.labels.push_back(int(random() % Digits::classes));
    strokes::draw(digits.labels.back(), random, digits.images.data() + i * Digits::pixels);
  }
  return digits;
}

namespace idx {

inline std::vector<unsigned char> contents(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("Cannot read " + path +
                             ". The folder must hold MNIST's unpacked IDX files.");
  return std::vector<unsigned char>(std::istreambuf_iterator<char>(file), {});
}

// The sizes in the header of an IDX file with bytes of `rank` dimensions; checks the length.
inline std::vector<std::size_t> sizes(const std::vector<unsigned char> &bytes, unsigned rank,
                                      const std::string &path) {
  std::vector<std::size_t> out;
  std::size_t total = 1;
  for (unsigned d = 0; d < rank && bytes.size() >= 4 + 4 * (d + 1); ++d) {
    const unsigned char *p = &bytes[4 + 4 * d];
    out.push_back(std::size_t(p[0]) << 24 | p[1] << 16 | p[2] << 8 | p[3]);
    total *= out.back();
  }
  if (out.size() != rank || bytes[2] != 8 || bytes[3] != rank ||
      bytes.size() != 4 + 4 * rank + total)
    throw std::runtime_error(path + " is not a complete IDX file of bytes with " +
                             std::to_string(rank) + " dimensions. Download it again.");
  return out;
}

} // namespace idx

// set: "train" or "t10k".
inline Digits readDigits(const std::string &folder, const std::string &set) {
  const std::string images = folder + "/" + set + "-images-idx3-ubyte",
                    labels = folder + "/" + set + "-labels-idx1-ubyte";
  const auto imageBytes = idx::contents(images), labelBytes = idx::contents(labels);
  const auto shape = idx::sizes(imageBytes, 3, images), count = idx::sizes(labelBytes, 1, labels);
  if (shape[0] != count[0] || shape[1] != Digits::side || shape[2] != Digits::side)
    throw std::runtime_error(images + " and " + labels + " do not hold the same 28 x 28 digits.");
  Digits digits;
  for (std::size_t i = 16; i < imageBytes.size(); ++i)
    digits.images.push_back(float(imageBytes[i]) / 255);
  for (std::size_t i = 8; i < labelBytes.size(); ++i) {
    if (labelBytes[i] > 9)
      throw std::runtime_error(labels + " holds the label " + std::to_string(labelBytes[i]) +
                               "; digits go from 0 to 9.");
    digits.labels.push_back(labelBytes[i]);
  }
  return digits;
}
