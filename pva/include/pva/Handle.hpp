// SPDX-License-Identifier: MIT
// The objects of a report are small handles on shared, immutable data: cheap to copy, and valid as
// long as anybody holds one, whatever becomes of the file and of the engine. Members can be reached
// by `.` and by `->`.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pva {

namespace detail {
struct Data;
typedef std::shared_ptr<const Data> DataRef;

template <class Derived> class Handle {
public:
  const Derived *operator->() const { return static_cast<const Derived *>(this); }

protected:
  explicit Handle(DataRef data) : data_(std::move(data)) {}
  DataRef data_;
};
} // namespace detail

class Program;
class ProgramVisitor;
// A program of the report, which keeps the report alive.
typedef std::shared_ptr<Program> ProgramRef;
typedef std::vector<std::uint64_t> NumberByTile; // one entry per tile of a replica

} // namespace pva
