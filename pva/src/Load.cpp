// SPDX-License-Identifier: MIT
// From the bytes of a profile to Data. Everything that a later reader relies on is checked here:
// ids are dense, refer to rows that exist, tile ranges lie on the target, programs do not contain
// themselves. SQLite gets the bytes as a read-only database in memory, so the file is touched once
// and may then change or go away.
#include "base/Text.hpp"
#include "Data.hpp"
#include "pva/Schema.hpp"
#include "Sqlite.hpp"
#include <algorithm>
#include <cstring>
#include <future>
#include <tuple>

namespace pva::detail {

void damaged(const std::string &name, const std::string &what) {
  throw Error(base::str("Profile \"", name, "\" is damaged: ", what,
                        ". Run the program again to write a new one."));
}

namespace {

constexpr unsigned maxDepth = 10'000;      // of nested programs: readers recurse
constexpr std::size_t largeFile = 4 << 20; // worth a thread

std::uint32_t bigEndian(const unsigned char *p) {
  return std::uint32_t(p[0]) << 24 | std::uint32_t(p[1]) << 16 | std::uint32_t(p[2]) << 8 | p[3];
}

// What can be told from the first 100 bytes: a foreign file, a short one, another program's
// database.
void checkHeader(const unsigned char *bytes, std::size_t size, const std::string &name) {
  if (size < 16 || std::memcmp(bytes, "SQLite format 3", 16) != 0)
    throw Error(base::str("\"", name, "\" is not a profile: it ",
                          size == 0 ? "is empty" : "does not begin as one does",
                          ". Give the profile.pop that a program with autoReport.all wrote."));
  if (size < 100)
    damaged(name, base::str("it ends after ", size, " bytes"));
  std::uint64_t pageSize = std::uint64_t(bytes[16]) << 8 | bytes[17];
  pageSize = pageSize == 1 ? 65536 : pageSize;
  const std::uint64_t expected = pageSize * bigEndian(bytes + 28);
  if (size != expected)
    damaged(name, base::str("it has ", size, " bytes where its header says ", expected));
  if (bigEndian(bytes + 68) != applicationId)
    throw Error(base::str("\"", name,
                          "\" is an SQLite database of another program, not a profile. ",
                          "Give the profile.pop that a program with autoReport.all wrote."));
  if (bigEndian(bytes + 60) != formatVersion)
    throw Error(
        base::str("Profile \"", name, "\" has format version ", bigEndian(bytes + 60),
                  "; this library reads ", formatVersion,
                  ". Write it again, or read it with the library that came with its writer."));
}

// The bytes of a profile, made ready for SQLite; several connections may read them.
class Bytes {
public:
  Bytes(const void *bytes, std::size_t size, const std::string &name)
      : copy_(static_cast<unsigned char *>(sqlite3_malloc64(size))), size_(size) {
    if (!copy_)
      throw Error(
          base::str("Not enough memory to read profile \"", name, "\" of ", size, " bytes."));
    std::memcpy(copy_, bytes, size);
    // A file in write-ahead mode cannot be opened from memory; two version bytes say which it is.
    copy_[18] = copy_[19] = 1;
  }
  ~Bytes() { sqlite3_free(copy_); }
  Bytes(const Bytes &) = delete;
  void attach(Database &database) const {
    const auto length = sqlite3_int64(size_);
    if (sqlite3_deserialize(database.handle(), "main", copy_, length, length,
                            SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
      database.fail("be read");
  }

private:
  unsigned char *copy_;
  std::size_t size_;
};

// A damaged page must not be read as data, and a view or trigger in a hostile file must not run.
void harden(Database &database) {
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(database.handle(), SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_limit(database.handle(), SQLITE_LIMIT_LENGTH, 64 << 20);
  database.execute("PRAGMA cell_size_check=ON", "be read");
}
void checkPages(Database &database) {
  Statement check(database, "PRAGMA quick_check(1)");
  if (!check.step() || check.text(0) != "ok")
    damaged(database.name(), check.text(0));
}

// One table, row by row, with checked columns.
class Rows {
public:
  Rows(Database &database, const char *table, const char *columns, const char *order = "rowid")
      : name_(database.name()), table_(table),
        statement_(database, base::str("SELECT ", columns, " FROM ", table, " ORDER BY ", order)) {}
  bool next() {
    column_ = 0;
    ++row_;
    return statement_.step();
  }
  std::string text() { return statement_.text(column_++); }
  double real() { return statement_.real(column_++); }
  bool flag() { return statement_.integer(column_++) != 0; }
  std::uint64_t number() { return number(std::uint64_t(INT64_MAX)); }
  std::uint64_t number(std::uint64_t max) {
    const auto value = statement_.integer(column_++);
    if (value < 0 || std::uint64_t(value) > max)
      fail(base::str(value, " is out of range"));
    return std::uint64_t(value);
  }
  std::uint32_t index(std::size_t size, const char *what) {
    const auto value = statement_.integer(column_++);
    if (value < 0 || std::uint64_t(value) >= size)
      fail(base::str("there is no ", what, " ", value));
    return std::uint32_t(value);
  }
  std::uint32_t optionalIndex(std::size_t size, const char *what) {
    return statement_.isNull(column_) ? (++column_, none) : index(size, what);
  }
  void expectId(std::size_t id) {
    if (number() != id)
      fail(base::str("expected id ", id));
  }
  // A range of tiles that follows what came before.
  std::pair<std::uint32_t, std::uint32_t> tiles(std::uint32_t total) {
    const auto first = number(total), count = number(total);
    if (count == 0 || first + count > total)
      fail(base::str("tiles ", first, " to ", first + count, " of ", total));
    return {std::uint32_t(first), std::uint32_t(count)};
  }
  [[noreturn]] void fail(const std::string &what) {
    damaged(name_, base::str("table ", table_, ", row ", row_, ", column ", column_, ": ", what));
  }

private:
  std::string name_;
  const char *table_;
  Statement statement_;
  std::size_t row_ = 0;
  int column_ = 0;
};

class Loader {
public:
  Loader(Database &database, Data &data) : db_(database), data_(data) {}
  void run() {
    readTexts();
    readTarget();
    readComputeSets();
    readVariables();
    readParts();
    readPrograms();
    readProgramDetails();
    readMemory();
    readLiveness();
    readSteps();
    readRuns();
    readTotals();
  }

private:
  void readTexts();
  void readTarget();
  void readComputeSets();
  void readVariables();
  void readParts();
  void readPrograms();
  void readProgramDetails();
  void readProgramCode();
  void checkTree();
  void readMemory();
  void readLiveness();
  void readSteps();
  void readRuns();
  void readTotals();
  std::uint32_t numTiles() const { return data_.target.tiles(); }

  Database &db_;
  Data &data_;
};

void Loader::readTexts() {
  for (Rows r(db_, "meta", "key, value"); r.next();) {
    auto key = r.text();
    data_.meta[key] = r.text();
  }
  for (Rows r(db_, "options", "name, value"); r.next();) {
    auto name = r.text();
    data_.options[name] = r.text();
  }
}

void Loader::readTarget() {
  Rows r(db_, "target",
         "type, architecture, num_ipus, num_replicas, tiles_per_ipu, workers_per_tile, "
         "bytes_per_tile, clock_hz");
  if (!r.next())
    r.fail("there is no row");
  auto &t = data_.target;
  t.type = r.text();
  t.architecture = r.text();
  t.ipus = std::uint32_t(r.number(maxTiles));
  t.replicas = std::uint32_t(r.number(maxTiles));
  t.tilesPerIpu = std::uint32_t(r.number(maxTiles));
  t.workers = std::uint32_t(r.number(maxTiles));
  t.bytesPerTile = r.number(std::uint64_t(1) << 40);
  t.clockHz = r.number();
  if (t.ipus == 0 || t.replicas == 0 || t.ipus % t.replicas != 0 ||
      std::uint64_t(t.ipus) * t.tilesPerIpu > maxTiles)
    r.fail(base::str(t.ipus, " IPUs of ", t.tilesPerIpu, " tiles in ", t.replicas, " replicas"));

  Rows g(db_, "graph", "num_vertices, num_edges, num_vars, num_compute_sets");
  if (!g.next())
    g.fail("there is no row");
  data_.graph.vertices = g.number();
  data_.graph.edges = g.number();
  data_.graph.variables = g.number();
  data_.graph.computeSets = g.number();
}

void Loader::readComputeSets() {
  for (Rows r(db_, "compute_sets", "compute_set, name"); r.next();) {
    r.expectId(data_.computeSets.size());
    data_.computeSets.push_back({r.text(), {}});
  }
  for (Rows r(db_, "vertex_types", "id, name, size_bytes, code_bytes"); r.next();) {
    r.expectId(data_.vertexTypes.size());
    auto name = r.text();
    auto size = r.number();
    data_.vertexTypes.push_back({name, size, r.number()});
  }
  for (Rows r(db_, "vertex_groups",
              "compute_set, type, first_tile, num_tiles, count, cycles, flops",
              "compute_set, type, first_tile");
       r.next();) {
    auto &set = data_.computeSets[r.index(data_.computeSets.size(), "compute set")];
    auto type = r.index(data_.vertexTypes.size(), "vertex type");
    auto [first, count] = r.tiles(numTiles());
    auto vertices = r.number(), cycles = r.number();
    set.groups.push_back({type, first, count, vertices, cycles, r.number()});
  }
  for (Rows r(db_, "vertex_memory", "category, size_bytes"); r.next();) {
    auto category = r.text();
    data_.vertexMemory[category] = r.number();
  }
}

void Loader::readVariables() {
  for (Rows r(db_, "vars", "id, name, type, size_bytes, always_live, interleaved"); r.next();) {
    r.expectId(data_.variables.size());
    auto name = r.text(), type = r.text();
    auto size = r.number();
    bool alwaysLive = r.flag();
    data_.variables.push_back({name, type, size, alwaysLive, r.flag(), {}, {}});
  }
  for (Rows r(db_, "var_categories", "id, name"); r.next();) {
    r.expectId(data_.categories.size());
    data_.categories.push_back(r.text());
  }
}

void Loader::readParts() {
  std::uint64_t count = 0;
  for (Rows r(db_, "var_parts", "var, category, first_tile, num_tiles, size_bytes"); r.next();) {
    PartRow part{};
    part.variable = r.optionalIndex(data_.variables.size(), "variable");
    part.category = r.index(data_.categories.size(), "category");
    std::tie(part.first, part.count) = r.tiles(numTiles());
    part.firstId = std::uint32_t(count);
    part.size = r.number();
    if ((count += part.count) > maxParts)
      r.fail(base::str("more than ", maxParts, " parts of variables"));
    if (part.variable != none)
      data_.variables[part.variable].parts.push_back(std::uint32_t(data_.parts.size()));
    data_.parts.push_back(part);
  }
  data_.numParts = std::uint32_t(count);
}

void Loader::readPrograms() {
  for (Rows r(db_, "programs",
              "id, name, type, compute_set, count, cycles, bytes, messages, debug_id");
       r.next();) {
    r.expectId(data_.programs.size());
    ProgramRow p;
    p.name = r.text();
    p.type = programType(r.text());
    p.computeSet = r.optionalIndex(data_.computeSets.size(), "compute set");
    if (p.type == Program::Type::OnTileExecute && p.computeSet == none)
      r.fail("it executes no compute set");
    p.count = r.number();
    p.cycles = r.number();
    p.bytes = r.number();
    p.messages = r.number();
    p.debugId = r.number();
    data_.programs.push_back(std::move(p));
  }
  for (Rows r(db_, "program_children", "parent, child"); r.next();) {
    auto &parent = data_.programs[r.index(data_.programs.size(), "program")];
    parent.children.push_back(r.index(data_.programs.size(), "program"));
  }
  for (Rows r(db_, "program_roots", "program, is_function, runs"); r.next();) {
    auto program = r.index(data_.programs.size(), "program");
    if (r.flag()) {
      data_.functions.push_back(program);
      continue;
    }
    data_.entries.push_back(program);
    data_.runsOfEntry.push_back(r.number());
  }
  checkTree();
  for (std::uint32_t i = 0; i < data_.programs.size(); ++i)
    data_.programObjects.push_back(makeProgram(data_, i));
}

// Takes programs away whose parents are all gone; what remains is on a cycle.
void Loader::checkTree() {
  const auto &programs = data_.programs;
  std::vector<std::uint32_t> parents(programs.size()), depth(programs.size()), ready;
  for (const auto &p : programs)
    for (auto child : p.children)
      ++parents[child];
  for (std::uint32_t i = 0; i < programs.size(); ++i)
    if (parents[i] == 0)
      ready.push_back(i);
  for (std::size_t i = 0; i < ready.size(); ++i)
    for (auto child : programs[ready[i]].children) {
      depth[child] = std::max(depth[child], depth[ready[i]] + 1);
      if (--parents[child] == 0)
        ready.push_back(child);
    }
  if (ready.size() != programs.size())
    damaged(db_.name(), "a program contains itself");
  if (!depth.empty() && *std::max_element(depth.begin(), depth.end()) > maxDepth)
    damaged(db_.name(), base::str("programs are nested more than ", maxDepth, " deep"));
}

void Loader::readProgramDetails() {
  for (Rows r(db_, "program_tiles",
              "program, first_tile, num_tiles, cycles, thread_cycles, bytes_in, bytes_out",
              "program, first_tile");
       r.next();) {
    auto &program = data_.programs[r.index(data_.programs.size(), "program")];
    auto [first, count] = r.tiles(numTiles());
    if (!program.tiles.empty() && program.tiles.back().first + program.tiles.back().count > first)
      r.fail(base::str("tile ", first, " comes twice"));
    TileRange range{first, count, 0, 0, 0, 0};
    range.cycles = r.number();
    range.threadCycles = r.number();
    range.bytesIn = r.number();
    range.bytesOut = r.number();
    program.tiles.push_back(range);
  }
  readProgramCode();
  for (Rows r(db_, "program_vars", "program, var"); r.next();) {
    auto &program = data_.programs[r.index(data_.programs.size(), "program")];
    program.vars.push_back(r.index(data_.variables.size(), "variable"));
  }
}

// Profiles written before there was such a table do not know.
void Loader::readProgramCode() {
  if (!db_.has("program_code"))
    return;
  for (Rows r(db_, "program_code", "program, first_tile, num_tiles, control_bytes, exchange_bytes",
              "program, first_tile");
       r.next();) {
    auto &code = data_.programs[r.index(data_.programs.size(), "program")].code;
    auto [first, count] = r.tiles(numTiles());
    if (!code.empty() && code.back().first + code.back().count > first)
      r.fail(base::str("tile ", first, " comes twice"));
    const auto control = r.number(UINT32_MAX), exchange = r.number(UINT32_MAX);
    code.push_back({first, count, control, exchange});
  }
}

void Loader::readMemory() {
  for (Rows r(db_, "memory_by_tile",
              "tile, total, gaps, always_live, not_always_live, peak_program");
       r.next();) {
    r.expectId(data_.tiles.size());
    if (data_.tiles.size() == numTiles())
      r.fail(base::str("the target has only ", numTiles(), " tiles"));
    TileRow tile{};
    tile.total = r.number();
    tile.gaps = r.number();
    tile.alwaysLive = r.number();
    tile.notAlwaysLive = r.number();
    tile.peakProgram = r.optionalIndex(data_.programs.size(), "program");
    tile.categories.resize(data_.categories.size());
    data_.tiles.push_back(std::move(tile));
  }
  for (Rows r(db_, "memory_by_category", "category, first_tile, num_tiles, size_bytes");
       r.next();) {
    auto category = r.index(data_.categories.size(), "category");
    auto [first, count] = r.tiles(std::uint32_t(data_.tiles.size()));
    auto bytes = r.number();
    for (auto tile = first; tile < first + count; ++tile)
      data_.tiles[tile].categories[category] = bytes;
  }
}

void Loader::readLiveness() {
  for (Rows r(db_, "liveness_steps", "id, program, size_bytes"); r.next();) {
    r.expectId(data_.liveness.size());
    auto program = r.index(data_.programs.size(), "program");
    data_.liveness.push_back({program, r.number()});
  }
  for (Rows r(db_, "liveness_spans", "var, first_step, num_steps"); r.next();) {
    auto &live = data_.variables[r.index(data_.variables.size(), "variable")].live;
    const auto first = r.index(data_.liveness.size(), "liveness step");
    const auto count = r.number(data_.liveness.size() - first);
    if (count == 0 || (!live.empty() && live.back().last >= first))
      r.fail(base::str(count, " steps from ", first, " on do not follow what came before"));
    live.push_back({first, first + std::uint32_t(count) - 1});
  }
}

void Loader::readSteps() {
  for (Rows r(db_, "steps", "id, program"); r.next();) {
    r.expectId(data_.steps.size());
    data_.steps.push_back(r.index(data_.programs.size(), "program"));
  }
  const std::size_t expected = data_.steps.size() * data_.target.ipusPerReplica();
  for (Rows r(db_, "steps_by_ipu",
              "step_id, ipu, cycles, active_tiles, active_cycles_from_min, active_cycles_from_max, "
              "active_cycles_to_min, active_cycles_to_max");
       r.next();) {
    const auto row = data_.stepsByIpu.size();
    if (row == expected)
      r.fail("there are more rows than steps");
    r.expectId(row / data_.target.ipusPerReplica());
    r.expectId(row % data_.target.ipusPerReplica());
    StepOnIpu s{};
    for (auto *field : {&s.cycles, &s.activeTiles, &s.fromMin, &s.fromMax, &s.toMin, &s.toMax})
      *field = r.number();
    data_.stepsByIpu.push_back(s);
  }
  if (data_.stepsByIpu.size() != expected)
    damaged(db_.name(),
            base::str("table steps_by_ipu has ", data_.stepsByIpu.size(), " rows of ", expected));
}

void Loader::readRuns() {
  for (Rows r(db_, "runs", "id, name, program, cycles_from, cycles_to, first_step, num_steps");
       r.next();) {
    r.expectId(data_.runs.size());
    RunRow run;
    run.name = r.text();
    run.program = r.index(data_.programs.size(), "program");
    run.from = r.number();
    run.to = r.number();
    run.firstStep = std::uint32_t(r.number(data_.steps.size()));
    run.numSteps = std::uint32_t(r.number(data_.steps.size() - run.firstStep));
    data_.runs.push_back(std::move(run));
  }
  // Files from before blocks had ranges of tiles say one tile each.
  Statement ranges(db_, "SELECT 1 FROM pragma_table_info('blocks') WHERE name = 'num_tiles'");
  const auto columns = base::str("id, tile, ", ranges.step() ? "num_tiles" : "1",
                                 ", program, cycles_from, cycles_to, is_stream_copy, is_overflow, "
                                 "is_flush");
  for (Rows r(db_, "blocks", columns.c_str()); r.next();) {
    r.expectId(data_.blocks.size());
    BlockRow b{};
    std::tie(b.tile, b.numTiles) = r.tiles(numTiles());
    b.program = r.index(data_.programs.size(), "program");
    b.from = r.number();
    b.to = r.number();
    b.streamCopy = r.flag();
    b.overflow = r.flag();
    b.flush = r.flag();
    data_.blocks.push_back(b);
  }
}

void Loader::readTotals() {
  for (Rows r(db_, "totals", "program, executions, cycles"); r.next();) {
    auto program = r.index(data_.programs.size(), "program");
    auto executions = r.number();
    data_.totals.push_back({program, executions, r.number()});
  }
  Rows e(db_, "execution", "total_cycles, dropped_steps, dropped_blocks");
  if (e.next()) {
    data_.totalCycles = e.number();
    data_.droppedSteps = e.number();
    data_.droppedBlocks = e.number();
  }
  for (Rows r(db_, "energy", "kind, joules"); r.next();) {
    auto kind = r.text();
    data_.joules[kind] = r.real();
  }
}

} // namespace

std::shared_ptr<Data> load(const void *bytes, std::size_t size, const std::string &name) {
  checkHeader(static_cast<const unsigned char *>(bytes), size, name);
  const Bytes copy(bytes, size, name);
  constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX; // a thread each
  Database database(":memory:", flags, name), checked(":memory:", flags, name);
  for (auto *each : {&database, &checked}) {
    copy.attach(*each);
    harden(*each);
  }
  auto data = std::make_shared<Data>();
  data->path = name;
  data->format = formatVersion;
  // The check of all pages takes as long as a third of the reading: both go on at once. Nothing
  // that was read is used unless it passes, and reading stops when it does not.
  const auto policy = size > largeFile ? std::launch::async : std::launch::deferred;
  auto check = std::async(policy, [&] {
    try {
      checkPages(checked);
    } catch (...) {
      sqlite3_interrupt(database.handle());
      throw;
    }
  });
  if (size <= largeFile)
    check.get();
  try {
    Loader(database, *data).run();
  } catch (...) {
    if (check.valid())
      check.get(); // what is wrong with the pages is the better reason
    throw;
  }
  if (check.valid())
    check.get();
  return data;
}

} // namespace pva::detail
