// SPDX-License-Identifier: MIT
// Rows of the blur: whole runs of 200 or 2000 steps, and the parts of one step.
#include "base/Text.hpp"
#include "Blur.hpp"
#include "Row.hpp"

namespace calibration {
namespace {

using base::str;
using Type = pva::Program::Type;

struct Split {
  double compute, pre, post, exchange, links, sync;
};

// The profile is that of two steps.
void addSplit(Rows &rows, const std::string &id, const Blur &blur, const Split &published) {
  const auto add = [&](const char *kind, const char *part, double value, auto cycles) -> Row & {
    rows.push_back(
        {str(id, " ", part), kind, str("blur step, ", blur.vertex, ", ", blur.ipus, " IPU"), value,
         Unit::Cycles, "LBM", [blur, cycles]() -> Figure {
           const auto &r = run(blur);
           return {cycles(r.profile) / 2, str("blocks of ", r.blockWidth, "x", r.blockHeight)};
         }});
    rows.back().run = blur.name();
    return rows.back();
  };
  add("C++ vertices", "compute", published.compute,
      [](const Profile &p) { return p.named("there") + p.named("back"); });
  const char *copies = "piece of a copy";
  add("on-tile copies", "pre-copy", published.pre, [](const Profile &p) {
    return p.named("/copy-in") + p.named("/pack");
  }).setting(copies);
  add("on-tile copies", "post-copy", published.post, [](const Profile &p) {
    return p.named("/copy-out");
  }).setting(copies);
  add("exchange", "exchange", published.exchange, [](const Profile &p) {
    return p.cycles(Type::DoExchange);
  }).setting("message gap");
  if (published.links)
    add("links", "links", published.links, [](const Profile &p) {
      return p.cycles(Type::GlobalExchange);
    }).setting("links of a rail, hop");
  auto &sync =
      add("sync", "sync", published.sync, [](const Profile &p) { return p.cycles(Type::Sync); });
  if (published.sync == 117)
    sync.setting("boundary");
}

struct Published {
  unsigned ipus;
  double ms;
};

void addRuns(Rows &rows, const char *id, Blur blur, const std::vector<Published> &published,
             unsigned steps = 200, bool weak = false) {
  const auto width = blur.width;
  for (const auto &[ipus, ms] : published) {
    blur.ipus = ipus;
    blur.width = weak ? ipus * width : width;
    rows.push_back(
        {str(id, " x", ipus), ipus > 1 ? "links" : "C++ vertices",
         str(steps, " blur steps, ", blur.vertex, ", ", width, "x", blur.height,
             weak ? " per IPU" : ""),
         ms, Unit::Milliseconds, "LBM", [blur, steps]() -> Figure {
           const auto &r = run(blur);
           return {r.milliseconds(steps), str("blocks of ", r.blockWidth, "x", r.blockHeight)};
         }});
    rows.back().run = blur.name();
    if (weak && ipus > 1) // A4: what their steps take longer than on one IPU
      rows.back().setting("packet of a link");
  }
}

} // namespace

void addBlurRows(Rows &rows) {
  const char *f = "BlurFloat", *f2 = "BlurFloat2", *h4 = "BlurHalf4";
  addSplit(rows, "B9", {2200, 1122, f}, {210249, 8279, 6954, 1173, 0, 117});
  addSplit(rows, "B10", {2200, 1122, f2}, {100257, 8279, 6954, 1173, 0, 117});
  addSplit(rows, "B11", {2200, 1122, h4}, {63531, 5741, 4826, 637, 0, 64});
  addSplit(rows, "B12", {2200, 1122, f, 16}, {13152, 1894, 954, 397, 4048, 640});
  addSplit(rows, "B13", {2200, 1122, h4, 16}, {4446, 1611, 882, 263, 3043, 501});
  addRuns(rows, "B1", {2200, 1122, f}, {{1, 28.361}});
  addRuns(rows, "B2", {2200, 1122, f2}, {{1, 14.612}});
  addRuns(rows, "B3", {2200, 1122, h4}, {{1, 9.200}});
  addRuns(rows, "B4", {2200, 1122, f}, {{2, 16.164}, {8, 5.930}, {16, 2.660}});
  addRuns(rows, "B5", {2200, 1122, h4}, {{2, 6.062}, {4, 3.748}, {8, 2.742}, {16, 1.384}});
  addRuns(rows, "B6", {768, 1024, f},
          {{1, 11.618}, {2, 6.196}, {4, 3.467}, {8, 2.786}, {16, 1.648}});
  addRuns(rows, "B7", {768, 1024, h4}, {{1, 3.739}, {16, 1.368}});
  addRuns(rows, "B8", {499, 302, f}, {{1, 2.052}, {2, 1.656}, {4, 1.073}, {8, 0.934}, {16, 0.874}});
  const auto columns = Cut::Columns;
  addRuns(rows, "B14", {500, 1000, f, 1, columns},
          {{1, 6.924}, {2, 7.664}, {4, 7.933}, {16, 7.956}}, 200, true);
  addRuns(rows, "B15", {500, 1000, f2, 1, columns},
          {{1, 3.954}, {2, 4.694}, {4, 4.962}, {8, 4.970}, {16, 4.985}}, 200, true);
  addRuns(rows, "B16", {500, 1000, h4, 1, columns},
          {{1, 2.549}, {4, 3.553}, {8, 3.556}, {16, 3.571}}, 200, true);
  addRuns(rows, "B17", {2200, 1122, f, 1, columns}, {{1, 284.2}, {2, 162.5}, {4, 83.1}, {16, 30.3}},
          2000);
  // Which side of a least block is which is not published. Rows by columns meets the times.
  const auto least = [&](std::size_t height, std::size_t width, double published) {
    addRuns(rows, str("B18 ", height, "x", width).c_str(),
            {2200, 1122, f, 1, columns, width, height}, {{1, published}}, 2000);
    rows.back().setting("sides of least blocks");
  };
  least(72, 64, 649.6);
  least(72, 32, 455.0);
  least(48, 32, 316.5);
  least(36, 64, 352.5);
  least(24, 128, 499.4);
}

} // namespace calibration
