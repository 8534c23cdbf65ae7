// SPDX-License-Identifier: MIT
#include "Plot.hpp"
#include "base/Text.hpp"
#include "Columns.hpp"
#include "Views.hpp"
#include <algorithm>
#include <stdexcept>

namespace popvision {

namespace {

using base::str;
using base::thousands;

constexpr int width = 720, margin = 20, lineHeight = 18;
constexpr std::size_t lineLength = 105, columns = 340; // of the caption; of tiles side by side

std::string escaped(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return out;
}

std::vector<std::string> wrapped(const std::string &text) {
  std::vector<std::string> lines{""};
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    if (!lines.back().empty() && lines.back().size() + end - at + 1 > lineLength)
      lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + text.substr(at, end - at);
    at = end + 1;
  }
  return lines;
}

std::string textAt(int x, int y, const std::string &text, const char *anchor = "start") {
  return str("<text x=\"", x, "\" y=\"", y, "\" text-anchor=\"", anchor, "\">", escaped(text),
             "</text>\n");
}
std::string box(double x, double y, double w, double h, const char *fill) {
  return str("<rect x=\"", fixed(x, 1), "\" y=\"", fixed(y, 1), "\" width=\"", fixed(w, 1),
             "\" height=\"", fixed(h, 1), "\" fill=\"", fill, "\"/>\n");
}

// The picture with its caption below, which is its title, too.
std::string picture(const std::string &body, int height, const std::string &caption) {
  const auto lines = wrapped(caption);
  const int whole = height + int(lines.size()) * lineHeight + margin;
  std::string out =
      str("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ", width, " ", whole,
          "\" width=\"", width, "\" height=\"", whole,
          "\" font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n<title>", escaped(caption),
          "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", body);
  for (std::size_t i = 0; i < lines.size(); ++i)
    out += textAt(margin, height + int(i + 1) * lineHeight, lines[i]);
  return out + "</svg>\n";
}

std::string madeBy(const view::Summary &v) {
  return str(v.target.numIPUs, v.target.numIPUs == 1 ? " IPU" : " IPUs", ", ", v.target.chip,
             ". Modelled by OpenIPU, Poplar ", v.poplarVersion, ".");
}

std::string stepPlot(const Model &model) {
  const auto v = view::summary(model);
  if (v.step.run < 0 || !v.step.traced)
    throw std::runtime_error("The report has no whole run with its steps, so there is no step to "
                             "plot. Set autoReport.all and run a program.");
  constexpr const char *fills[numKinds] = {"#d9534f", "#c98bb9", "#58b4d8", "#8c8fd8",
                                           "#ef9a3c", "#e6cf4a", "#9aa5b1"};
  constexpr int labels = 120, numbers = 170, bars = width - 2 * margin - labels - numbers;
  std::uint64_t most = 1;
  for (const auto &[kind, cycles] : v.step.cyclesByKind)
    most = std::max(most, cycles);
  std::string body;
  int y = margin;
  for (unsigned i = 0; i < numKinds; ++i) {
    const auto &[kind, cycles] = v.step.cyclesByKind[i];
    if (!cycles)
      continue;
    body += textAt(margin, y + 14, kind) +
            box(margin + labels, y, double(bars) * double(cycles) / double(most), 18, fills[i]) +
            textAt(width - margin, y + 14,
                   str(thousands(cycles), " (",
                       fixed(100 * double(cycles) / double(v.step.cycles), 1), " %)"),
                   "end");
    y += 26;
  }
  return picture(body, y + 4,
                 str("Cycles of one step: ", thousands(v.step.cycles), ", ",
                     fixed(v.step.seconds * 1e6, 1), " us. ", madeBy(v),
                     " Mean errors of the model: ", v.step.howSure, "."));
}

std::string memoryPlot(const Model &model) {
  const auto v = view::summary(model);
  const auto memory = view::memory(model);
  if (memory.withGaps.empty())
    throw std::runtime_error("The report says nothing of tiles' memory.");
  constexpr int height = 240;
  const auto tiles = memory.withGaps.size(), shown = std::min(columns, tiles);
  const double limit = double(v.target.bytesPerTile);
  const double top =
      std::max(limit, double(*std::max_element(memory.withGaps.begin(), memory.withGaps.end())));
  const double step = double(width - 2 * margin) / double(shown);
  const auto heightOf = [&](double bytes) { return double(height) * bytes / std::max(1.0, top); };
  std::string body;
  for (std::size_t i = 0; i < shown; ++i) {
    std::uint64_t most = 0;
    for (auto tile = i * tiles / shown; tile < (i + 1) * tiles / shown; ++tile)
      most = std::max(most, memory.withGaps[tile]);
    body += box(margin + double(i) * step, margin + height - heightOf(double(most)), step,
                heightOf(double(most)), double(most) > limit ? "#c62828" : "#3a6ea5");
  }
  const auto line = margin + height - heightOf(limit);
  body += box(margin, line, width - 2 * margin, 1, "#c62828") +
          textAt(width - margin, int(line) + 14, str(thousands(v.target.bytesPerTile), " bytes"),
                 "end") +
          textAt(margin, margin + height + 16, "tile 0") +
          textAt(width - margin, margin + height + 16, str(tiles - 1), "end");
  return picture(body, margin + height + 24,
                 str("Memory by tile", shown < tiles ? ", of neighbours the fullest" : "",
                     ". The fullest tile is ", v.memory.fullestTile, " with ",
                     thousands(v.memory.fullestTileBytes), " of ", thousands(v.target.bytesPerTile),
                     " bytes. ", madeBy(v)));
}

} // namespace

std::string plotSvg(const Model &model, const std::string &of) {
  if (of == "step")
    return stepPlot(model);
  if (of == "memory")
    return memoryPlot(model);
  throw std::runtime_error(str("There is no plot of \"", base::brief(of), "\".",
                               base::didYouMean(of, {"step", "memory"}),
                               " The plots are step, memory."));
}

} // namespace popvision
