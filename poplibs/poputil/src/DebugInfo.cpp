// SPDX-License-Identifier: MIT
// What is noted about arguments: sizes and types, never contents, so that noting stays cheap.
#include "poputil/DebugInfo.hpp"
#include "CallLog.hpp"
#include "openipu/HostTrace.hpp"
#include "openipu/LibraryLog.hpp"

namespace poputil {

using poplar::ProfileValue;

bool detail::callsAreNoted() { return openipu::callsAreNoted(); }

template <> ProfileValue toProfileValue(const float &value) { return ProfileValue(double(value)); }
template <> ProfileValue toProfileValue(const poplar::ComputeSet &value) {
  return ProfileValue(value.getId());
}
template <> ProfileValue toProfileValue(const poplar::OptionFlags &value) {
  return poplar::getAsProfileValue(value);
}
template <> ProfileValue toProfileValue(const poplar::program::Copy &) {
  return ProfileValue("<poplar::program::Copy>");
}
template <> ProfileValue toProfileValue(const poplar::program::Sequence &) {
  return ProfileValue("<poplar::program::Sequence>");
}
template <> ProfileValue toProfileValue(const poplar::Tensor &value) {
  if (!value.valid())
    return ProfileValue("<invalid>");
  return ProfileValue::Map{{"shape", toProfileValue(value.shape())},
                           {"type", toProfileValue(value.elementType())}};
}
template <> ProfileValue toProfileValue(const poplar::Type &value) {
  return ProfileValue(value.toString());
}
template <> ProfileValue toProfileValue(const poplar::TensorCloneMethod &value) {
  return ProfileValue(poplar::toString(value));
}
template <> ProfileValue toProfileValue(const ProfileValue &value) { return value; }
template <> ProfileValue toProfileValue(const std::string &value) { return ProfileValue(value); }
ProfileValue toProfileValue(const char *value) { return ProfileValue(value ? value : "<nullptr>"); }

OpDebugInfo::OpDebugInfo(const poplar::DebugContext &debugContext, std::string api)
    : poplar::DebugInfo(debugContext, "poplibs") {
  setValue("api", ProfileValue(std::move(api)));
}
OpDebugInfo::~OpDebugInfo() = default;

void OpDebugInfo::add(std::string name, const std::vector<ArgType> &args) {
  if (args.empty() || !openipu::callsAreNoted())
    return;
  ProfileValue::Map members;
  for (const ArgType &arg : args)
    members.emplace(arg.n, arg.pv);
  setValue(std::move(name), ProfileValue(std::move(members)));
}
void OpDebugInfo::add(std::string name, ProfileValue value) {
  setValue(std::move(name), std::move(value));
}

PoplibsOpDebugInfo::PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                                       const std::vector<ArgType> &args, const std::string &api)
    : OpDebugInfo(debugContext, api) {
  add("args", args);
  if (openipu::librariesLog(base::LogLevel::Info))
    logCall(__builtin_return_address(0), api, args, getPathName());
  if (openipu::HostTrace::isOn())
    trace_ = traceCall(__builtin_return_address(0), api);
}
PoplibsOpDebugInfo::~PoplibsOpDebugInfo() = default;

void PoplibsOpDebugInfo::addOutputs(const std::vector<ArgType> &outputs) {
  add("outputs", outputs);
  if (openipu::librariesLog(base::LogLevel::Debug))
    logOutputs(__builtin_return_address(0), outputs, getPathName());
}
void PoplibsOpDebugInfo::addOutput(const poplar::Tensor &output) {
  if (!openipu::callsAreNoted())
    return;
  const std::vector<ArgType> outputs{{"output", toProfileValue(output)}};
  add("outputs", outputs);
  if (openipu::librariesLog(base::LogLevel::Debug))
    logOutputs(__builtin_return_address(0), outputs, getPathName());
}

} // namespace poputil
