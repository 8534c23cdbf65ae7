// SPDX-License-Identifier: MIT
// What is wrong and what to do, each with the number that says so. Rules look at one thing each and
// stay silent when it is fine; thresholds are ours and stand beside their rule. A saving is what
// would be gained if the thing were perfect, so an upper bound.
#include "../Views.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

namespace popvision {

namespace {

using base::str;
using base::thousands;

using view::Insight;

// In the unit that fits, as the page writes it.
std::string memory(std::uint64_t bytes) {
  constexpr std::pair<const char *, unsigned> units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};
  for (const auto &[name, power] : units)
    if (bytes >> power) {
      const double scale = power == 10 ? 10 : 100; // digits, and halves upwards as there
      char text[32];
      std::snprintf(text, sizeof text, power == 10 ? "%.1f %s" : "%.2f %s",
                    std::floor(std::ldexp(double(bytes), -int(power)) * scale + 0.5) / scale, name);
      return text;
    }
  return str(bytes, " B");
}

// "internalExchangeCode" as words.
std::string words(const std::string &name) {
  std::string out;
  for (const char c : name)
    out += std::isupper(static_cast<unsigned char>(c)) ? str(' ', char(std::tolower(c))) : str(c);
  return out;
}

class Finder {
public:
  explicit Finder(const Model &model)
      : model_(model), target_(model.compilation().target()), tiles_(model.compilation().tiles()) {}
  std::vector<Insight> run() {
    const std::pair<const char *, void (Finder::*)()> rules[] = {
        {"fits", &Finder::fits},
        {"memory spread", &Finder::memorySpread},
        {"memory peak", &Finder::memoryPeak},
        {"large constants", &Finder::largeConstants},
        {"single precision", &Finder::singlePrecision},
        {"code size", &Finder::codeSize},
        {"kinds", &Finder::kinds},
        {"unbalanced", &Finder::unbalanced},
        {"few tiles", &Finder::fewTiles},
        {"threads", &Finder::threads},
        {"exchanges", &Finder::exchanges},
        {"layers", &Finder::layers}};
    for (const auto &[name, rule] : rules) {
      rule_ = name;
      (this->*rule)();
    }
    return std::move(found_);
  }

private:
  void fits();
  void memorySpread();
  void memoryPeak();
  std::string alwaysLiveKinds() const;
  void largeConstants();
  void singlePrecision();
  void codeSize();
  void kinds();
  std::string longestCopies() const;
  bool multiplies() const;
  void unbalanced();
  void fewTiles();
  void threads();
  void exchanges();
  void layers();

  void add(Insight insight) {
    insight.rule = rule_;
    found_.push_back(std::move(insight));
  }
  static std::string percent(double share) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
    return text;
  }
  std::string ofCycles(double cycles) const {
    return percent(model_.totalCycles() ? cycles / double(model_.totalCycles()) : 0);
  }
  // The programs of a kind with the largest figure, at most five, zeros left out.
  std::vector<std::pair<double, pva::ProgramRef>>
  largest(Kind kind, const std::function<double(const pva::Program &)> &figure) const;

  const Model &model_;
  const pva::Target target_;
  const std::vector<pva::Tile> tiles_;
  const char *rule_ = "";
  std::vector<Insight> found_;
};

std::vector<std::pair<double, pva::ProgramRef>>
Finder::largest(Kind kind, const std::function<double(const pva::Program &)> &figure) const {
  std::vector<std::pair<double, pva::ProgramRef>> all;
  for (const auto &program : model_.programs())
    if (pva::cycleKind(*program) == kind && model_.spent(program->id()).executions)
      if (const double value = figure(*program); value > 0)
        all.emplace_back(value, program);
  const auto count = std::min<std::size_t>(5, all.size());
  std::partial_sort(all.begin(), all.begin() + std::ptrdiff_t(count), all.end(),
                    [](const auto &a, const auto &b) {
                      return a.first != b.first ? a.first > b.first
                                                : a.second->id() < b.second->id();
                    });
  all.resize(count);
  return all;
}

void Finder::fits() {
  if (tiles_.empty())
    return;
  std::uint64_t over = 0, near = 0;
  const auto limit = target_.bytesPerTile();
  const auto used = [](const pva::Tile &tile) { return tile.memory().total().includingGaps(); };
  for (const auto &tile : tiles_) {
    over += used(tile) > limit;
    near += used(tile) <= limit && used(tile) > limit / 10 * 9;
  }
  const auto &fullest =
      *std::max_element(tiles_.begin(), tiles_.end(),
                        [&](const auto &a, const auto &b) { return used(a) < used(b); });
  const double share = limit ? double(used(fullest)) / double(limit) : 0;
  const auto detail = str("The fullest tile is ", fullest.id(), " with ", memory(used(fullest)),
                          " of ", memory(limit), " (", percent(share), ").");
  if (over)
    add({"bad", str(thousands(over), over == 1 ? " tile is" : " tiles are", " over the limit"),
         detail,
         "The program does not fit. Spread the largest variables over more tiles, use half "
         "precision, recompute activations, make the batch smaller, or use more IPUs.",
         double(over), "tiles", "memory", std::int64_t(fullest.id())});
  else if (near)
    add({"warn",
         str(thousands(near), near == 1 ? " tile is" : " tiles are", " more than 90 % full"),
         detail, "A somewhat larger batch will not fit. Look at what lies on these tiles.",
         double(near), "tiles", "memory", std::int64_t(fullest.id())});
  else
    add({"good", "The program fits", detail, "", share, "share", "memory",
         std::int64_t(fullest.id())});
}

// Half again as much on the fullest tile as on the mean one is worth a look.
void Finder::memorySpread() {
  if (tiles_.size() < 2)
    return;
  double sum = 0, most = 0;
  std::uint64_t fullest = 0;
  for (const auto &tile : tiles_) {
    const auto bytes = double(tile.memory().total().excludingGaps());
    sum += bytes;
    if (bytes > most) {
      most = bytes;
      fullest = tile.id();
    }
  }
  const double mean = sum / double(tiles_.size());
  if (mean > 0 && most > 1.5 * mean)
    add({"note", "Memory is unevenly spread",
         str("Tile ", fullest, " holds ", memory(std::uint64_t(most)), ", the mean tile ",
             memory(std::uint64_t(mean)), "."),
         "Map variables linearly over all tiles, or with poputil::mapTensorLinearly and an offset "
         "that differs from variable to variable.",
         most / mean, "times", "memory", std::int64_t(fullest)});
}

void Finder::memoryPeak() {
  const auto steps = model_.compilation().livenessProgramSteps();
  std::size_t peak = 0;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps[i].notAlwaysLiveBytes() > steps[peak].notAlwaysLiveBytes())
      peak = i;
  if (steps.empty() || !steps[peak].notAlwaysLiveBytes())
    return;
  auto variables = steps[peak].notAlwaysLiveMemory().variables();
  std::sort(variables.begin(), variables.end(),
            [](const auto &a, const auto &b) { return a.bytes() > b.bytes(); });
  std::string names;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, variables.size()); ++i)
    names += str(i ? ", " : "", variables[i].name(), " (", memory(variables[i].bytes()), ")");
  std::uint64_t used = 0;
  for (const auto &tile : tiles_)
    used += tile.memory().total().excludingGaps();
  const auto bytes = steps[peak].notAlwaysLiveBytes();
  const bool most = double(bytes) > 0.5 * double(used);
  add({most ? "warn" : "note", str("Temporary memory peaks at step ", thousands(peak)),
       str(memory(bytes), " of variables that are not always live; the largest: ", names, "."),
       most
           ? "More than half of all memory: recompute activations, or make the micro-batch smaller."
           : "",
       double(bytes), "bytes", "liveness", std::int64_t(peak)});
}

// What most of the memory that is always live holds: often not variables, but code.
std::string Finder::alwaysLiveKinds() const {
  std::vector<std::pair<std::uint64_t, std::string>> kinds;
  std::uint64_t all = 0;
  for (const auto &name : tiles_.front().memory().category().names()) {
    std::uint64_t bytes = 0;
    for (const auto &tile : tiles_)
      bytes += tile.memory().category().find(name).alwaysLiveBytes();
    kinds.emplace_back(bytes, words(name));
    all += bytes;
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(3, kinds.size()) && kinds[i].first; ++i)
    text += str(i ? ", " : "Most of it: ", kinds[i].second, " ",
                percent(double(kinds[i].first) / double(all)));
  return text + '.';
}

void Finder::largeConstants() {
  auto variables = model_.compilation().alwaysLiveVariables();
  if (variables.empty())
    return;
  const auto count = std::min<std::size_t>(3, variables.size());
  std::partial_sort(variables.begin(), variables.begin() + std::ptrdiff_t(count), variables.end(),
                    [](const auto &a, const auto &b) { return a.bytes() > b.bytes(); });
  std::uint64_t bytes = 0;
  for (const auto &tile : tiles_)
    bytes += tile.memory().alwaysLiveBytes();
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    names += str(i ? ", " : "", variables[i].name(), " (", memory(variables[i].bytes()), ")");
  add({"note", str(memory(bytes), " are always live"),
       str(alwaysLiveKinds(), " The largest variables: ", names, "."),
       multiplies()
           ? "Optimiser state and weights can live off chip (remote buffers) if memory is short."
           : "What is not needed all the time can live off chip (remote buffers) if memory is "
             "short.",
       double(bytes), "bytes", "liveness"});
}

void Finder::singlePrecision() {
  std::uint64_t bytes = 0, all = 0;
  for (const auto &variable : model_.compilation().variables()) {
    all += variable.bytes();
    bytes += variable.type() == "float" ? variable.bytes() : 0;
  }
  if (!all || double(bytes) < 0.5 * double(all))
    return;
  add({"note", str(percent(double(bytes) / double(all)), " of all variables are single precision"),
       str(memory(bytes), " of ", memory(all), " are float."),
       str("In half precision they would take ", memory(bytes / 2),
           multiplies() ? " less, and matrix products run up to four times as fast." : " less."),
       double(bytes / 2), "bytes", "liveness"});
}

// Code is what a tile holds besides data. A quarter of what is used is much.
void Finder::codeSize() {
  std::uint64_t used = 0;
  std::vector<std::pair<std::uint64_t, std::string>> codes;
  for (const char *name : {"vertexCode", "internalExchangeCode", "hostExchangeCode",
                           "globalExchangeCode", "controlCode", "vertexInstanceState"})
    codes.emplace_back(0, name);
  for (const auto &tile : tiles_) {
    used += tile.memory().total().excludingGaps();
    for (auto &code : codes)
      code.first += tile.memory().category().find(code.second).total();
  }
  for (const auto &[bytes, name] : codes)
    if (used && double(bytes) > 0.25 * double(used))
      add({"note", str(name, " is ", percent(double(bytes) / double(used)), " of the memory used"),
           str(memory(bytes), " of ", memory(used), "."),
           "Fewer, larger operations need less of it; PopART's outlining shares repeated code.",
           double(bytes), "bytes", "memory"});
}

// Of a step, if the report has one: a session's loading of weights cannot be changed by advice.
void Finder::kinds() {
  if (!model_.totalCycles()) {
    add({"note", "Nothing ran", "The report has no execution.",
         "Set autoReport.outputExecutionProfile (or autoReport.all) and run a program.", 0,
         "cycles", "summary"});
    return;
  }
  const auto &step = model_.step();
  const bool traced = step && step->traced && step->byKind.total();
  const auto &cycles = traced ? step->byKind : model_.cyclesByKind();
  const std::string of = traced ? " of a step" : " of the cycles";
  const auto share = [&](Kind kind) { return double(cycles[kind]) / double(cycles.total()); };
  const double host = share(Kind::Host), rearrange = share(Kind::Rearrange);
  add({share(Kind::Compute) > 0.6 ? "good" : "note",
       str(percent(share(Kind::Compute)), of, " computes"),
       str("Copies within tiles ", percent(rearrange), ", exchange ",
           percent(share(Kind::Exchange)), ", between IPUs ", percent(share(Kind::GlobalExchange)),
           ", host ", percent(host), ", sync ", percent(share(Kind::Sync)), ", control ",
           percent(share(Kind::Control)), "."),
       "", share(Kind::Compute), "share", "trace"});
  if (host > 0.3)
    add({"warn", str(percent(host), of, " goes to the host and to waiting for it"),
         traced && !step->host.empty()
             ? str("The IPU waits ", thousands(step->hostWaiting()), " of ",
                   thousands(cycles[Kind::Host]),
                   " cycles until the host is ready; the longest: ", step->host.front().name, ".")
             : str(thousands(cycles[Kind::Host]),
                   " cycles move data between the host and the tiles, or wait until it can."),
         "Do more per transfer: more device iterations, larger batches; keep data on the IPU; "
         "overlap transfers with computing (I/O tiles); send half precision.",
         host, "share", "trace"});
  if (rearrange > 0.1)
    add({"warn", str(percent(rearrange), of, " copies data within tiles"),
         str(thousands(cycles[Kind::Rearrange]), " cycles; the longest: ", longestCopies(), "."),
         "Vertices get copies of what does not lie as they want it: connect regions that are whole "
         "in a tile's memory, or let neighbouring operations share a layout.",
         rearrange, "share", "trace"});
}

std::string Finder::longestCopies() const {
  const auto cycles = [&](const pva::Program &p) { return double(model_.spent(p.id()).cycles); };
  std::string names;
  for (const auto &[spent, program] : largest(Kind::Rearrange, cycles))
    names += str(names.empty() ? "" : ", ", program->name());
  return names;
}

// Advice fits the program: a stencil has no weights.
bool Finder::multiplies() const {
  if (!model_.step())
    return false;
  const auto parts = model_.step()->spread.parts();
  return std::any_of(parts.begin(), parts.end(), [](const auto &part) {
    return part.kind.rfind("products", 0) == 0 || part.kind == "convolution";
  });
}

// What a perfectly balanced compute set would save: the cycles in which the mean tile waits.
void Finder::unbalanced() {
  const auto waste = [&](const pva::Program &p) {
    return double(model_.spent(p.id()).cycles) * (1 - p.tileBalance());
  };
  for (const auto &[cycles, program] : largest(Kind::Compute, waste))
    if (cycles > 0.01 * double(model_.totalCycles()))
      add({"warn", str("Unbalanced: ", program->name()),
           str("Tile balance ", percent(program->tileBalance()), " on ",
               thousands(program->activeTiles()), " of ", thousands(target_.tilesPerReplica()),
               " tiles; ", thousands(model_.spent(program->id()).cycles), " cycles in ",
               thousands(model_.spent(program->id()).executions), " executions."),
           str("Spreading its vertices evenly saves up to ", thousands(std::uint64_t(cycles)),
               " cycles (", ofCycles(cycles), " of the total)."),
           cycles, "cycles", "programs", std::int64_t(program->id())});
}

void Finder::fewTiles() {
  double cycles = 0;
  std::uint64_t sets = 0;
  for (const auto &program : model_.programs())
    if (pva::cycleKind(*program) == Kind::Compute && model_.spent(program->id()).executions &&
        program->activeTiles() * 10 < target_.tilesPerReplica()) {
      cycles += double(model_.spent(program->id()).cycles);
      ++sets;
    }
  if (cycles > 0.05 * double(model_.totalCycles()))
    add({"note", str(thousands(sets), " compute sets use less than a tenth of the tiles"),
         str(thousands(std::uint64_t(cycles)), " cycles, ", ofCycles(cycles), " of the total."),
         "Small tensors land on few tiles: batch the work, or fuse these operations with "
         "neighbours.",
         cycles, "cycles", "programs"});
}

void Finder::threads() {
  double busy = 0, room = 0;
  for (const auto &program : model_.programs())
    if (pva::cycleKind(*program) == Kind::Compute) {
      const auto times = double(model_.spent(program->id()).executions);
      busy += times * double(program->threadCycles());
      room += times * double(program->tileCycles()) * double(target_.workersPerTile());
    }
  if (room > 0 && busy / room < 0.5)
    add({"note", str("Workers are busy ", percent(busy / room), " of the computing time"),
         str("Each tile has ", target_.workersPerTile(), " worker threads."),
         "Give each tile at least as many vertices as it has workers, or use MultiVertex codelets.",
         busy / room, "share", "operations"});
}

void Finder::exchanges() {
  const auto cycles = [&](const pva::Program &p) { return double(model_.spent(p.id()).cycles); };
  auto all = largest(Kind::Exchange, cycles);
  if (all.size() > 3)
    all.resize(3);
  for (const auto &[spent, program] : all)
    if (spent > 0.02 * double(model_.totalCycles()))
      add({"note", str("Large exchange: ", program->name()),
           str(memory(program->bytes()), " to ", thousands(program->activeTiles()), " tiles, ",
               thousands(model_.spent(program->id()).executions),
               " times: ", thousands(std::uint64_t(spent)), " cycles (", ofCycles(spent), ")."),
           "Map what is used together to the same tiles, or change the layout once, not every "
           "time.",
           spent, "cycles", "programs", std::int64_t(program->id())});
}

void Finder::layers() {
  std::vector<const OperationRow *> rows;
  for (const auto &row : model_.operations())
    if (row.context && row.cycles)
      rows.push_back(&row);
  const auto count = std::min<std::size_t>(3, rows.size());
  std::partial_sort(rows.begin(), rows.begin() + std::ptrdiff_t(count), rows.end(),
                    [](auto *a, auto *b) { return a->cycles > b->cycles; });
  if (!count)
    return;
  std::string names;
  for (std::size_t i = 0; i < count; ++i)
    names += str(i ? ", " : "", rows[i]->name, " (", ofCycles(double(rows[i]->cycles)), ")");
  add({"note", "Most cycles: " + rows[0]->name, "The first three: " + names + ".", "",
       double(rows[0]->cycles), "cycles", "operations"});
}

} // namespace

view::List<view::Insight> view::insights(const Model &model) { return Finder(model).run(); }

} // namespace popvision
