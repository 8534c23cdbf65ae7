// SPDX-License-Identifier: MIT
#include "Store.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "machine/Runtime.hpp"
#include <array>
#include <crypt.h>
#include <cstring>
#include <sqlite3.h>
#include <sys/random.h>
#include <sys/stat.h>

namespace vipu {
namespace {

using base::str;
using machine::Error;

class Statement {
public:
  Statement(sqlite3 *db, const char *sql) : db_(db) {
    if (::sqlite3_prepare_v2(db, sql, -1, &statement_, nullptr) != SQLITE_OK)
      fail();
  }
  ~Statement() { ::sqlite3_finalize(statement_); }
  Statement(const Statement &) = delete;
  Statement &bind(int place, const std::string &text) {
    if (::sqlite3_bind_text(statement_, place, text.data(), int(text.size()), SQLITE_TRANSIENT) !=
        SQLITE_OK)
      fail();
    return *this;
  }
  Statement &bind(int place, int number) {
    if (::sqlite3_bind_int(statement_, place, number) != SQLITE_OK)
      fail();
    return *this;
  }
  bool next() {
    const int result = ::sqlite3_step(statement_);
    if (result != SQLITE_ROW && result != SQLITE_DONE)
      fail();
    return result == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto *bytes = reinterpret_cast<const char *>(::sqlite3_column_text(statement_, column));
    if (!bytes && ::sqlite3_errcode(db_) == SQLITE_NOMEM)
      fail();
    return bytes ? std::string(bytes, std::size_t(::sqlite3_column_bytes(statement_, column))) : "";
  }
  int number(int column) const { return ::sqlite3_column_int(statement_, column); }

private:
  [[noreturn]] void fail() const {
    const int code = ::sqlite3_errcode(db_) & 0xff;
    throw Error(str("The controller's file ", ::sqlite3_db_filename(db_, "main"),
                    " cannot be used: ", ::sqlite3_errmsg(db_), ".",
                    code == SQLITE_FULL || code == SQLITE_IOERR ? " Make room on its disk." : ""));
  }
  sqlite3 *db_;
  sqlite3_stmt *statement_ = nullptr;
};

// 160 bits in letters and digits that nobody confuses.
std::string newKey() {
  std::array<unsigned char, 32> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
    throw Error("The system gives no random numbers for an access key.");
  std::string key;
  for (auto byte : bytes)
    key += "abcdefghjkmnpqrstuvwxyz23456789A"[byte % 32];
  return key;
}

std::string hashOf(const std::string &key, const std::string &setting) {
  crypt_data data{};
  const char *out = ::crypt_r(key.c_str(), setting.c_str(), &data);
  if (!out || out[0] == '*')
    throw Error("An access key could not be hashed.");
  return out;
}

std::string newSetting() {
  char setting[CRYPT_GENSALT_OUTPUT_SIZE];
  if (!::crypt_gensalt_rn("$6$", 5000, nullptr, 0, setting, sizeof setting))
    throw Error("The system gives no random numbers for an access key.");
  return setting;
}

// In a time that does not tell where the difference is.
bool same(const std::string &a, const std::string &b) {
  unsigned char difference = a.size() != b.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

} // namespace

std::string defaultStore() { return machine::runtimeFolder().pathOf("controller.sqlite"); }

Store::Store(const std::string &path) : path_(path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0 &&
      (!base::isTrustedUser(info.st_uid) || base::isWritableByOthers(info)))
    throw Error(str("The controller's file ", path,
                    " belongs to somebody else or may be written by others. "
                    "Give another with --state, or: chmod go-w ",
                    path));
  const auto before = ::umask(0077);
  const int opened =
      ::sqlite3_open_v2(path.c_str(), &db_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  ::umask(before);
  if (opened != SQLITE_OK) {
    const std::string why = db_ ? ::sqlite3_errmsg(db_) : "no memory";
    ::sqlite3_close(db_);
    throw Error(str("The controller's file ", path, " cannot be opened: ", why, "."));
  }
  ::sqlite3_busy_timeout(db_, 5000);
  try {
    run("PRAGMA journal_mode=WAL");
    run("CREATE TABLE IF NOT EXISTS record(id INTEGER PRIMARY KEY CHECK(id = 1), text TEXT NOT "
        "NULL)");
    run("CREATE TABLE IF NOT EXISTS users(name TEXT PRIMARY KEY, admin INTEGER NOT NULL, hash TEXT "
        "NOT NULL)");
    read();
  } catch (const Error &e) {
    ::sqlite3_close(db_);
    throw Error(str(e.what(), " Give another file with --state, or remove it to start again."));
  } catch (...) { // no memory
    ::sqlite3_close(db_);
    throw;
  }
}
Store::~Store() { ::sqlite3_close(db_); }

void Store::run(const char *sql) {
  Statement statement(db_, sql);
  while (statement.next()) {
  }
}

machine::State Store::read() {
  Statement found(db_, "SELECT text FROM record WHERE id = 1");
  if (found.next())
    return machine::parseState(found.text(0), path_);
  auto state = machine::stateOfEnvironment();
  state.partitions.clear();
  return state;
}

machine::State Store::state() {
  std::lock_guard lock(mutex_);
  return read();
}

void Store::change(const std::function<void(machine::State &)> &what) {
  std::lock_guard lock(mutex_);
  run("BEGIN IMMEDIATE");
  try {
    auto state = read();
    what(state);
    const auto text = machine::textOf(state);
    machine::parseState(text, path_);
    Statement(db_, "INSERT INTO record VALUES(1, ?1) ON CONFLICT(id) DO UPDATE SET text = ?1")
        .bind(1, text)
        .next();
    run("COMMIT");
  } catch (...) { // on a full disk it may have been rolled back already
    if (!::sqlite3_get_autocommit(db_))
      ::sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::string Store::addUser(const User &user) {
  if (!machine::isName(user.name))
    throw Error(str("\"", base::brief(user.name), "\" is no name for a user: it takes ",
                    machine::nameRule, "."));
  std::lock_guard lock(mutex_);
  {
    Statement found(db_, "SELECT 1 FROM users WHERE name = ?1");
    if (found.bind(1, user.name).next())
      throw Error(str("There is a user ", user.name, " already. Remove him first for a new key."));
  }
  const auto key = newKey();
  Statement(db_, "INSERT INTO users VALUES(?1, ?2, ?3)")
      .bind(1, user.name)
      .bind(2, user.admin)
      .bind(3, hashOf(key, newSetting()))
      .next();
  return key;
}

void Store::removeUser(const std::string &name) {
  std::lock_guard lock(mutex_);
  Statement(db_, "DELETE FROM users WHERE name = ?1").bind(1, name).next();
  if (::sqlite3_changes(db_) == 0)
    throw Error(str("There is no user ", base::brief(name), "."));
}

std::vector<User> Store::users() {
  std::lock_guard lock(mutex_);
  std::vector<User> out;
  Statement found(db_, "SELECT name, admin FROM users ORDER BY name");
  while (found.next())
    out.push_back({found.text(0), found.number(1) != 0});
  return out;
}

std::optional<User> Store::userWith(const std::string &name, const std::string &key) {
  std::string hash;
  bool admin = false;
  {
    std::lock_guard lock(mutex_);
    Statement found(db_, "SELECT hash, admin FROM users WHERE name = ?1");
    if (found.bind(1, name).next())
      hash = found.text(0), admin = found.number(1) != 0;
  }
  if (hash.empty() || key.size() > 512 || !same(hashOf(key, hash), hash))
    return std::nullopt;
  return User{name, admin};
}

} // namespace vipu
