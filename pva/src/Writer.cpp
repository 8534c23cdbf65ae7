// SPDX-License-Identifier: MIT
#include "pva/Writer.hpp"
#include "base/Error.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "pva/Schema.hpp"
#include "Sqlite.hpp"
#include <string_view>

namespace pva {

using detail::Database;
using detail::Statement;

struct Writer::Impl {
  Impl(std::unique_ptr<base::OutputFile> file, const std::string &name)
      : output(std::move(file)),
        database("profile", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, name, "memdb") {
    sqlite3_int64 most = std::int64_t(1) << 40; // bytes; SQLite's own limit is 1 GB
    sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_SIZE_LIMIT, &most);
  }
  std::unique_ptr<base::OutputFile> output; // none: the profile stays in memory
  Database database;
};

struct Writer::Table::Impl {
  Impl(Database &database, const std::string &sql) : statement(database, sql) {}
  Statement statement;
};

Writer::Writer() : impl_(new Impl(nullptr, "(in memory)")) { begin(); }

Writer::Writer(const std::string &path) try
    : impl_(new Impl(std::make_unique<base::OutputFile>(path), path)) {
  begin();
} catch (const base::FileError &e) {
  throw Error(base::str("Profile: ", e.what(), " The engine option is autoReport.directory."));
}

// No journal: an unfinished profile is thrown away as a whole.
void Writer::begin() {
  Database &database = impl_->database;
  database.execute(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;",
      "be written");
  database.execute(base::str("PRAGMA application_id=", applicationId,
                             "; PRAGMA user_version=", formatVersion, "; BEGIN;")
                       .c_str(),
                   "be written");
  database.execute(schema, "be written");
}
Writer::~Writer() = default;

static std::string insertInto(Database &database, const std::string &table) {
  Statement all(database, "SELECT * FROM " + table);
  std::string sql = "INSERT INTO " + table + " VALUES(?";
  for (int i = 1; i < all.columns(); ++i)
    sql += ",?";
  return sql + ")";
}

Writer::Table Writer::table(const std::string &name) {
  Database &database = impl_->database;
  return Table(std::unique_ptr<Table::Impl>(new Table::Impl(database, insertInto(database, name))));
}

// The database itself, which SQLite keeps.
static std::string_view contents(Database &database) {
  if (!sqlite3_get_autocommit(database.handle()))
    database.execute("COMMIT", "be written");
  sqlite3_int64 size = 0;
  const auto *data = sqlite3_serialize(database.handle(), "main", &size, SQLITE_SERIALIZE_NOCOPY);
  if (!data) // it is one piece, but looking at it may take memory
    database.fail("be written");
  return {reinterpret_cast<const char *>(data), std::size_t(size)};
}

void Writer::finish() {
  const auto bytes = contents(impl_->database);
  if (!impl_->output)
    return;
  try {
    impl_->output->stream().write(bytes.data(), std::streamsize(bytes.size()));
    impl_->output->commit();
  } catch (const base::FileError &e) {
    throw Error(base::str("Profile: ", e.what(), " The engine option is autoReport.directory."));
  }
}

std::string Writer::bytes() { return std::string(contents(impl_->database)); }

Writer::Table::Table(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Writer::Table::Table(Table &&) noexcept = default;
Writer::Table::~Table() = default;

void Writer::Table::bindInteger(std::int64_t value) {
  sqlite3_bind_int64(impl_->statement.handle(), ++column_, value);
}
void Writer::Table::bind(double value) {
  sqlite3_bind_double(impl_->statement.handle(), ++column_, value);
}
void Writer::Table::bind(Null) { sqlite3_bind_null(impl_->statement.handle(), ++column_); }
void Writer::Table::bind(const std::string &value) { impl_->statement.bind(++column_, value); }
void Writer::Table::insert() {
  OPENIPU_CHECK(column_ == sqlite3_bind_parameter_count(impl_->statement.handle()),
                base::str("row with ", column_, " columns"));
  impl_->statement.step();
  impl_->statement.reset();
}

} // namespace pva
