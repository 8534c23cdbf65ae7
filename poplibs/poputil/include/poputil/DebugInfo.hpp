// SPDX-License-Identifier: MIT
// What a library function notes about a call: its name, arguments and results. It converts to a
// DebugContext like any poplar::DebugInfo, so names given to inner calls hang under the caller's.
//
//   poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(in, options));
//   auto out = graph.clone(in, {di, "out"});
//   di.addOutput(out);
//
// POPLIBS_LOG_LEVEL=INFO prints every such call, DEBUG its results as well. Arguments are looked at
// only when a log or a debug file is open.
#pragma once
#include <array>
#include <memory>
#include <poplar/DebugContext.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace poputil {

namespace detail {
// Whether anybody reads the arguments of calls: a log or a debug file.
bool callsAreNoted();

template <class T>
auto isPrintable(int)
    -> decltype(std::declval<std::ostream &>() << std::declval<const T &>(), std::true_type());
template <class T> std::false_type isPrintable(...);

template <class T, class Printable>
typename std::enable_if<std::is_arithmetic<T>::value, poplar::ProfileValue>::type
plainProfileValue(const T &value, Printable) {
  return poplar::ProfileValue(value);
}
template <class T>
typename std::enable_if<!std::is_arithmetic<T>::value, poplar::ProfileValue>::type
plainProfileValue(const T &value, std::true_type) {
  std::ostringstream text;
  text << value;
  return poplar::ProfileValue(text.str());
}
template <class T>
typename std::enable_if<std::is_enum<T>::value, poplar::ProfileValue>::type
plainProfileValue(const T &value, std::false_type) {
  return poplar::ProfileValue(static_cast<typename std::underlying_type<T>::type>(value));
}
// Types that cannot be printed are only known to have been given.
template <class T>
typename std::enable_if<!std::is_arithmetic<T>::value && !std::is_enum<T>::value,
                        poplar::ProfileValue>::type
plainProfileValue(const T &, std::false_type) {
  return poplar::ProfileValue("<object>");
}
} // namespace detail

// Specialise it for further types.
template <class T> poplar::ProfileValue toProfileValue(const T &value) {
  return detail::plainProfileValue(value, decltype(detail::isPrintable<T>(0))());
}
template <class T> poplar::ProfileValue toProfileValue(T *const &value);
template <class T, class A> poplar::ProfileValue toProfileValue(const std::vector<T, A> &values);
template <class T, class U> poplar::ProfileValue toProfileValue(const std::pair<T, U> &values);
template <class T, std::size_t N>
poplar::ProfileValue toProfileValue(const std::array<T, N> &values);

template <> poplar::ProfileValue toProfileValue(const float &value);
template <> poplar::ProfileValue toProfileValue(const poplar::ComputeSet &value);
template <> poplar::ProfileValue toProfileValue(const poplar::OptionFlags &value);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Copy &value);
template <> poplar::ProfileValue toProfileValue(const poplar::program::Sequence &value);
template <> poplar::ProfileValue toProfileValue(const poplar::Tensor &value);
template <> poplar::ProfileValue toProfileValue(const poplar::Type &value);
template <> poplar::ProfileValue toProfileValue(const poplar::TensorCloneMethod &value);
template <> poplar::ProfileValue toProfileValue(const poplar::ProfileValue &value);
template <> poplar::ProfileValue toProfileValue(const std::string &value);
poplar::ProfileValue toProfileValue(const char *value);

template <class T> poplar::ProfileValue toProfileValue(T *const &value) {
  return value ? toProfileValue(*value) : poplar::ProfileValue("<nullptr>");
}
template <class T, class A> poplar::ProfileValue toProfileValue(const std::vector<T, A> &values) {
  poplar::ProfileValue::Vector out;
  for (const T &value : values)
    out.push_back(toProfileValue(value));
  return out;
}
template <class T, class U> poplar::ProfileValue toProfileValue(const std::pair<T, U> &values) {
  return poplar::ProfileValue::Vector{toProfileValue(values.first), toProfileValue(values.second)};
}
template <class T, std::size_t N>
poplar::ProfileValue toProfileValue(const std::array<T, N> &values) {
  return toProfileValue(std::vector<T>(values.begin(), values.end()));
}

// An argument's name and value.
struct ArgType {
  std::string n;           // the name
  poplar::ProfileValue pv; // the value
  ArgType(std::string name, poplar::ProfileValue value)
      : n(std::move(name)), pv(std::move(value)) {}
};

// A DebugInfo that records the arguments of a call.
class OpDebugInfo : public poplar::DebugInfo {
public:
  OpDebugInfo(const poplar::DebugContext &debugContext, std::string api);
  ~OpDebugInfo() override;
  // Adds a group of arguments under a name.
  void add(std::string name, const std::vector<ArgType> &args);
  void add(std::string name, poplar::ProfileValue value);
};

// The DebugInfo of one call of PopLibs: arguments at the begin, results at the end.
class PoplibsOpDebugInfo : public OpDebugInfo {
public:
  PoplibsOpDebugInfo(const poplar::DebugContext &debugContext,
                     const std::vector<ArgType> &args = {},
                     const std::string &api = __builtin_FUNCTION());
  ~PoplibsOpDebugInfo() override;
  void addOutputs(const std::vector<ArgType> &outputs); // Records results.
  void addOutput(const poplar::Tensor &output);         // records the one result

private:
  std::shared_ptr<void> trace_; // of the host program, as long as the call lasts; often none
};

} // namespace poputil

// DI_ARGS(a, b) is {{"a", toProfileValue(a)}, {"b", toProfileValue(b)}} if somebody reads it; up to
// 16 names.
#define OPENIPU_DI_ARG(x)                                                                          \
  { #x, poputil::detail::callsAreNoted() ? poputil::toProfileValue(x) : poplar::ProfileValue() }
#define OPENIPU_DI_1(a) OPENIPU_DI_ARG(a)
#define OPENIPU_DI_2(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_1(__VA_ARGS__)
#define OPENIPU_DI_3(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_2(__VA_ARGS__)
#define OPENIPU_DI_4(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_3(__VA_ARGS__)
#define OPENIPU_DI_5(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_4(__VA_ARGS__)
#define OPENIPU_DI_6(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_5(__VA_ARGS__)
#define OPENIPU_DI_7(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_6(__VA_ARGS__)
#define OPENIPU_DI_8(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_7(__VA_ARGS__)
#define OPENIPU_DI_9(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_8(__VA_ARGS__)
#define OPENIPU_DI_10(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_9(__VA_ARGS__)
#define OPENIPU_DI_11(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_10(__VA_ARGS__)
#define OPENIPU_DI_12(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_11(__VA_ARGS__)
#define OPENIPU_DI_13(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_12(__VA_ARGS__)
#define OPENIPU_DI_14(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_13(__VA_ARGS__)
#define OPENIPU_DI_15(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_14(__VA_ARGS__)
#define OPENIPU_DI_16(a, ...) OPENIPU_DI_ARG(a), OPENIPU_DI_15(__VA_ARGS__)
// DI_ARGS(a, b): each argument with its name, for PoplibsOpDebugInfo.
#define OPENIPU_DI_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16,     \
                        chosen, ...)                                                               \
  chosen
#define DI_ARGS(...)                                                                               \
  {                                                                                                \
    OPENIPU_DI_PICK(__VA_ARGS__, OPENIPU_DI_16, OPENIPU_DI_15, OPENIPU_DI_14, OPENIPU_DI_13,       \
                    OPENIPU_DI_12, OPENIPU_DI_11, OPENIPU_DI_10, OPENIPU_DI_9, OPENIPU_DI_8,       \
                    OPENIPU_DI_7, OPENIPU_DI_6, OPENIPU_DI_5, OPENIPU_DI_4, OPENIPU_DI_3,          \
                    OPENIPU_DI_2, OPENIPU_DI_1, )                                                  \
    (__VA_ARGS__)                                                                                  \
  }
