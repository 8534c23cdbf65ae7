// SPDX-License-Identifier: MIT
// A published measurement, and the program of ours that repeats it. Rows are summarised by kind;
// only evidence counts there.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace calibration {

enum class Role {
  Evidence,    // a program that was compiled and run; nothing was read off this row
  Sets,        // a constant or a decision was read off it: it checks arithmetic, not the model
  FormulaOnly, // no program can express it; a formula of arch/ stands in
  Fits,        // it ran on hardware: a tile's memory is a bound and not a figure to meet
};

// What a figure counts. Rates are turned round, so that a ratio above 1 is always a slow model.
enum class Unit {
  Cycles,
  Milliseconds,
  GigabytesPerSecond,
  GigabitsPerSecond,
  Teraflops,
  PerSecond,
  TimesFaster,
  Watts,
  Mebibytes,
  Bytes,
  OfATile
};
bool isRate(Unit unit);
const char *toString(Unit unit);

struct Figure {
  double value = 0;
  std::string note = {};    // how the product did it
  std::string profile = {}; // where its cycles go, if there is more to tell than one number
};

struct Row {
  std::string id;   // of the published table: "B9 exchange"
  std::string kind; // "exchange"
  std::string what;
  double published = 0;
  Unit unit = Unit::Cycles;
  std::string source; // a tag of docs/timing.md
  std::function<Figure()> model;
  Role role = Role::Evidence;
  std::string sets = {}; // the constant; or why no program exists
  std::string run = {};  // names the program that several rows are parts of

  Row &setting(std::string constant) {
    role = Role::Sets;
    sets = std::move(constant);
    return *this;
  }
  Row &formula(std::string why) {
    role = Role::FormulaOnly;
    sets = std::move(why);
    return *this;
  }
};
using Rows = std::vector<Row>;

// Computed when first asked for: several rows are parts of one run.
template <class F> auto lazily(F make) {
  using T = decltype(make());
  return [make, kept = std::make_shared<std::optional<T>>()]() -> const T & {
    if (!*kept)
      *kept = make();
    return **kept;
  };
}

// One family of rows, one file.
void addVertexRows(Rows &rows);      // small loops in C++
void addStreamRows(Rows &rows);      // triads
void addBlurRows(Rows &rows);        // the stencil, and the parts of its steps
void addExchangeRows(Rows &rows);    // exchange, on-tile copies, two IPUs
void addHostRows(Rows &rows);        // streams
void addProductRows(Rows &rows);     // dense
void addSparseRows(Rows &rows);      // against dense
void addConvolutionRows(Rows &rows); // the blur as a convolution
void addPowerRows(Rows &rows);
void addMemoryRows(Rows &rows); // of tiles, by category
void addModelRows(Rows &rows);  // whole models

Rows allRows();

} // namespace calibration
