// SPDX-License-Identifier: MIT
// The tables of profile.pop, in one place: the writer creates them, the reader checks them,
// docs/profile.md explains them. A file carries applicationId and formatVersion in its SQLite
// header. Raise formatVersion when a column changes its meaning or goes away; adding tables or
// columns at the end keeps it.
#pragma once
#include <cstdint>

namespace pva {

constexpr std::uint32_t applicationId = 0x4f495055; // "OIPU"
constexpr std::uint32_t formatVersion = 2;          // the version that this library writes
constexpr std::uint32_t maxTiles = 1u << 22;        // beyond it a file is taken for damaged
constexpr std::uint64_t maxParts = 1u << 28;        // of variables on tiles; the same

// Ids are dense and start at 0. Tiles and IPUs are those of the first replica; the others do the
// same. (first_tile, num_tiles) is a range of tiles with equal values, per tile; vars_info has them
// one by one for questions in SQL, and the reader does without.
constexpr const char *schema = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE options(name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE target(type TEXT, architecture TEXT, num_ipus INTEGER, num_replicas INTEGER, tiles_per_ipu INTEGER,
  bytes_per_tile INTEGER, clock_hz INTEGER, workers_per_tile INTEGER);
CREATE TABLE graph(num_vertices INTEGER, num_edges INTEGER, num_vars INTEGER, num_compute_sets INTEGER);

CREATE TABLE programs(id INTEGER PRIMARY KEY, name TEXT, type TEXT, compute_set INTEGER, count INTEGER,
  cycles INTEGER, bytes INTEGER, messages INTEGER, debug_id INTEGER);
CREATE TABLE program_children(parent INTEGER, child INTEGER);
CREATE TABLE program_roots(program INTEGER, is_function INTEGER, runs INTEGER);
CREATE TABLE program_tiles(program INTEGER, first_tile INTEGER, num_tiles INTEGER, cycles INTEGER,
  thread_cycles INTEGER, bytes_in INTEGER, bytes_out INTEGER);
CREATE TABLE program_code(program INTEGER, first_tile INTEGER, num_tiles INTEGER, control_bytes INTEGER,
  exchange_bytes INTEGER);
CREATE TABLE program_vars(program INTEGER, var INTEGER);

CREATE TABLE compute_sets(compute_set INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE vertex_types(id INTEGER PRIMARY KEY, name TEXT, size_bytes INTEGER, code_bytes INTEGER);
CREATE TABLE vertex_groups(compute_set INTEGER, type INTEGER, first_tile INTEGER, num_tiles INTEGER, count INTEGER,
  cycles INTEGER, flops INTEGER);
CREATE TABLE vertex_memory(category TEXT PRIMARY KEY, size_bytes INTEGER);

CREATE TABLE vars(id INTEGER PRIMARY KEY, name TEXT, type TEXT, size_bytes INTEGER, always_live INTEGER,
  interleaved INTEGER);
CREATE TABLE var_categories(id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE var_parts(var INTEGER, category INTEGER, first_tile INTEGER, num_tiles INTEGER, size_bytes INTEGER);
CREATE VIEW vars_info AS WITH RECURSIVE part(tile, size_bytes, category, var, more) AS (
  SELECT first_tile, size_bytes, category, var, num_tiles - 1 FROM var_parts UNION ALL
  SELECT tile + 1, size_bytes, category, var, more - 1 FROM part WHERE more > 0)
  SELECT tile, size_bytes, category, var FROM part;
CREATE TABLE memory_by_tile(tile INTEGER PRIMARY KEY, total INTEGER, gaps INTEGER, always_live INTEGER,
  not_always_live INTEGER, peak_program INTEGER);
CREATE TABLE memory_by_category(category INTEGER, first_tile INTEGER, num_tiles INTEGER, size_bytes INTEGER);
CREATE TABLE liveness_steps(id INTEGER PRIMARY KEY, program INTEGER, size_bytes INTEGER);
CREATE TABLE liveness_spans(var INTEGER, first_step INTEGER, num_steps INTEGER);

CREATE TABLE runs(id INTEGER PRIMARY KEY, name TEXT, program INTEGER, cycles_from INTEGER, cycles_to INTEGER,
  first_step INTEGER, num_steps INTEGER);
CREATE TABLE steps(id INTEGER PRIMARY KEY, type TEXT, program INTEGER, compute_set INTEGER);
CREATE TABLE steps_by_ipu(step_id INTEGER, ipu INTEGER, cycles INTEGER, active_tiles INTEGER, cycles_base INTEGER,
  active_cycles_from_min INTEGER, active_cycles_from_max INTEGER, active_cycles_to_min INTEGER,
  active_cycles_to_max INTEGER);
CREATE TABLE blocks(id INTEGER PRIMARY KEY, tile INTEGER, program INTEGER, cycles_from INTEGER, cycles_to INTEGER,
  is_stream_copy INTEGER, is_overflow INTEGER, is_flush INTEGER, num_tiles INTEGER);
CREATE TABLE totals(program INTEGER PRIMARY KEY, executions INTEGER, cycles INTEGER);
CREATE TABLE execution(total_cycles INTEGER, dropped_steps INTEGER, dropped_blocks INTEGER);
CREATE TABLE energy(kind TEXT PRIMARY KEY, joules REAL);
)sql";

} // namespace pva
