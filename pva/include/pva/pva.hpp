// SPDX-License-Identifier: MIT
// Reads profile.pop: `auto report = pva::openReport("profile.pop");`. A report is a cheap handle on
// data in memory; the file may go away. Whatever is wrong with a file ends in pva::Error.
#pragma once
#include "pva/Compilation.hpp"
#include "pva/Error.hpp"
#include "pva/Execution.hpp"
#include "pva/Program.hpp"
#include <iosfwd>

namespace pva {

// The version of the library that wrote a report.
class PoplarVersion {
public:
  PoplarVersion(std::string text, std::string packageHash);
  const std::string &string() const { return text_; } // the whole text
  // Differs between builds that cannot read each other's executables.
  const std::string &packageHash() const { return hash_; }
  unsigned majorVer() const { return numbers_[0]; } // the first number
  unsigned minorVer() const { return numbers_[1]; } // the second number
  unsigned pointVer() const { return numbers_[2]; } // the third number

private:
  std::string text_, hash_;
  unsigned numbers_[3];
};

// Of the file format.
class Version {
public:
  explicit Version(unsigned number) : number_(number) {}
  unsigned majorVer() const { return number_; }   // the version of the format
  bool isUnstableFormat() const { return false; } // false: a file of this format can always be read

private:
  unsigned number_;
};

// What was measured while the program ran, beyond the model.
class InstrumentationSettings {
public:
  // What cycles of computation were counted for.
  enum class Compute { Off = 0, Vertex = 1, Tile = 2, Ipu = 3, Device = 4, Unknown = 5 };
  // What cycles of exchange with the host were counted for.
  enum class ExternalExchange { Off = 0, Tile = 1, Unknown = 2 };
  InstrumentationSettings(Compute compute, ExternalExchange exchange)
      : compute_(compute), exchange_(exchange) {}
  Compute compute() const { return compute_; }                    // how computation was measured
  ExternalExchange externalExchange() const { return exchange_; } // how exchanges were measured

private:
  Compute compute_;
  ExternalExchange exchange_;
};

// One entry of the debug-information file.
class DebugContext : public detail::Handle<DebugContext> {
public:
  // Where in a program's source.
  struct Location {
    // What the functions below return.
    std::string fileName_, functionName_;
    std::uint64_t lineNumber_;
    const std::string &fileName() const { return fileName_; } // the source file
    // The function that made the call.
    const std::string &functionName() const { return functionName_; }
    std::uint64_t lineNumber() const { return lineNumber_; } // the line of the call
  };
  DebugContext(detail::DataRef data, std::uint32_t index)
      : Handle(std::move(data)), index_(index) {}
  std::uint64_t id() const;       // unique in the file
  std::uint64_t parentId() const; // of the context around it; 0: none
  bool hasParent() const;         // whether the context around it is in the file
  DebugContext parent() const;    // throws without one in the file
  std::string name() const;       // what the program or the library called it
  std::string layer() const;      // "poplar", "popops", "popart" and so on
  std::string json() const;       // the whole entry
  Location location() const;      // empty where it is not known

private:
  std::uint32_t index_;
};

// One profile: what was compiled and what ran.
//
//   auto report = pva::openReport("profile.pop");
//   for (const auto &tile : report.compilation().tiles())
//     sum += tile.memory().total().includingGaps();
class Report : public detail::Handle<Report> {
public:
  explicit Report(detail::DataRef data) : Handle(std::move(data)) {}
  CompilationReport compilation() const { return CompilationReport(data_); } // what was compiled
  ExecutionReport execution() const { return ExecutionReport(data_); }       // what ran
  PoplarVersion poplarVersion() const;                     // of the library that wrote it
  Version version() const;                                 // of the file's format
  InstrumentationSettings instrumentationSettings() const; // what was measured
  std::vector<std::pair<std::string, std::string>> engineOptions() const; // by name
  std::vector<DebugContext> debugContexts() const; // empty without a debug file

  // How many elements of each list are printed; all handles on the report share it.
  void listPrintLength(std::uint64_t length) const;
  std::uint64_t listPrintLength() const;

private:
  friend class OperationAnalysis;
};
// The report in words: target, graph, memory, programs, compute sets, always live variables, runs.
std::ostream &operator<<(std::ostream &out, const Report &report);

// What a program's author called: the innermost context, around a piece of the program, of a layer
// above Poplar and PopLibs; without one the outermost call of PopLibs, or of Poplar.
class Operation : public detail::Handle<Operation> {
public:
  Operation(detail::DataRef data, std::uint32_t context, std::vector<std::uint32_t> programs)
      : Handle(std::move(data)), context_(context), programs_(std::move(programs)) {}
  std::string name() const; // the framework's name of it, or the context's
  // The context that stands for it.
  DebugContext debugContext() const { return DebugContext(data_, context_); }
  std::vector<DebugContext> replacedDebugContext() const { return {}; } // contexts are never merged
  std::vector<ProgramRef> programs() const; // that were made inside of the context
  std::vector<Variable> vars() const;       // read or written by them
  // Of ExecutionReport::steps; -1 if no traced step belongs to it.
  std::int64_t firstStepIndex() const;
  std::int64_t lastStepIndex() const; // of ExecutionReport::steps; -1 if none belongs to it

private:
  bool has(std::uint32_t program) const;
  std::uint32_t context_;
  std::vector<std::uint32_t> programs_; // rising
};

// The operations of a report that was opened with its debug file, in the order of its contexts.
class OperationAnalysis {
public:
  explicit OperationAnalysis(const Report &report);
  // In the order of the debug file's contexts.
  const std::vector<Operation> &operations() const { return operations_; }

private:
  std::vector<Operation> operations_;
};

Report openReport(const std::string &profilePath);
Report openReport(const std::string &profilePath,
                  const std::string &debugPath); // debug.cbor or its JSON twin

// The bytes of a profile; `name` stands for the file in messages.
Report openReportFromMemory(const void *data, std::size_t size, const std::string &name);

} // namespace pva
