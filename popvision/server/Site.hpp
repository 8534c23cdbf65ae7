// SPDX-License-Identifier: MIT
// The reports and traces that were given on the command line. A report is opened when somebody
// first asks for it, and again when its file has changed; folders are looked into again, so that a
// running training can be watched. What was found keeps its number.
#pragma once
#include "Model.hpp"
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>

namespace popvision {

class HostTrace;

// What lies at a path: a profile.pop, a trace, or folders of them. Throws std::runtime_error naming
// the path when there is nothing.
struct Found {
  std::vector<Files> reports;
  std::vector<std::string> traces;
};
Found find(const std::vector<std::string> &paths);

class Site {
public:
  explicit Site(std::vector<std::string> paths);
  ~Site();
  void lookAgain() const; // for what has appeared in the folders
  std::size_t numReports() const;
  std::size_t numTraces() const;
  const Files &files(std::size_t report) const { return reportAt(report).files; }
  const std::string &traceFile(std::size_t trace) const { return traceAt(trace).files; }
  // std::out_of_range: there is no such one. pva::Error and std::runtime_error: what is wrong with
  // it.
  std::shared_ptr<const Model> report(std::size_t index) const;
  std::shared_ptr<const HostTrace> trace(std::size_t index) const;
  // Changes whenever a file does; what is asked for with another stamp is out of date.
  std::uint64_t stamp() const;

private:
  template <class T, class Where> struct Slot {
    explicit Slot(Where where) : files(std::move(where)) {}
    const Where files;
    std::mutex mutex;
    std::uint64_t stamp = 0;
    std::shared_ptr<const T> value;
    std::string error;
  };
  using ReportSlot = Slot<Model, Files>;
  using TraceSlot = Slot<HostTrace, std::string>;
  ReportSlot &reportAt(std::size_t index) const;
  TraceSlot &traceAt(std::size_t index) const;

  const std::vector<std::string> paths_;
  mutable std::mutex mutex_; // of the lists; what is in them stays where it is
  mutable std::deque<ReportSlot> reports_;
  mutable std::deque<TraceSlot> traces_;
};

} // namespace popvision
