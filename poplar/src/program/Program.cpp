// SPDX-License-Identifier: MIT
// Constructors of the public program classes: each checks its arguments and makes one node.
#include "poplar/Program.hpp"
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "program/Node.hpp"
#include <algorithm>
#include <set>
#include <unordered_set>

namespace poplar::program {

using base::str;

Program::Program() = default;
Program::~Program() = default;
Program::Program(const Program &) = default;
Program::Program(Program &&) noexcept = default;
Program &Program::operator=(const Program &) = default;
Program &Program::operator=(Program &&) noexcept = default;

} // namespace poplar::program

// Whoever holds the last reference to a nested program takes its parts before it goes. Without
// memory for that they go as members do, one inside the other.
poplar::openipu::Node::~Node() try {
  std::vector<program::Program> waiting;
  program::EachPart take([&](program::Program &part) { waiting.push_back(std::move(part)); });
  executable::describe(*this, take);
  while (!waiting.empty()) {
    const auto last = std::move(Access::nodePointer(waiting.back()));
    waiting.pop_back();
    if (last.use_count() == 1)
      executable::describe(const_cast<Node &>(*last), take); // nobody else holds it
  }
} catch (const std::bad_alloc &) {
  return; // and do not throw it again
}

namespace poplar::program {

bool Program::isEmpty() const {
  std::vector<const Node *> waiting{node_.get()};
  std::unordered_set<const Node *> seen{nullptr}; // programs may stand in many places
  while (!waiting.empty()) {
    const auto *node = waiting.back();
    waiting.pop_back();
    if (!seen.insert(node).second)
      continue;
    const auto *sequence = std::get_if<steps::Sequence<Tree>>(&node->kind);
    if (!sequence)
      return false;
    for (const auto &part : sequence->parts)
      waiting.push_back(part.node_.get());
  }
  return true;
}

namespace {

// A program that uses a part of a graph.
template <class Kind, class Part>
Node nodeIn(const Part &part, Kind kind, const DebugContext &context) {
  auto out = nodeOf(std::move(kind), context);
  out.graph = Access::graphNumber(part);
  return out;
}

std::string at(const DebugContext &context) {
  auto path = context.getPathName();
  return path.empty() ? "" : str(" (at \"", path, "\")");
}

void requireValid(const Tensor &tensor, const char *program, const char *role,
                  const DebugContext &context) {
  if (!tensor.valid())
    throw control_program_error(
        str(program, ": the ", role, " tensor is not initialised.", at(context)));
}

void requireScalar(const Tensor &tensor, const char *program, const char *role,
                   const DebugContext &context) {
  requireValid(tensor, program, role, context);
  if (tensor.numElements() != 1)
    throw control_program_error(str(program, ": the ", role, " ", tensor.getDebugStr(), " has ",
                                    tensor.numElements(), " elements; it must have exactly one.",
                                    at(context)));
  if (tensor.elementType().isFloatingPoint())
    throw control_program_error(str(program, ": the ", role, " ", tensor.getDebugStr(),
                                    " has type ", tensor.elementType().toString(),
                                    "; it must be BOOL or an integer.", at(context)));
}

void requireWriteable(const Tensor &tensor, const char *program, const DebugContext &context) {
  if (tensor.containsConstant())
    throw control_program_error(str(program, ": the destination ", tensor.getDebugStr(),
                                    " holds a constant, which cannot be written.", at(context)));
  if (tensor.containsAliases())
    throw control_program_error(str(program, ": the destination ", tensor.getDebugStr(),
                                    " names some element twice, so the result would be ambiguous.",
                                    at(context)));
}

void requireSize(const char *what, const std::string &handle, std::size_t expected,
                 const Type &type, const Tensor &tensor, const DebugContext &context) {
  requireValid(tensor, "Copy", what, context);
  if (tensor.elementType() != type)
    throw control_program_error(str("Copy: ", what, " \"", handle, "\" has type ", type.toString(),
                                    " and the tensor ", tensor.getDebugStr(), " has type ",
                                    tensor.elementType().toString(), ".", at(context)));
  if (tensor.numElements() != expected)
    throw control_program_error(str("Copy: ", what, " \"", handle, "\" moves ", expected,
                                    " elements and the tensor ", tensor.getDebugStr(), " has ",
                                    tensor.numElements(), ".", at(context)));
}

} // namespace

// ---- Sequence ----

Sequence::Sequence(const DebugContext &context) {
  node_ = std::make_shared<Node>(nodeOf(steps::Sequence<Tree>(), context));
}
Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &context)
    : Sequence(std::vector<Program>(programs), context) {}
Sequence::Sequence(const std::vector<Program> &programs, const DebugContext &context) {
  node_ = std::make_shared<Node>(nodeOf(steps::Sequence<Tree>{.parts = programs}, context));
}

void Sequence::add(const Program &program) { add(Program(program)); }
void Sequence::add(Program &&program) {
  if (!node_) // moved from
    node_ = std::make_shared<Node>(nodeOf(steps::Sequence<Tree>(), {}));
  else if (node_.use_count() > 1)
    node_ = std::make_shared<Node>(*node_);
  auto &kind = const_cast<Node &>(*node_).kind; // nobody else holds it
  std::get<steps::Sequence<Tree>>(kind).parts.push_back(std::move(program));
}

// ---- Execute and copies ----

Execute::Execute(ComputeSet cs, const DebugContext &context) {
  Access::setNode(*this, nodeIn(cs, steps::Execute<Tree>{.set = cs.getId()}, context));
}
Execute::Execute(ComputeSet cs, Tensor predicate, const DebugContext &context) {
  requireScalar(predicate, "Execute", "predicate", context);
  requireWriteable(predicate, "Execute", context);
  steps::Execute<Tree> execute{.set = cs.getId(), .verdict = std::move(predicate)};
  Access::setNode(*this, nodeIn(cs, std::move(execute), context));
}

Copy::Copy(Tensor src, Tensor dst, bool, const DebugContext &context) {
  requireValid(src, "Copy", "source", context);
  requireValid(dst, "Copy", "destination", context);
  if (src.elementType() != dst.elementType())
    throw control_program_error(str("Copy: the source ", src.getDebugStr(), " has type ",
                                    src.elementType().toString(), " and the destination ",
                                    dst.getDebugStr(), " has type ", dst.elementType().toString(),
                                    ". A Copy does not convert.", at(context)));
  if (src.numElements() != dst.numElements())
    throw control_program_error(str("Copy: the source ", src.getDebugStr(), " has ",
                                    src.numElements(), " elements and the destination ",
                                    dst.getDebugStr(), " has ", dst.numElements(), ".",
                                    at(context)));
  requireWriteable(dst, "Copy", context);
  steps::Copy<Tree> copy{.data = {std::move(src), std::move(dst)}};
  Access::setNode(*this, nodeOf(std::move(copy), context));
}
Copy::Copy(const DataStream &stream, Tensor dst, bool, const DebugContext &context) {
  if (!isHostToDevice(stream.type()))
    throw control_program_error(str("Copy: stream \"", stream.handle(),
                                    "\" goes from device to host and cannot be a source. "
                                    "Create it with addHostToDeviceFIFO.",
                                    at(context)));
  requireSize("stream", stream.handle(), stream.numElements(), stream.elementType(), dst, context);
  requireWriteable(dst, "Copy", context);
  steps::HostToDevice<Tree> copy{.stream = stream.handle(), .data = {{}, std::move(dst)}};
  Access::setNode(*this, nodeIn(stream, std::move(copy), context));
}
Copy::Copy(Tensor src, const DataStream &stream, bool, const DebugContext &context) {
  if (!isDeviceToHost(stream.type()))
    throw control_program_error(str("Copy: stream \"", stream.handle(),
                                    "\" goes from host to device and cannot be a destination. "
                                    "Create it with addDeviceToHostFIFO.",
                                    at(context)));
  requireSize("stream", stream.handle(), stream.numElements(), stream.elementType(), src, context);
  steps::DeviceToHost<Tree> copy{.stream = stream.handle(), .data = {std::move(src), {}}};
  Access::setNode(*this, nodeIn(stream, std::move(copy), context));
}

template <class Kind>
static Node remote(const RemoteBuffer &buffer, Tensor data, Tensor offset,
                   const DebugContext &context) {
  std::size_t slots = 1;
  if (offset.valid()) {
    if (offset.elementType() != INT && offset.elementType() != UNSIGNED_INT)
      throw control_program_error(str("Copy: the offset ", offset.getDebugStr(),
                                      " of remote buffer \"", buffer.handle(), "\" has type ",
                                      offset.elementType().toString(),
                                      "; it must be INT or UNSIGNED_INT.", at(context)));
    slots = offset.numElements();
  } else if (buffer.getRepeats() != 1) {
    throw control_program_error(
        str("Copy: remote buffer \"", buffer.handle(), "\" has ", buffer.getRepeats(),
            " slots; give an offset tensor that selects one.", at(context)));
  }
  const auto elements = base::checkedProduct(buffer.numElements(), slots);
  if (!elements)
    throw control_program_error(str("Copy: ", slots, " slots of remote buffer \"", buffer.handle(),
                                    "\" hold more than ", base::thousands(base::maxElements),
                                    " elements, which no tensor has.", at(context)));
  requireSize("remote buffer", buffer.handle(), *elements, buffer.elementType(), data, context);
  Kind copy;
  copy.buffer = buffer.handle();
  if (offset.valid())
    copy.slots = std::move(offset);
  if (Kind::direction == steps::Direction::ToDevice)
    requireWriteable(data, "Copy", context);
  (Kind::direction == steps::Direction::ToDevice ? copy.data.to : copy.data.from) = std::move(data);
  return nodeIn(buffer, std::move(copy), context);
}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &context) {
  Access::setNode(*this, remote<steps::RemoteToDevice<Tree>>(buffer, std::move(dst), {}, context));
}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset, const DebugContext &context) {
  requireValid(offset, "Copy", "offset", context);
  Access::setNode(*this, remote<steps::RemoteToDevice<Tree>>(buffer, std::move(dst),
                                                             std::move(offset), context));
}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &context) {
  Access::setNode(*this, remote<steps::DeviceToRemote<Tree>>(buffer, std::move(src), {}, context));
}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset, const DebugContext &context) {
  requireValid(offset, "Copy", "offset", context);
  Access::setNode(*this, remote<steps::DeviceToRemote<Tree>>(buffer, std::move(src),
                                                             std::move(offset), context));
}
// The host keeps all code resident, so loading a function's code moves nothing.
Copy::Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &context) {
  if (buffer == FunctionBuffer() || function == Function() ||
      Access::graphNumber(buffer) != Access::graphNumber(function))
    throw control_program_error(
        str("Copy: the function buffer and the function must be of one graph. Take them from "
            "Graph::addFunctionBuffer and Graph::addFunction.",
            at(context)));
  Access::setNode(*this, nodeIn(buffer, steps::Sequence<Tree>(), context));
}

// ---- control flow ----

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &context) {
  Access::setNode(*this, nodeOf(steps::Repeat<Tree>{.count = count, .body = body}, context));
}
unsigned Repeat::checkedCount(std::int64_t count) {
  if (count < 0 || count > 0xffffffffll)
    throw control_program_error(str("Repeat: a count of ", count,
                                    " is not possible; it must be between 0 and 4294967295."));
  return unsigned(count);
}

static Node repeatWhile(bool goOn, const Program &cond, Tensor predicate, const Program &body,
                        const DebugContext &context) {
  requireScalar(predicate, goOn ? "RepeatWhileTrue" : "RepeatWhileFalse", "predicate", context);
  return nodeOf(
      steps::RepeatWhile<Tree>{
          .condition = cond, .predicate = std::move(predicate), .wanted = goOn, .body = body},
      context);
}
RepeatWhileTrue::RepeatWhileTrue(const Program &cond, Tensor predicate, const Program &body,
                                 const DebugContext &context) {
  Access::setNode(*this, repeatWhile(true, cond, std::move(predicate), body, context));
}
RepeatWhileFalse::RepeatWhileFalse(const Program &cond, Tensor predicate, const Program &body,
                                   const DebugContext &context) {
  Access::setNode(*this, repeatWhile(false, cond, std::move(predicate), body, context));
}

If::If(Tensor predicate, const Program &trueBody, const Program &falseBody,
       const DebugContext &context) {
  requireScalar(predicate, "If", "predicate", context);
  steps::If<Tree> branch{
      .predicate = std::move(predicate), .then = trueBody, .otherwise = falseBody};
  Access::setNode(*this, nodeOf(std::move(branch), context));
}

static Node switchNode(Tensor control, const Switch::Cases &cases, const Program &defaultCase,
                       bool checked, const DebugContext &context) {
  requireScalar(control, "Switch", "control", context);
  steps::Switch<Tree> out{
      .control = std::move(control), .cases = {}, .otherwise = defaultCase, .checked = checked};
  std::set<std::int64_t> known;
  for (const auto &[value, program] : cases) {
    if (!known.insert(value).second)
      throw control_program_error(str("Switch: case ", value, " is given twice.", at(context)));
    out.cases.push_back({value, program});
  }
  return nodeOf(std::move(out), context);
}
Switch::Switch(Tensor control, const DebugContext &context) {
  Access::setNode(*this, switchNode(std::move(control), {}, {}, false, context));
}
Switch::Switch(Tensor control, const Program &defaultCase, const DebugContext &context) {
  Access::setNode(*this, switchNode(std::move(control), {}, defaultCase, false, context));
}
Switch::Switch(Tensor control, const Cases &cases, const DebugContext &context) {
  Access::setNode(*this, switchNode(std::move(control), cases, {}, false, context));
}
Switch::Switch(Tensor control, const Cases &cases, const Program &defaultCase,
               const DebugContext &context) {
  Access::setNode(*this, switchNode(std::move(control), cases, defaultCase, false, context));
}
Switch Switch::switchWithBoundsChecking(Tensor control, const Cases &cases,
                                        const DebugContext &context) {
  Switch out(control, context);
  Access::setNode(out, switchNode(std::move(control), cases, {}, true, context));
  return out;
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext &context) {
  return Switch(std::move(control), context);
}
Switch &Switch::add(std::int32_t caseValue, const Program &body) {
  if (!node_)
    throw control_program_error("Switch::add: the switch is empty: it was moved from.");
  auto changed = *node_;
  auto &cases = std::get<steps::Switch<Tree>>(changed.kind).cases;
  if (std::ranges::any_of(cases, [&](const auto &one) { return one.value == caseValue; }))
    throw control_program_error(str("Switch: case ", caseValue, " is given twice."));
  cases.push_back({caseValue, body});
  Access::setNode(*this, std::move(changed));
  return *this;
}

Call::Call(Function function, const DebugContext &context) {
  Access::setNode(*this, nodeIn(function, steps::Call<Tree>{function.getId()}, context));
}
Call::Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
           const DebugContext &context) {
  steps::HostCall<Tree> call;
  call.target = function.getId();
  for (const auto &input : inputs)
    requireValid(input, "Call", "input", context), call.inputs.push_back(input);
  for (const auto &output : outputs) {
    requireValid(output, "Call", "output", context);
    requireWriteable(output, "Call", context);
    call.outputs.push_back(output);
  }
  Access::setNode(*this, nodeIn(function, std::move(call), context));
}

// ---- the rest ----

Sync::Sync(SyncType type, const DebugContext &context) {
  Access::setNode(*this, nodeOf(steps::Sync<Tree>{type}, context));
}

WriteUndef::WriteUndef(Tensor tensor, const DebugContext &context) {
  requireValid(tensor, "WriteUndef", "given", context);
  Access::setNode(*this, nodeOf(steps::WriteUndef<Tree>{std::move(tensor)}, context));
}
AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor tensor, const DebugContext &context) {
  requireValid(tensor, "AssumeEqualAcrossReplicas", "given", context);
  Access::setNode(*this, nodeOf(steps::AssumeEqual<Tree>{std::move(tensor)}, context));
}

PrintTensor::PrintTensor(Tensor tensor, const DebugContext &context)
    : PrintTensor("", std::move(tensor), PrintTensorFmt(), context) {}
PrintTensor::PrintTensor(Tensor tensor, const PrintTensorFmt &format, const DebugContext &context)
    : PrintTensor("", std::move(tensor), format, context) {}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const DebugContext &context)
    : PrintTensor(title, std::move(tensor), PrintTensorFmt(), context) {}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const PrintTensorFmt &format,
                         const DebugContext &context) {
  requireValid(tensor, "PrintTensor", "given", context);
  steps::Print<Tree> print{std::move(tensor), title.cloneAsString(), {}};
  print.format = {
      format.summariseThreshold,        format.edgeItems, format.maxLineWidth, format.digits,
      std::uint8_t(format.floatFormat), format.separator, format.openBracket,  format.closeBracket};
  Access::setNode(*this, nodeOf(std::move(print), context));
}

ErrorProgram::ErrorProgram(StringRef message, Tensor tensor, const DebugContext &context) {
  requireValid(tensor, "ErrorProgram", "given", context);
  steps::Error<Tree> error{std::move(tensor), message.cloneAsString()};
  Access::setNode(*this, nodeOf(std::move(error), context));
}

Abort::Abort(const DebugContext &context) : Abort(std::string(), context) {}
static std::string textOf(const char *message) { return message ? message : ""; }
Abort::Abort(const char *message, const DebugContext &context) : Abort(textOf(message), context) {}
Abort::Abort(const std::string &message, const DebugContext &context) {
  Access::setNode(*this, nodeOf(steps::Abort<Tree>{{}, message}, context));
}
AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext &context)
    : AbortOnCondition(std::move(predicate), std::string(), context) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const char *message,
                                   const DebugContext &context)
    : AbortOnCondition(std::move(predicate), textOf(message), context) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string &message,
                                   const DebugContext &context) {
  requireScalar(predicate, "AbortOnCondition", "predicate", context);
  Access::setNode(*this, nodeOf(steps::Abort<Tree>{std::move(predicate), message}, context));
}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext &context) {
  Copy check(src, dst, false, context); // the same rules for type, size and destination
  steps::CrossReplicaCopy<Tree> copy;
  std::set<unsigned> receivers;
  for (const auto &[from, to] : replicaMap) {
    if (from == to)
      throw control_program_error(str("CrossReplicaCopy: replica ", from,
                                      " is mapped to itself. Use Copy for data that stays.",
                                      at(context)));
    if (!receivers.insert(to).second)
      throw control_program_error(
          str("CrossReplicaCopy: replica ", to, " receives from two replicas.", at(context)));
    copy.pairs.push_back({from, to});
  }
  copy.data = {std::move(src), std::move(dst)};
  Access::setNode(*this, nodeOf(std::move(copy), context));
}

Block::Block(const Program &body, const DebugContext &context) {
  Access::setNode(*this, nodeOf(steps::Block<Tree>{body}, context));
}

} // namespace poplar::program
