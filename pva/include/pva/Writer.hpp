// SPDX-License-Identifier: MIT
// Fills the tables of Schema.hpp, in memory. finish() writes them to the file as a whole, so a
// reader never sees half of one; without it nothing is left behind. Every failure (no such
// directory, disk full) throws pva::Error.
#pragma once
#include "pva/Error.hpp"
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace pva {

class Writer {
public:
  struct Null {}; // an empty field

  // Rows go in with all columns, in the order of the schema.
  class Table {
  public:
    // Adds a line to the table.
    template <class... Values> void row(const Values &...values) {
      column_ = 0;
      int unused[] = {(bind(values), 0)...};
      (void)unused;
      insert();
    }
    Table(Table &&) noexcept;
    ~Table();

  private:
    friend class Writer;
    struct Impl;
    explicit Table(std::unique_ptr<Impl> impl);
    template <class T> typename std::enable_if<std::is_integral<T>::value>::type bind(T value) {
      bindInteger(static_cast<std::int64_t>(value));
    }
    void bind(double value);
    void bind(const std::string &value);
    void bind(Null);
    void bindInteger(std::int64_t value);
    void insert();
    std::unique_ptr<Impl> impl_;
    int column_ = 0;
  };

  Writer(); // in memory
  explicit Writer(const std::string &path);
  Writer(const Writer &) = delete;
  Writer &operator=(const Writer &) = delete;
  ~Writer();

  Table table(const std::string &name); // one per table at a time; gone before finish() or bytes()
  void finish();       // Completes the file. Throws pva::Error if it cannot be written.
  std::string bytes(); // of a profile in memory

private:
  void begin();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace pva
