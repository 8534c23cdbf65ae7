// SPDX-License-Identifier: MIT
// The little of SQLite that a profile needs: a connection, a prepared statement, and one way to
// fail.
#pragma once
#include "pva/Error.hpp"
#include <cstdint>
#include <sqlite3.h>
#include <string>
#include <string_view>

namespace pva::detail {

class Database {
public:
  // name: what messages call it; vfs: where SQLite keeps it, by default in a file
  Database(const std::string &file, int flags, std::string name, const char *vfs = nullptr);
  Database(const Database &) = delete;
  ~Database() { sqlite3_close_v2(handle_); }
  sqlite3 *handle() const { return handle_; }
  const std::string &name() const { return name_; }
  void execute(const char *sql, const char *doing); // doing: "be written"
  bool has(const std::string &table);
  [[noreturn]] void fail(const std::string &doing) const; // with SQLite's own reason and a remedy

private:
  sqlite3 *handle_ = nullptr;
  std::string name_;
};

class Statement {
public:
  Statement(Database &database, const std::string &sql);
  Statement(const Statement &) = delete;
  ~Statement() { sqlite3_finalize(handle_); }
  bool step(); // true: there is a row
  void reset() { sqlite3_reset(handle_); }
  void bind(int place, const std::string &value);
  sqlite3_stmt *handle() const { return handle_; }
  int columns() const { return sqlite3_column_count(handle_); }
  bool isNull(int column) const { return sqlite3_column_type(handle_, column) == SQLITE_NULL; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_, column); }
  double real(int column) const { return sqlite3_column_double(handle_, column); }
  std::string text(int column) const;

private:
  Database &database_;
  sqlite3_stmt *handle_ = nullptr;
};

} // namespace pva::detail
