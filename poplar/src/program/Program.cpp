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
using executable::StepKind;

Program::Program() = default;
Program::~Program() = default;
Program::Program(const Program &) = default;
Program::Program(Program &&) noexcept = default;
Program &Program::operator=(const Program &) = default;
Program &Program::operator=(Program &&) noexcept = default;

} // namespace poplar::program

// Whoever holds the last reference to a nested program takes its children before it goes.
poplar::openipu::Node::~Node() {
  auto waiting = std::move(children);
  while (!waiting.empty()) {
    const auto last = std::move(Access::nodePointer(waiting.back()));
    waiting.pop_back();
    if (last.use_count() != 1)
      continue;
    auto &inner = const_cast<Node &>(*last).children; // nobody else holds it
    std::move(inner.begin(), inner.end(), std::back_inserter(waiting));
    inner.clear();
  }
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
    if (node->kind != StepKind::Sequence)
      return false;
    for (const auto &child : node->children)
      waiting.push_back(child.node_.get());
  }
  return true;
}

namespace {

Node node(StepKind kind, const DebugContext &context) {
  Node out;
  out.kind = kind;
  out.name = context.getPathName();
  out.debugId = context.getParentId();
  return out;
}

// A program that uses a part of a graph by its number, or a stream or remote buffer by its handle.
template <class Part> Node part(StepKind kind, const Part &part, const DebugContext &context) {
  auto out = node(kind, context);
  out.index = part.getId();
  out.graph = Access::graphNumber(part);
  return out;
}
template <class Stream>
Node transfer(StepKind kind, const Stream &stream, const DebugContext &context) {
  auto out = node(kind, context);
  out.handle = stream.handle();
  out.graph = Access::graphNumber(stream);
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

// ---- Sequence
// --------------------------------------------------------------------------------------------------

Sequence::Sequence(const DebugContext &context) {
  node_ = std::make_shared<Node>(node(StepKind::Sequence, context));
}
Sequence::Sequence(std::initializer_list<Program> programs, const DebugContext &context)
    : Sequence(std::vector<Program>(programs), context) {}
Sequence::Sequence(const std::vector<Program> &programs, const DebugContext &context) {
  auto sequence = node(StepKind::Sequence, context);
  sequence.children = programs;
  node_ = std::make_shared<Node>(std::move(sequence));
}

void Sequence::add(const Program &program) { add(Program(program)); }
void Sequence::add(Program &&program) {
  if (!node_) // moved from
    node_ = std::make_shared<Node>(node(StepKind::Sequence, {}));
  else if (node_.use_count() > 1)
    node_ = std::make_shared<Node>(*node_);
  const_cast<Node &>(*node_).children.push_back(std::move(program)); // nobody else holds it
}

// ---- Execute and copies
// ----------------------------------------------------------------------------------------

Execute::Execute(ComputeSet cs, const DebugContext &context) {
  auto execute = part(StepKind::Execute, cs, context);
  Access::setNode(*this, std::move(execute));
}
Execute::Execute(ComputeSet cs, Tensor predicate, const DebugContext &context) {
  requireScalar(predicate, "Execute", "predicate", context);
  requireWriteable(predicate, "Execute", context);
  auto execute = part(StepKind::Execute, cs, context);
  execute.operands = {std::move(predicate)};
  Access::setNode(*this, std::move(execute));
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
  auto copy = node(StepKind::Copy, context);
  copy.operands = {std::move(src), std::move(dst)};
  Access::setNode(*this, std::move(copy));
}
Copy::Copy(const DataStream &stream, Tensor dst, bool, const DebugContext &context) {
  if (!isHostToDevice(stream.type()))
    throw control_program_error(str("Copy: stream \"", stream.handle(),
                                    "\" goes from device to host and cannot be a source. "
                                    "Create it with addHostToDeviceFIFO.",
                                    at(context)));
  requireSize("stream", stream.handle(), stream.numElements(), stream.elementType(), dst, context);
  requireWriteable(dst, "Copy", context);
  auto copy = transfer(StepKind::HostToDevice, stream, context);
  copy.operands = {std::move(dst)};
  Access::setNode(*this, std::move(copy));
}
Copy::Copy(Tensor src, const DataStream &stream, bool, const DebugContext &context) {
  if (!isDeviceToHost(stream.type()))
    throw control_program_error(str("Copy: stream \"", stream.handle(),
                                    "\" goes from host to device and cannot be a destination. "
                                    "Create it with addDeviceToHostFIFO.",
                                    at(context)));
  requireSize("stream", stream.handle(), stream.numElements(), stream.elementType(), src, context);
  auto copy = transfer(StepKind::DeviceToHost, stream, context);
  copy.operands = {std::move(src)};
  Access::setNode(*this, std::move(copy));
}

static Node remote(StepKind kind, const RemoteBuffer &buffer, Tensor data, Tensor offset,
                   const DebugContext &context) {
  auto copy = transfer(kind, buffer, context);
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
  if (kind == StepKind::RemoteToDevice)
    requireWriteable(data, "Copy", context);
  copy.operands = {std::move(data)};
  if (offset.valid())
    copy.operands.push_back(std::move(offset));
  return copy;
}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, const DebugContext &context) {
  Access::setNode(*this, remote(StepKind::RemoteToDevice, buffer, std::move(dst), {}, context));
}
Copy::Copy(const RemoteBuffer &buffer, Tensor dst, Tensor offset, const DebugContext &context) {
  requireValid(offset, "Copy", "offset", context);
  Access::setNode(
      *this, remote(StepKind::RemoteToDevice, buffer, std::move(dst), std::move(offset), context));
}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, const DebugContext &context) {
  Access::setNode(*this, remote(StepKind::DeviceToRemote, buffer, std::move(src), {}, context));
}
Copy::Copy(Tensor src, const RemoteBuffer &buffer, Tensor offset, const DebugContext &context) {
  requireValid(offset, "Copy", "offset", context);
  Access::setNode(
      *this, remote(StepKind::DeviceToRemote, buffer, std::move(src), std::move(offset), context));
}
// The host keeps all code resident, so loading a function's code moves nothing.
Copy::Copy(const FunctionBuffer &buffer, const Function &function, const DebugContext &context) {
  if (buffer == FunctionBuffer() || function == Function() ||
      Access::graphNumber(buffer) != Access::graphNumber(function))
    throw control_program_error(
        str("Copy: the function buffer and the function must be of one graph. Take them from "
            "Graph::addFunctionBuffer and Graph::addFunction.",
            at(context)));
  auto copy = node(StepKind::Sequence, context);
  copy.graph = Access::graphNumber(buffer);
  Access::setNode(*this, std::move(copy));
}

// ---- control flow
// ----------------------------------------------------------------------------------------------

Repeat::Repeat(unsigned count, const Program &body, const DebugContext &context) {
  auto repeat = node(StepKind::Repeat, context);
  repeat.count = count;
  repeat.children = {body};
  Access::setNode(*this, std::move(repeat));
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
  auto loop = node(StepKind::RepeatWhile, context);
  loop.flag = goOn;
  loop.children = {cond, body};
  loop.operands = {std::move(predicate)};
  return loop;
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
  auto branch = node(StepKind::If, context);
  branch.operands = {std::move(predicate)};
  branch.children = {trueBody, falseBody};
  Access::setNode(*this, std::move(branch));
}

static Node switchNode(Tensor control, const Switch::Cases &cases, const Program &defaultCase,
                       bool checked, const DebugContext &context) {
  requireScalar(control, "Switch", "control", context);
  auto out = node(StepKind::Switch, context);
  out.operands = {std::move(control)};
  out.flag = checked;
  std::set<std::int64_t> known;
  for (const auto &[value, program] : cases) {
    if (!known.insert(value).second)
      throw control_program_error(str("Switch: case ", value, " is given twice.", at(context)));
    out.cases.push_back(value);
    out.children.push_back(program);
  }
  out.children.push_back(defaultCase); // always last
  return out;
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
  Switch out(std::move(control), cases, context);
  const_cast<Node &>(*out.node_).flag = true; // nobody else holds it yet
  return out;
}
Switch Switch::switchWithUnreachableDefault(Tensor control, const DebugContext &context) {
  return Switch(std::move(control), context);
}
Switch &Switch::add(std::int32_t caseValue, const Program &body) {
  if (!node_)
    throw control_program_error("Switch::add: the switch is empty: it was moved from.");
  auto changed = *node_;
  if (std::find(changed.cases.begin(), changed.cases.end(), caseValue) != changed.cases.end())
    throw control_program_error(str("Switch: case ", caseValue, " is given twice."));
  changed.cases.push_back(caseValue);
  changed.children.insert(changed.children.end() - 1, body);
  Access::setNode(*this, std::move(changed));
  return *this;
}

Call::Call(Function function, const DebugContext &context) {
  auto call = part(StepKind::Call, function, context);
  Access::setNode(*this, std::move(call));
}
Call::Call(HostFunction function, ArrayRef<Tensor> inputs, ArrayRef<Tensor> outputs,
           const DebugContext &context) {
  auto call = part(StepKind::HostCall, function, context);
  call.count = inputs.size();
  for (const auto &input : inputs)
    requireValid(input, "Call", "input", context), call.operands.push_back(input);
  for (const auto &output : outputs) {
    requireValid(output, "Call", "output", context);
    requireWriteable(output, "Call", context);
    call.operands.push_back(output);
  }
  Access::setNode(*this, std::move(call));
}

// ---- the rest
// --------------------------------------------------------------------------------------------------

Sync::Sync(SyncType type, const DebugContext &context) {
  auto sync = node(StepKind::Sync, context);
  sync.count = unsigned(type);
  Access::setNode(*this, std::move(sync));
}

static Node withTensor(StepKind kind, const char *program, Tensor tensor,
                       const DebugContext &context) {
  requireValid(tensor, program, "given", context);
  auto out = node(kind, context);
  out.operands = {std::move(tensor)};
  return out;
}
WriteUndef::WriteUndef(Tensor tensor, const DebugContext &context) {
  Access::setNode(*this,
                  withTensor(StepKind::WriteUndef, "WriteUndef", std::move(tensor), context));
}
AssumeEqualAcrossReplicas::AssumeEqualAcrossReplicas(Tensor tensor, const DebugContext &context) {
  Access::setNode(*this, withTensor(StepKind::AssumeEqual, "AssumeEqualAcrossReplicas",
                                    std::move(tensor), context));
}

PrintTensor::PrintTensor(Tensor tensor, const DebugContext &context)
    : PrintTensor("", std::move(tensor), PrintTensorFmt(), context) {}
PrintTensor::PrintTensor(Tensor tensor, const PrintTensorFmt &format, const DebugContext &context)
    : PrintTensor("", std::move(tensor), format, context) {}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const DebugContext &context)
    : PrintTensor(title, std::move(tensor), PrintTensorFmt(), context) {}
PrintTensor::PrintTensor(StringRef title, Tensor tensor, const PrintTensorFmt &format,
                         const DebugContext &context) {
  auto print = withTensor(StepKind::Print, "PrintTensor", std::move(tensor), context);
  print.text = title.cloneAsString();
  print.format = {
      format.summariseThreshold,        format.edgeItems, format.maxLineWidth, format.digits,
      std::uint8_t(format.floatFormat), format.separator, format.openBracket,  format.closeBracket};
  Access::setNode(*this, std::move(print));
}

ErrorProgram::ErrorProgram(StringRef message, Tensor tensor, const DebugContext &context) {
  auto error = withTensor(StepKind::Error, "ErrorProgram", std::move(tensor), context);
  error.text = message.cloneAsString();
  Access::setNode(*this, std::move(error));
}

Abort::Abort(const DebugContext &context) : Abort(std::string(), context) {}
static std::string textOf(const char *message) { return message ? message : ""; }
Abort::Abort(const char *message, const DebugContext &context) : Abort(textOf(message), context) {}
Abort::Abort(const std::string &message, const DebugContext &context) {
  auto abort = node(StepKind::Abort, context);
  abort.text = message;
  Access::setNode(*this, std::move(abort));
}
AbortOnCondition::AbortOnCondition(Tensor predicate, const DebugContext &context)
    : AbortOnCondition(std::move(predicate), std::string(), context) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const char *message,
                                   const DebugContext &context)
    : AbortOnCondition(std::move(predicate), textOf(message), context) {}
AbortOnCondition::AbortOnCondition(Tensor predicate, const std::string &message,
                                   const DebugContext &context) {
  requireScalar(predicate, "AbortOnCondition", "predicate", context);
  auto abort = withTensor(StepKind::Abort, "AbortOnCondition", std::move(predicate), context);
  abort.text = message;
  Access::setNode(*this, std::move(abort));
}

CrossReplicaCopy::CrossReplicaCopy(Tensor src, Tensor dst, std::map<unsigned, unsigned> replicaMap,
                                   const DebugContext &context) {
  Copy check(src, dst, false, context); // the same rules for type, size and destination
  auto copy = node(StepKind::CrossReplicaCopy, context);
  std::set<unsigned> receivers;
  for (const auto &[from, to] : replicaMap) {
    if (from == to)
      throw control_program_error(str("CrossReplicaCopy: replica ", from,
                                      " is mapped to itself. Use Copy for data that stays.",
                                      at(context)));
    if (!receivers.insert(to).second)
      throw control_program_error(
          str("CrossReplicaCopy: replica ", to, " receives from two replicas.", at(context)));
    copy.cases.insert(copy.cases.end(), {from, to});
  }
  copy.operands = {std::move(src), std::move(dst)};
  Access::setNode(*this, std::move(copy));
}

Block::Block(const Program &body, const DebugContext &context) {
  auto block = node(StepKind::Block, context);
  block.children = {body};
  Access::setNode(*this, std::move(block));
}

} // namespace poplar::program
