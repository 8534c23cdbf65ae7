// SPDX-License-Identifier: MIT
// What the commands print: tables of text, and JSON whose leaves are texts.
#pragma once
#include "machine/State.hpp"
#include "vipu/Controller.hpp"
#include <iosfwd>

namespace vipu {

struct Table {
  std::vector<std::string> titles;
  std::vector<std::vector<std::string>> rows;
};
enum class Format { Text, Json };
void print(std::ostream &out, const Table &table, Format format);
// One thing: its first row, a line for each column.
void printOne(std::ostream &out, const Table &table, Format format);

Table partitionTable(const machine::State &state);
Table agentTable(const machine::State &state);
Table agentDetails(const machine::Box &box); // one row
Table ipuTable(const machine::Box &box);
Table clusterTable(const machine::State &state);
Table allocationTable(const machine::State &state);
Table attributeTable(const machine::State &state); // of all IPUs
Table userTable(const std::vector<User> &users);
Table only(Table table, const std::string &name); // rows whose first column is this

} // namespace vipu
