// SPDX-License-Identifier: MIT
#include "pva/Writer.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "pva/Schema.hpp"
#include "Sqlite.hpp"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace pva {

using detail::Database;
using detail::Statement;

struct Writer::Impl {
  explicit Impl(const std::string &target)
      : path(target),
        partial(target.empty() ? ":memory:" : base::str(target, ".partial-", getpid())),
        database((discard(), partial), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
                 target.empty() ? "(in memory)" : target) {}
  ~Impl() { discard(); }
  void discard() const {
    if (!path.empty())
      std::remove(partial.c_str());
  }
  std::string path, partial;
  Database database;
};

struct Writer::Table::Impl {
  Impl(Database &database, const std::string &sql) : statement(database, sql) {}
  Statement statement;
};

Writer::Writer() : Writer(std::string()) {}

// No journal and no fsync: an unfinished file is thrown away as a whole.
Writer::Writer(const std::string &path) : impl_(new Impl(path)) {
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

void Writer::finish() {
  impl_->database.execute("COMMIT", "be written");
  if (impl_->path.empty() || std::rename(impl_->partial.c_str(), impl_->path.c_str()) == 0)
    return;
  throw Error(base::str("Cannot rename profile \"", impl_->partial, "\" to \"", impl_->path,
                        "\": ", std::strerror(errno), ". Choose another autoReport.directory."));
}

std::string Writer::bytes() {
  if (!sqlite3_get_autocommit(impl_->database.handle()))
    impl_->database.execute("COMMIT", "be written");
  sqlite3_int64 size = 0;
  std::unique_ptr<unsigned char, void (*)(void *)> data(
      sqlite3_serialize(impl_->database.handle(), "main", &size, 0), sqlite3_free);
  if (!data)
    throw Error(base::str("Not enough memory to hold a profile of ", size, " bytes."));
  return std::string(reinterpret_cast<const char *>(data.get()), std::size_t(size));
}

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
void Writer::Table::bind(const std::string &value) {
  sqlite3_bind_text(impl_->statement.handle(), ++column_, value.data(), int(value.size()),
                    SQLITE_TRANSIENT);
}
void Writer::Table::insert() {
  OPENIPU_CHECK(column_ == sqlite3_bind_parameter_count(impl_->statement.handle()),
                base::str("row with ", column_, " columns"));
  impl_->statement.step();
  impl_->statement.reset();
}

} // namespace pva
