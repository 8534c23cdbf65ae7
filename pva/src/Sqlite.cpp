// SPDX-License-Identifier: MIT
#include "Sqlite.hpp"
#include "base/Text.hpp"

namespace pva::detail {

Database::Database(const std::string &file, int flags, std::string name, const char *vfs)
    : name_(std::move(name)) {
  if (sqlite3_open_v2(file.c_str(), &handle_, flags, vfs) == SQLITE_OK)
    return;
  struct Close { // whatever becomes of the message
    sqlite3 *handle;
    ~Close() { sqlite3_close_v2(handle); }
  } close{handle_};
  throw Error(base::str("Cannot open profile \"", name_,
                        "\": ", handle_ ? sqlite3_errmsg(handle_) : "out of memory",
                        ". Check that the directory exists and that you may use it."));
}

void Database::execute(const char *sql, const char *doing) {
  if (sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(doing);
}

void Database::fail(const std::string &doing) const {
  const char *remedy = "";
  switch (sqlite3_errcode(handle_) & 0xff) {
  case SQLITE_FULL:
    remedy = " Free some disk space, or choose another autoReport.directory.";
    break;
  case SQLITE_IOERR:
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    remedy = " Check the disk and the permissions, or choose another autoReport.directory.";
    break;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    remedy = " The file is damaged; run the program again to write a new one.";
    break;
  default:
    break;
  }
  throw Error(base::str("Profile \"", name_, "\" cannot ", doing, ": ", sqlite3_errmsg(handle_),
                        ".", remedy));
}

Statement::Statement(Database &database, const std::string &sql) : database_(database) {
  if (sqlite3_prepare_v2(database.handle(), sql.c_str(), int(sql.size()), &handle_, nullptr) !=
      SQLITE_OK)
    database.fail("answer \"" + sql + "\"");
}

bool Statement::step() {
  int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE)
    database_.fail(sqlite3_stmt_readonly(handle_) ? "be read" : "be written");
  return code == SQLITE_ROW;
}

void Statement::bind(int place, const std::string &value) {
  if (sqlite3_bind_text(handle_, place, value.data(), int(value.size()), SQLITE_TRANSIENT) !=
      SQLITE_OK)
    database_.fail("be written");
}

std::string Statement::text(int column) const {
  auto *begin = reinterpret_cast<const char *>(sqlite3_column_text(handle_, column));
  if (!begin && sqlite3_errcode(database_.handle()) == SQLITE_NOMEM)
    database_.fail("be read");
  return begin ? std::string(begin, std::size_t(sqlite3_column_bytes(handle_, column)))
               : std::string();
}

bool Database::has(const std::string &table) {
  Statement found(*this,
                  "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '" + table + "'");
  return found.step();
}

} // namespace pva::detail
