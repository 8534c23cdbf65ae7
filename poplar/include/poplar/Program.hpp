// SPDX-License-Identifier: MIT
// What a device does, as a tree of programs. A Program is a handle onto an immutable node: copies
// are cheap, subclasses only add constructors, and assigning any of them to a Program keeps
// everything (slicing is intended).
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/PrintTensor.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/SyncType.hpp>
#include <poplar/Tensor.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

class Graph;
namespace openipu {
struct Access;
struct Node;
} // namespace openipu

namespace program {

// A step of control flow on the device; the classes below are its kinds. Copies share one node.
class Program {
public:
  Program(); // does nothing
  ~Program();
  Program(const Program &);
  Program(Program &&) noexcept;
  Program &operator=(const Program &);
  Program &operator=(Program &&) noexcept;

  bool isEmpty() const; // whether it does nothing
  // The same node.
  friend bool operator==(const Program &a, const Program &b) { return a.node_ == b.node_; }
  friend bool operator!=(const Program &a, const Program &b) { return a.node_ != b.node_; }

protected:
  friend struct openipu::Access;
  // No constructor from it: {{0, program}} must stay a list of cases. Subclasses assign it.
  std::shared_ptr<const openipu::Node> node_;
};

// Runs programs one after the other. Adding to a Sequence does not change copies of it made before.
class Sequence : public Program {
  template <class... P> struct AllPrograms : std::true_type {};
  template <class P, class... Rest>
  struct AllPrograms<P, Rest...> : std::conditional<std::is_base_of<Program, P>::value,
                                                    AllPrograms<Rest...>, std::false_type>::type {};

public:
  Sequence(const DebugContext &debugContext = {});
  Sequence(std::initializer_list<Program> programs, const DebugContext &debugContext = {});
  Sequence(const std::vector<Program> &programs, const DebugContext &debugContext = {});
  template <class... P, class = typename std::enable_if<AllPrograms<P...>::value>::type>
  Sequence(const Program &first, const P &...rest)
      : Sequence(std::vector<Program>{first, rest...}) {}
  Sequence(const Sequence &) = default;
  Sequence(Sequence &&) = default;
  Sequence &operator=(const Sequence &) = default;
  Sequence &operator=(Sequence &&) = default;

  void add(const Program &program); // Appends a program.
  void add(Program &&program);
};

// Runs the vertices of a compute set, all at the same time.
class Execute : public Program {
public:
  Execute(ComputeSet cs, const DebugContext &debugContext = {});
  // Writes to outPredicate whether every vertex's compute returned true.
  Execute(ComputeSet cs, Tensor outPredicate, const DebugContext &debugContext = {});
};

// Source and destination have the same type and number of elements. The flags are hints.
class Copy : public Program {
public:
  Copy(Tensor src, Tensor dst, bool dontOutline = false, const DebugContext &debugContext = {});
  Copy(const DataStream &stream, Tensor dst, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const DataStream &stream, bool optimiseMemory = false,
       const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &debugContext = {});
  Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset,
       const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &debugContext = {});
  Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset,
       const DebugContext &debugContext = {});
  Copy(const FunctionBuffer &buffer, const Function &function,
       const DebugContext &debugContext = {});
};

// Runs a program so many times. Throws control_program_error for a negative or too large count.
class Repeat : public Program {
public:
  Repeat(unsigned count, const Program &body, const DebugContext &debugContext = {});
  // Brace initialisation from other integer types would be a narrowing conversion.
  template <class Integer, class = typename std::enable_if<std::is_integral<Integer>::value>::type>
  Repeat(Integer count, const Program &body, const DebugContext &debugContext = {})
      : Repeat(checkedCount(static_cast<std::int64_t>(count)), body, debugContext) {}

private:
  static unsigned checkedCount(std::int64_t count); // throws control_program_error
};

// Runs cond, tests predicate, runs body, and again.
class RepeatWhileTrue : public Program {
public:
  RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body,
                  const DebugContext &debugContext = {});
};

// RepeatWhileTrue with the test turned over.
class RepeatWhileFalse : public Program {
public:
  RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body,
                   const DebugContext &debugContext = {});
};

// Runs trueBody if the predicate, one element, is not zero, else falseBody.
class If : public Program {
public:
  If(Tensor predicate, const Program &trueBody, const Program &falseBody,
     const DebugContext &debugContext = {});
};

// Runs the case whose value is that of control, else the default, else nothing.
class Switch : public Program {
public:
  using Cases = std::vector<std::pair<std::int32_t, Program>>; // values and what runs for each
  Switch(Tensor control, const DebugContext &debugContext = {});
  Switch(Tensor control, const Program &defaultCase, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const DebugContext &debugContext = {});
  Switch(Tensor control, const Cases &cases, const Program &defaultCase,
         const DebugContext &debugContext = {});
  // No matching case: an error when run, or undefined.
  static Switch switchWithBoundsChecking(Tensor control, const Cases &cases,
                                         const DebugContext &debugContext = {});
  // A Switch whose value is promised to be that of a case.
  static Switch switchWithUnreachableDefault(Tensor control, const DebugContext &debugContext = {});

  // Adds a case. Throws control_program_error if the value has one.
  Switch &add(std::int32_t caseValue, const Program &body);

private:
  Switch() = default;
};

// Runs a function of the graph, or one of the host with these inputs and outputs.
class Call : public Program {
public:
  Call(Function function, const DebugContext &debugContext = {});
  Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
       const DebugContext &debugContext = {});
};

// Waits until all tiles of the kind named have come here. Programs need none: exchanges sync by
// themselves.
class Sync : public Program {
public:
  Sync(SyncType type, const DebugContext &debugContext = {});
};

// The contents become undefined, which ends the life of the data.
class WriteUndef : public Program {
public:
  WriteUndef(Tensor tensor, const DebugContext &debugContext = {});
};

// Writes a tensor to Engine::setPrintTensorStream when it runs, after its title or name.
class PrintTensor : public Program {
public:
  PrintTensor(Tensor tensor, const DebugContext &debugContext = {});
  PrintTensor(Tensor tensor, const PrintTensorFmt &format, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor tensor, const DebugContext &debugContext = {});
  PrintTensor(StringRef title, Tensor tensor, const PrintTensorFmt &format,
              const DebugContext &debugContext = {});
};

// Prints message and tensor, then throws out of Engine::run.
class ErrorProgram : public Program {
public:
  ErrorProgram(StringRef message, Tensor tensor, const DebugContext &debugContext = {});
};

// Ends the program: Engine::run throws application_runtime_error with the message.
class Abort : public Program {
public:
  explicit Abort(const DebugContext &debugContext = {});
  Abort(const std::string &message, const DebugContext &debugContext = {});
  Abort(const char *message, const DebugContext &debugContext = {});
};

// Abort if the predicate, one element, is not zero.
class AbortOnCondition : public Program {
public:
  AbortOnCondition(Tensor predicate, const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const std::string &message,
                   const DebugContext &debugContext = {});
  AbortOnCondition(Tensor predicate, const char *message, const DebugContext &debugContext = {});
};

// Promises that the tensor holds the same values in all replicas. Engine::run throws
// application_runtime_error where it does not.
class AssumeEqualAcrossReplicas : public Program {
public:
  AssumeEqualAcrossReplicas(Tensor tensor, const DebugContext &debugContext = {});
};

// Replica k's src goes to replica replicaMap[k]'s dst.
class CrossReplicaCopy : public Program {
public:
  CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                   const DebugContext &debugContext = {});
};

// A named scope for the profiler.
class Block : public Program {
public:
  Block(const Program &body, const DebugContext &debugContext = {});
};

} // namespace program

// The program tree as text, with the names of compute sets, variables and functions.
void dumpProgram(const Graph &graph, const program::Program &program, std::ostream &out);

} // namespace poplar
