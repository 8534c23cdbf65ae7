// SPDX-License-Identifier: MIT
// c is cut into pieces, each done by one thread. Within a piece, a panel of b (some columns, a
// stretch of k) is packed so that it streams through the cache, and meets all rows of a. Panels
// that several pieces need are packed once, before them. Products of which both sides run along k,
// with few rows, are dot products without any packing.
#include "poplin/Gemm.hpp"
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "epilogue/Finish.hpp"
#include "matmul/Micro.hpp"
#include "matmul/Pack.hpp"
#include <algorithm>
#include <optional>

namespace poplin {
namespace {

using poplar::TypeId;
constexpr std::size_t depth = 256; // of k at a time: a panel of 64 columns is 64 KiB

Strided strided(const GemmMatrix &m, std::size_t group) {
  return {Strided{m.data, m.type, m.group, 0}.at(group, 0).data, m.type, m.row, m.column};
}
Finish finishOf(const Gemm &g, std::size_t group) {
  Finish finish;
  finish.activation = g.finish.activation;
  for (const auto &m : g.finish.add)
    finish.add[finish.adds++] = strided(m, group);
  return finish;
}
// Without what lies where the sums go.
Finish without(Finish finish, const void *home) {
  unsigned kept = 0;
  for (unsigned i = 0; i < finish.adds; ++i)
    if (finish.add[i].data != home)
      finish.add[kept++] = finish.add[i];
  finish.adds = kept;
  return finish;
}
bool alongK(const Strided &rows) { return rows.type == TypeId::Float && rows.column == 1; }

// Columns of a lie along m, and few columns of c: sums of outer products need no copy of a.
bool outerProduct(const Strided &a, std::size_t n) {
  return a.type == TypeId::Float && a.row == 1 && a.column != 1 && n < 192;
}

// m rows in tiles of at most `most`, of nearly equal size.
struct Tiles {
  std::size_t rows, count;
  Tiles(std::size_t rows, std::size_t most) : rows(rows), count(base::ceilDiv(rows, most)) {}
  std::size_t begin(std::size_t i) const { return rows * i / count; }
};

// All panels of b in a row: stretches of k, then columns.
struct Panels {
  const float *data = nullptr; // null: each piece packs its own
  std::size_t width = 0, across = 0;
  Panels group(std::size_t i, std::size_t k) const {
    return {data ? data + i * base::ceilDiv(k, depth) * across * depth * width : nullptr, width,
            across};
  }
  const float *at(std::size_t k, std::size_t column) const {
    return data + (k / depth * across + column / width) * depth * width;
  }
};

void packPanel(const Strided &from, std::size_t length, std::size_t columns, std::size_t lanes,
               float *panel) {
  auto packed = base::roundUp(columns, lanes);
  if (packed != columns)
    std::fill_n(panel, length * packed, 0.f);
  pack(from, length, columns, panel, packed);
}

struct Piece {
  const Gemm &g;
  Strided a, b, c; // of this piece
  std::size_t m, n;
  Panels shared;
  std::size_t column; // of the whole product: where this piece begins
  Finish finish;      // of this piece
  const micro::Kernels &kernels = micro::kernels();
  std::size_t width = kernels.vectors * kernels.lanes;
  Finish others = without(finish, c.data); // in place, sums start from what c holds
  unsigned held = finish.adds - others.adds;
  bool direct = c.type == TypeId::Float && c.column == 1 && g.alpha == 1 &&
                (g.beta == 0 || g.beta == 1) && held < 2;
  bool outer = outerProduct(a, n);
  // Whether panels may begin earlier, and compute some columns again: nothing is added up that
  // another panel has begun.
  bool sliding = direct && !shared.data && (outer || g.k <= depth) && g.beta == 0 && !held;
  // A piece of less than a panel becomes whole vectors and one that slides.
  bool cut = sliding && n < width && n > kernels.lanes &&n % kernels.lanes;

  float *rows = nullptr, *panel = nullptr, *result = nullptr, *room = nullptr;
  const float **pointers = nullptr; // of a: m of them, or one per k; then of b, one per k

  void run() {
    const auto panels = numPanels();
    panel = scratch(Slot::Panel, depth * width);
    // Rows that lie far apart compete for the same places in the cache: a copy pays when it is
    // used for many panels.
    if (!outer && (!alongK(a) || (n >= 256 && a.row >= 512)))
      rows = scratch(Slot::Rows, m * depth);
    result = scratch(Slot::Result, (direct ? 1 : panels) * m * width);
    if (finish.adds)
      room = scratch(Slot::Extras, 2 * micro::maxRows * width);
    pointers = static_cast<const float **>(
        scratchBytes(Slot::Pointers, (std::max(m, depth) + depth) * sizeof(float *)));
    const auto stretches = base::ceilDiv(g.k, depth);
    // Rows are prepared for all panels at a time; where there is little to prepare, panels are
    // finished one by one.
    for (std::size_t i = 0; i < stretches * panels; ++i) {
      const auto p = outer ? i / stretches : i % panels;
      const auto k = (outer ? i % stretches : i / panels) * depth;
      const auto length = std::min(depth, g.k - k);
      if (outer || p == 0)
        prepareRows(k, length);
      runPanel(k, length, p);
    }
    for (std::size_t p = 0; p < panels; ++p)
      if (!isDirect(p))
        unpack(resultOf(p), width, m, panelWidth(p), c.at(0, panelBegin(p)), g.alpha, g.beta);
  }

private:
  std::size_t numPanels() const { return cut ? 2 : base::ceilDiv(n, width); }
  std::size_t panelBegin(std::size_t p) const {
    return cut && p ? n / kernels.lanes * kernels.lanes : p * width;
  }
  std::size_t panelWidth(std::size_t p) const {
    return (p + 1 == numPanels() ? n : panelBegin(p + 1)) - panelBegin(p);
  }
  // Straight into c; only the last panel may be ragged.
  bool isDirect(std::size_t p) const {
    return direct && (panelWidth(p) % kernels.lanes == 0 || slides(p));
  }
  bool slides(std::size_t p) const { return sliding && p > 0 && panelWidth(p) % kernels.lanes; }
  float *resultOf(std::size_t p) const { return result + (direct ? 0 : p) * m * width; }

  void prepareRows(std::size_t k, std::size_t length) {
    auto from = a.at(0, k);
    auto *base = static_cast<const float *>(from.data);
    if (outer) {
      for (std::size_t i = 0; i < length; ++i)
        pointers[i] = base + std::int64_t(i) * a.column;
      return;
    }
    std::int64_t stride = a.row;
    if (rows) {
      pack(from, m, length, rows, depth);
      base = rows, stride = depth;
    }
    for (std::size_t i = 0; i < m; ++i)
      pointers[i] = base + std::int64_t(i) * stride;
  }

  void runPanel(std::size_t k, std::size_t length, std::size_t p) {
    auto columns = panelWidth(p);
    auto vectors = base::ceilDiv(columns, kernels.lanes), packed = vectors * kernels.lanes;
    auto first = panelBegin(p);
    if (isDirect(p) && columns != packed)
      first -= packed - columns, columns = packed;
    auto from = b.at(k, first);
    Tiles tiles(m, kernels.rowsFor[vectors]);
    bool inPlace =
        !shared.data && from.type == TypeId::Float && b.column == 1 && packed == columns && m <= 64;
    float *to = isDirect(p) ? static_cast<float *>(c.at(0, first).data) : resultOf(p);
    const auto toRow = isDirect(p) ? c.row : std::int64_t(width);

    if (!inPlace && !shared.data)
      packPanel(from, length, columns, kernels.lanes, panel);
    const float *source = shared.data ? shared.at(k, column + p * width) : panel,
                *unpacked = static_cast<const float *>(from.data);
    for (std::size_t t = 0; t < tiles.count; ++t) {
      auto begin = tiles.begin(t), rows = tiles.begin(t + 1) - begin;
      float *targets[micro::maxRows];
      for (std::size_t r = 0; r < rows; ++r)
        targets[r] = to + std::int64_t(begin + r) * toRow;
      bool accumulate = k > 0 || (isDirect(p) && (g.beta == 1 || held));
      const auto &rest = isDirect(p) ? others : finish;
      std::optional<TileFinish> last;
      if (rest.any() && k + length == g.k)
        last.emplace(rest.at(begin, first), rows, columns, packed, room);
      const micro::Finish *end = last ? &last->work : nullptr;
      if (outer)
        runOuter(begin, rows, vectors, inPlace ? unpacked : source,
                 inPlace ? b.row : std::int64_t(packed), length, targets, accumulate, end);
      else if (inPlace && t == 0) // reads b where it is and packs it on the way
        kernels.rows[vectors][rows]({pointers + begin, 1, 0, length, &unpacked, std::size_t(b.row),
                                     targets, accumulate, tiles.count > 1 ? panel : nullptr, 0, 0,
                                     nullptr, end});
      else
        kernels.rows[vectors][rows]({pointers + begin, 1, 0, length, &source, packed, targets,
                                     accumulate, nullptr, 0, 0,
                                     nextPart(k, p, t, tiles.count, length), end});
    }
  }

  // The panel after this one comes from far unless the tiles fetch it, each a part.
  const float *nextPart(std::size_t k, std::size_t p, std::size_t tile, std::size_t tiles,
                        std::size_t length) const {
    if (!shared.data)
      return nullptr;
    const bool across = (p + 1) * width < n, down = k + depth < g.k;
    const float *next = across ? shared.at(k, column + (p + 1) * width)
                               : shared.at(down ? k + depth : 0, column + (down ? 0 : n));
    const auto part = base::ceilDiv(length * kernels.vectors, tiles); // vectors
    const auto at = tile * std::min(part, length) * kernels.lanes;
    return at < length * width ? next + at : nullptr;
  }

  void runOuter(std::size_t begin, std::size_t rows, std::size_t vectors, const float *source,
                std::int64_t stride, std::size_t length, float **targets, bool accumulate,
                const micro::Finish *end) {
    const float **columns = pointers + depth;
    if (begin == 0)
      for (std::size_t i = 0; i < length; ++i)
        columns[i] = source + std::int64_t(i) * stride;
    kernels.outer[vectors][rows]({pointers, columns, length, begin, 0, kernels.lanes, targets,
                                  accumulate, kernels.lanes, nullptr, 0, end});
  }
};

// Sums along k of rows of a and columns of b that both lie along k.
struct Dots {
  const Gemm &g;
  Strided a, b, c; // b(j, k) here
  std::size_t m, n;
  Finish finish;
  const micro::Kernels &kernels = micro::kernels();

  void run() {
    auto *left = static_cast<const float *>(a.data), *right = static_cast<const float *>(b.data);
    std::int64_t leftStride = a.row, rightStride = b.row;
    if (!alongK(a)) {
      auto *packed = scratch(Slot::Rows, m * g.k);
      pack(a, m, g.k, packed, g.k);
      left = packed, leftStride = g.k;
    }
    if (!alongK(b)) {
      auto *packed = scratch(Slot::Panel, n * g.k);
      pack(b, n, g.k, packed, g.k);
      right = packed, rightStride = g.k;
    }
    const Strided home = c;
    if (finish.any())
      c = {scratch(Slot::Result, m * n), TypeId::Float, std::int64_t(n), 1};
    unsigned side = kernels.dot[4][4] ? 4 : 3;
    Tiles across(n, side), down(m, side);
    for (std::size_t j = 0; j < across.count; ++j)
      for (std::size_t i = 0; i < down.count; ++i)
        tile(left, leftStride, down.begin(i), down.begin(i + 1), right, rightStride,
             across.begin(j), across.begin(j + 1));
    if (finish.any())
      finishRows(static_cast<float *>(c.data), n, m, n, finish, home);
  }

private:
  void tile(const float *left, std::int64_t leftStride, std::size_t i0, std::size_t i1,
            const float *right, std::int64_t rightStride, std::size_t j0, std::size_t j1) {
    const float *rows[4], *columns[4];
    for (auto i = i0; i < i1; ++i)
      rows[i - i0] = left + std::int64_t(i) * leftStride;
    for (auto j = j0; j < j1; ++j)
      columns[j - j0] = right + std::int64_t(j) * rightStride;
    const std::int64_t zero = 0;
    float sums[4 * micro::maxVectors] = {};
    kernels.dot[j1 - j0][i1 - i0]({rows, columns, &zero, &zero, 1, g.k, sums});
    unpack(sums, micro::maxVectors, i1 - i0, j1 - j0, c.at(i0, j0), g.alpha, g.beta);
  }
};

// Sizes of pieces: depend on the product alone.
struct Pieces {
  std::size_t m, n;
  // As much as so many operations: products with few rows take as long as their matrix takes to
  // arrive.
  static double work(const Gemm &g) { return double(g.k) * std::max(2., 16. / double(g.m)); }
  // Tall products are cut by rows alone: their panels are packed once, and so is each row.
  Pieces(const Gemm &g, std::size_t widthStep, std::size_t rowStep) : m(g.m), n(g.n) {
    if (m > 288)
      m = std::min<std::size_t>(base::ceilDiv(base::ceilDiv(m, 16), rowStep) * rowStep, 240);
    const auto work = Pieces::work(g);
    // A million operations take a thread about ten microseconds; handing them over takes one.
    auto count = [&] { return g.groups * base::ceilDiv(g.m, m) * base::ceilDiv(g.n, n); };
    while (count() < 16 && n > widthStep && work * double(m) * double(n) > 1e6)
      n = base::roundUp(n / 2, widthStep);
    while (count() < 16 && m > 24 && work * double(m) * double(n) > 1e6)
      m = base::ceilDiv(m, 2);
  }
};

// The product of nothing.
void scale(const Gemm &g) {
  for (std::size_t i = 0; i < g.groups; ++i)
    for (std::size_t r = 0; r < g.m; ++r)
      for (std::size_t j = 0; j < g.n; j += 256) {
        float zeros[256] = {};
        const auto n = std::min<std::size_t>(256, g.n - j);
        const auto finish = finishOf(g, i);
        const auto to = strided(g.c, i).at(r, j);
        if (finish.any())
          finishRows(zeros, n, 1, n, finish.at(r, j), to);
        else
          unpack(zeros, 0, 1, n, to, 1, g.beta);
      }
}

// Few rows or columns, and the operand that is large lies along k: nothing is worth packing.
bool useDots(const Gemm &g) {
  auto along = g.m <= g.n ? g.b.row : g.a.column;
  return g.k >= 32 && std::min(g.m, g.n) < 8 && along == 1;
}

// The columns of c become vectors: they should lie side by side. But when b lies along k, making
// rows of it is cheaper than transposing it, unless it is used often.
bool swapSides(const Gemm &g) {
  if (g.c.column != 1)
    return g.c.row == 1 || g.c.row < g.c.column;
  return g.b.row == 1 && g.b.column != 1 && g.m >= 8 && g.m <= 64 && g.n > g.m;
}

// Packs b for all pieces; worth it when several of them read the same columns. Some rows at a time,
// across all panels: memory is read in the order it lies in.
std::size_t panelFloats(const Gemm &g, std::size_t width) {
  return g.groups * base::ceilDiv(g.k, depth) * base::ceilDiv(g.n, width) * depth * width;
}
Panels packAll(const Gemm &g, std::size_t width, std::size_t lanes, float *out) {
  constexpr std::size_t strip = 16; // rows
  const auto across = base::ceilDiv(g.n, width), each = base::ceilDiv(g.k, depth) * across;
  const auto strips = base::ceilDiv(g.k, strip);
  auto packStrip = [&](std::size_t group, std::size_t k) {
    auto length = std::min(strip, g.k - k);
    float *panels = out + (group * each + k / depth * across) * depth * width;
    for (std::size_t p = 0; p < across; ++p) {
      auto columns = std::min(width, g.n - p * width), packed = base::roundUp(columns, lanes);
      packPanel(strided(g.b, group).at(k, p * width), length, columns, lanes,
                panels + p * depth * width + k % depth * packed);
    }
  };
  auto grain = base::ceilDiv(32768, strip * g.n);
  base::parallelFor(g.groups * strips, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      packStrip(i / strips, i % strips * strip);
  });
  return {out, width, across};
}

// Panels of b that last serve all its products, however few rows they have.
bool keepsPanels(const Gemm &g) { return g.kept && g.k && g.c.column == 1 && !useDots(g); }

} // namespace

KeptMatrix::KeptMatrix() : data_(std::make_unique<KeptFloats>()) {}
KeptMatrix::~KeptMatrix() = default;

void gemm(const Gemm &product) {
  Gemm g = product;
  const bool keeps = keepsPanels(g);
  if (!keeps && !useDots(g) && swapSides(g)) {
    std::swap(g.m, g.n);
    g.a = product.b.transposed(), g.b = product.a.transposed(), g.c = product.c.transposed();
    for (auto &add : g.finish.add)
      add = add.transposed();
  }
  if (g.m == 0 || g.n == 0 || g.groups == 0)
    return;
  if (g.k == 0 || g.alpha == 0)
    return scale(g);
  bool dots = useDots(g);
  auto &kernels = micro::kernels();
  Pieces size(g, dots ? 16 : kernels.vectors * kernels.lanes, kernels.rowsFor[kernels.vectors]);
  auto across = base::ceilDiv(g.n, size.n), down = base::ceilDiv(g.m, size.m), each = across * down;
  const auto width = std::size_t(kernels.vectors) * kernels.lanes;
  Panels panels;
  if (keeps) {
    float *kept = g.kept->data_->grow(panelFloats(g, width));
    panels = {kept, width, base::ceilDiv(g.n, width)};
    if (!g.kept->valid_)
      packAll(g, width, kernels.lanes, kept);
    g.kept->valid_ = true;
  } else if (!dots && down > 1 && g.k * g.n > 8192)
    panels = packAll(g, width, kernels.lanes, scratch(Slot::Panels, panelFloats(g, width)));
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      auto group = i / each, row = i % each / across * size.m, column = i % across * size.n;
      auto m = std::min(size.m, g.m - row), n = std::min(size.n, g.n - column);
      auto a = strided(g.a, group).at(row, 0), b = strided(g.b, group).at(0, column),
           c = strided(g.c, group).at(row, column);
      auto finish = finishOf(g, group).at(row, column);
      if (dots)
        Dots{g, a, {b.data, b.type, b.column, b.row}, c, m, n, finish}.run();
      else
        Piece{g, a, b, c, m, n, panels.group(group, g.k), column, finish}.run();
    }
  };
  // Small products of a batch share a piece.
  auto perPiece = Pieces::work(g) * double(size.m) * double(size.n);
  auto grain = std::max<std::size_t>(1, std::size_t(1e6 / perPiece));
  base::parallelFor(g.groups * each, grain, body);
}

} // namespace poplin
