// SPDX-License-Identifier: MIT
#include "Blur.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cmath>
#include <map>

namespace calibration {

using namespace poplar;
using namespace poplar::program;

namespace {

struct Part {
  std::size_t x, y, width, height;
};

// `size` in `count` parts, those at the front as large as the largest.
std::vector<std::pair<std::size_t, std::size_t>> cut(std::size_t size, std::size_t count) {
  const auto each = base::ceilDiv(size, count);
  std::vector<std::pair<std::size_t, std::size_t>> parts;
  for (std::size_t from = 0; from < size; from += each)
    parts.push_back({from, std::min(each, size - from)});
  return parts;
}

std::vector<Part> cut(const Part &whole, Grid grid) {
  std::vector<Part> parts;
  for (auto [y, height] : cut(whole.height, grid.rows))
    for (auto [x, width] : cut(whole.width, grid.columns))
      parts.push_back({whole.x + x, whole.y + y, width, height});
  return parts;
}

// What is left over when the size is cut, relative to the size.
double remainder(std::size_t size, std::size_t by) { return double(size % by) / double(size); }

// Workers cut the dimension that leaves less; rows when neither does. Which it was is not
// published; this gives the published numbers of pieces.
Grid workerGrid(const Part &block, std::size_t workers) {
  return remainder(block.width, workers) < remainder(block.height, workers) ? Grid{workers, 1}
                                                                            : Grid{1, workers};
}

class BlurBuilder {
public:
  BlurBuilder(const Target &target, const Blur &blur)
      : blur_(blur), graph_(target), type_(blur.vertex == "BlurHalf4" ? HALF : FLOAT) {
    graph_.addCodelets(std::string(OPENIPU_CALIBRATION) + "/codelets/blur.cpp");
    for (auto &image : images_)
      image = graph_.addVariable(type_, {blur.height, blur.width, 4}, "image");
    for (unsigned i = 0; i < 2; ++i)
      rimmed_[i] = withRim(images_[i]);
    steps_[0] = graph_.addComputeSet("there");
    steps_[1] = graph_.addComputeSet("back");
    const auto perIpu = target.getTilesPerIPU();
    std::size_t ipu = 0;
    for (const auto &share : cut({0, 0, blur.width, blur.height}, ipuGrid(blur))) {
      auto tile = unsigned(perIpu * ipu++);
      for (const auto &block : cut(share, tileGrid(blur, share.width, share.height, perIpu)))
        addBlock(block, tile++);
    }
  }
  Graph &graph() { return graph_; }
  // Of a loop: what the first image held before does not matter, nor what it holds afterwards.
  Sequence program() const {
    return Sequence(WriteUndef(images_[0]), Execute(steps_[0]), Execute(steps_[1]));
  }
  std::size_t blockWidth = 0, blockHeight = 0;

private:
  // Pixels beside the image are zero and belong to the blocks at its edge.
  Tensor withRim(const Tensor &image) {
    const auto zeros = [&](std::size_t height, std::size_t width) {
      return graph_.addConstant(type_, {height, width, 4}, 0.0f, "rim");
    };
    const auto sides = concat({zeros(blur_.height, 1), image, zeros(blur_.height, 1)}, 1);
    return concat({zeros(1, blur_.width + 2), sides, zeros(1, blur_.width + 2)}, 0);
  }
  void addBlock(const Part &block, unsigned tile) {
    blockWidth = std::max(blockWidth, block.width);
    blockHeight = std::max(blockHeight, block.height);
    const auto left = block.x ? block.x + 1 : 0, top = block.y ? block.y + 1 : 0;
    const bool last = block.x + block.width == blur_.width,
               low = block.y + block.height == blur_.height;
    for (auto &image : rimmed_)
      graph_.setTileMapping(image.slice({top, left, 0}, {block.y + block.height + 1 + low,
                                                         block.x + block.width + 1 + last, 4}),
                            tile);
    for (const auto &part :
         cut(block, workerGrid(block, graph_.getTarget().getNumWorkerContexts())))
      for (unsigned i = 0; i < 2; ++i)
        addVertex(part, tile, steps_[i], rimmed_[i], images_[1 - i]);
  }
  void addVertex(const Part &p, unsigned tile, ComputeSet &step, const Tensor &from,
                 const Tensor &to) {
    const auto in = from.slice({p.y, p.x, 0}, {p.y + p.height + 2, p.x + p.width + 2, 4});
    const auto out = to.slice({p.y, p.x, 0}, {p.y + p.height, p.x + p.width, 4});
    const auto v =
        graph_.addVertex(step, blur_.vertex, {{"in", in.flatten()}, {"out", out.flatten()}});
    graph_.setInitialValue(v["width"], unsigned(p.width));
    graph_.setInitialValue(v["height"], unsigned(p.height));
    graph_.setTileMapping(v, tile);
  }

  const Blur &blur_;
  Graph graph_;
  Type type_;
  Tensor images_[2], rimmed_[2];
  ComputeSet steps_[2];
};

} // namespace

Grid ipuGrid(const Blur &blur) {
  if (blur.cut == Cut::Columns)
    return {blur.ipus, 1};
  const std::size_t less = blur.ipus == 16 ? 4 : blur.ipus >= 4 ? 2 : 1, more = blur.ipus / less;
  return remainder(blur.width, more) <= remainder(blur.height, more) ? Grid{more, less}
                                                                     : Grid{less, more};
}

// As near to squares as the number of tiles allows: 45x47 and 12x12 for 2200x1122 on one and on 16
// IPUs are published.
Grid tileGrid(const Blur &blur, std::size_t width, std::size_t height, std::size_t tiles) {
  const auto ideal = std::sqrt(double(tiles) * double(width) / double(height));
  const auto most = std::max<std::size_t>(1, width / blur.leastWidth);
  const auto columns = std::clamp<std::size_t>(std::size_t(std::lround(ideal)), 1, most);
  return {columns, std::clamp<std::size_t>(tiles / columns, 1,
                                           std::max<std::size_t>(1, height / blur.leastHeight))};
}

// How IPUs share an image that one has does not matter.
std::string Blur::name() const {
  return base::str("blur ", width, " ", height, " ", vertex, " ", ipus, " ",
                   ipus > 1 && cut == Cut::Columns ? "columns " : "", leastWidth, " ", leastHeight);
}

static BlurRun runOnce(const Blur &blur) {
  const auto device = deviceOf("ipu1", blur.ipus);
  BlurBuilder builder(device.getTarget(), blur);
  return {run(device, builder.graph(), builder.program()), builder.blockWidth, builder.blockHeight};
}

const BlurRun &run(const Blur &blur) {
  static std::map<std::string, BlurRun> runs;
  const auto at = runs.find(blur.name());
  return at != runs.end() ? at->second : runs.emplace(blur.name(), runOnce(blur)).first->second;
}

} // namespace calibration
