// SPDX-License-Identifier: MIT
// The reports and traces that were given on the command line. A report is opened when somebody
// first asks for it, and again when its file has changed, so that a running training can be
// watched.
#pragma once
#include "Model.hpp"
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
  explicit Site(Found found);
  ~Site();
  std::size_t numReports() const { return found_.reports.size(); }
  std::size_t numTraces() const { return found_.traces.size(); }
  const Files &files(std::size_t report) const { return found_.reports.at(report); }
  const std::string &traceFile(std::size_t trace) const { return found_.traces.at(trace); }
  // std::out_of_range: there is no such one. pva::Error and std::runtime_error: what is wrong with
  // it.
  std::shared_ptr<const Model> report(std::size_t index) const;
  std::shared_ptr<const HostTrace> trace(std::size_t index) const;
  // Changes whenever a file does; what is asked for with another stamp is out of date.
  std::uint64_t stamp() const;

private:
  template <class T> struct Slot {
    std::mutex mutex;
    std::uint64_t stamp = 0;
    std::shared_ptr<const T> value;
    std::string error;
  };
  Found found_;
  mutable std::vector<std::unique_ptr<Slot<Model>>> reports_;
  mutable std::vector<std::unique_ptr<Slot<HostTrace>>> traces_;
};

} // namespace popvision
