// SPDX-License-Identifier: MIT
// Operators of users in C++, for programs of Paddle: PD_BUILD_OP says what one is called, its
// inputs, outputs and attributes, and how shapes and types follow from each other. On the CPU its
// kernel computes it. On IPUs it is computed by an operator of PopART in the same library, which
// IpuStrategy.add_custom_op names.
//
//   PD_BUILD_OP(custom_scale)
//       .Inputs({"X"}).Outputs({"Out"}).Attrs({"factor: float"})
//       .SetKernelFn(PD_KERNEL(onTheCpu)) // std::vector<Tensor>(const Tensor &x, float factor)
//       .SetInferShapeFn(PD_INFER_SHAPE(sameShape))
//       .SetInferDtypeFn(PD_INFER_DTYPE(sameType));
//   PD_BUILD_GRAD_OP(custom_scale) // without it nothing before it is trained
//       .Inputs({"X", paddle::Grad("Out")}).Outputs({paddle::Grad("X")})
//       .SetKernelFn(PD_KERNEL(backwardOnTheCpu));
//
// paddle.utils.cpp_extension.load compiles such files and asks them by the functions at the end.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What a library knows stays in it: several are loaded into one process.
#define OPENIPU_PADDLE_OWN __attribute__((visibility("hidden")))

namespace paddle {

enum class DataType {
  UNDEFINED,
  BOOL,
  INT8,
  UINT8,
  INT16,
  INT32,
  INT64,
  FLOAT16,
  FLOAT32,
  FLOAT64,
  BFLOAT16
};
enum class PlaceType { kUNK = -1, kCPU, kGPU };
struct Place {
  PlaceType type = PlaceType::kCPU;
  Place() = default;
  Place(PlaceType t) : type(t) {}
  bool operator==(const Place &o) const { return type == o.type; }
};
struct CPUPlace : Place {};

template <class... Parts> [[noreturn]] void throwAll(const Parts &...parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw std::runtime_error(text.str());
}
#define PD_THROW(...) ::paddle::throwAll(__VA_ARGS__)
#define PD_CHECK(condition, ...)                                                                   \
  do {                                                                                             \
    if (!(condition))                                                                              \
      ::paddle::throwAll("PD_CHECK(" #condition ") failed. ", ##__VA_ARGS__);                      \
  } while (0)

inline std::size_t SizeOf(DataType type) {
  switch (type) {
  case DataType::UNDEFINED:
    return 0;
  case DataType::BOOL:
  case DataType::INT8:
  case DataType::UINT8:
    return 1;
  case DataType::INT16:
  case DataType::FLOAT16:
  case DataType::BFLOAT16:
    return 2;
  case DataType::INT32:
  case DataType::FLOAT32:
    return 4;
  case DataType::INT64:
  case DataType::FLOAT64:
    return 8;
  }
  return 0;
}
template <class T> constexpr DataType typeOf() {
  if constexpr (std::is_same_v<T, bool>)
    return DataType::BOOL;
  else if constexpr (std::is_same_v<T, std::int8_t>)
    return DataType::INT8;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return DataType::UINT8;
  else if constexpr (std::is_same_v<T, std::int16_t>)
    return DataType::INT16;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DataType::INT32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DataType::INT64;
  else if constexpr (std::is_same_v<T, float>)
    return DataType::FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return DataType::FLOAT64;
  else
    return DataType::UNDEFINED;
}

// Values in the host's memory, which copies share. What kernels are written with.
class Tensor {
public:
  Tensor() = default;
  explicit Tensor(Place) {}
  Tensor(Place, const std::vector<std::int64_t> &shape) : shape_(shape) {}
  Tensor(const std::vector<std::int64_t> &shape, DataType type) : shape_(shape) { allocate(type); }

  const std::vector<std::int64_t> &shape() const { return shape_; }
  void reshape(const std::vector<std::int64_t> &shape) { shape_ = shape; }
  DataType dtype() const { return type_; }
  DataType type() const { return type_; }
  std::int64_t numel() const {
    std::int64_t out = 1;
    for (auto d : shape_)
      out *= d;
    return out;
  }
  std::int64_t size() const { return numel(); }
  Place place() const { return {}; }
  bool is_cpu() const { return true; }
  bool is_gpu() const { return false; }
  bool defined() const { return memory_ != nullptr; }
  bool is_initialized() const { return defined(); }
  void *data() const { return memory_ ? memory_->data() : nullptr; }
  template <class T> T *data() const {
    PD_CHECK(memory_ && typeOf<T>() == type_, "The tensor has no values of this type.");
    return reinterpret_cast<T *>(memory_->data());
  }
  template <class T> T *mutable_data(Place = {}) {
    if (!memory_ || type_ != typeOf<T>())
      allocate(typeOf<T>());
    return data<T>();
  }

private:
  void allocate(DataType type) {
    type_ = type;
    memory_ = std::make_shared<std::vector<char>>(std::size_t(numel()) * SizeOf(type));
  }
  std::vector<std::int64_t> shape_;
  DataType type_ = DataType::UNDEFINED;
  std::shared_ptr<std::vector<char>> memory_;
};
inline Tensor empty(const std::vector<std::int64_t> &shape, DataType type = DataType::FLOAT32,
                    Place = {}) {
  return Tensor(shape, type);
}
inline Tensor empty_like(const Tensor &x) { return Tensor(x.shape(), x.dtype()); }

#define OPENIPU_PADDLE_CASE(Type, T, ...)                                                          \
  case ::paddle::DataType::Type: {                                                                 \
    using data_t = T;                                                                              \
    __VA_ARGS__();                                                                                 \
    break;                                                                                         \
  }
#define OPENIPU_PADDLE_DISPATCH(TYPE, NAME, CASES)                                                 \
  [&] {                                                                                            \
    switch (TYPE) {                                                                                \
      CASES                                                                                        \
    default:                                                                                       \
      PD_THROW(NAME, ": there is no kernel for this type.");                                       \
    }                                                                                              \
  }()
#define OPENIPU_PADDLE_FLOATING(...)                                                               \
  OPENIPU_PADDLE_CASE(FLOAT32, float, __VA_ARGS__)                                                 \
  OPENIPU_PADDLE_CASE(FLOAT64, double, __VA_ARGS__)
#define OPENIPU_PADDLE_INTEGRAL(...)                                                               \
  OPENIPU_PADDLE_CASE(INT8, std::int8_t, __VA_ARGS__)                                              \
  OPENIPU_PADDLE_CASE(UINT8, std::uint8_t, __VA_ARGS__)                                            \
  OPENIPU_PADDLE_CASE(INT16, std::int16_t, __VA_ARGS__)                                            \
  OPENIPU_PADDLE_CASE(INT32, std::int32_t, __VA_ARGS__)                                            \
  OPENIPU_PADDLE_CASE(INT64, std::int64_t, __VA_ARGS__)
#define PD_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...)                                                \
  OPENIPU_PADDLE_DISPATCH(TYPE, NAME, OPENIPU_PADDLE_FLOATING(__VA_ARGS__))
#define PD_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...)                                                \
  OPENIPU_PADDLE_DISPATCH(TYPE, NAME, OPENIPU_PADDLE_INTEGRAL(__VA_ARGS__))
#define PD_DISPATCH_FLOATING_AND_INTEGRAL_TYPES(TYPE, NAME, ...)                                   \
  OPENIPU_PADDLE_DISPATCH(                                                                         \
      TYPE, NAME, OPENIPU_PADDLE_FLOATING(__VA_ARGS__) OPENIPU_PADDLE_INTEGRAL(__VA_ARGS__))

inline std::string Grad(const std::string &name) { return name + "@GRAD"; }
inline std::string Vec(const std::string &name) { return name + "@VECTOR"; }

// ---- what a library says of its operators

// An attribute's values, of whatever type.
struct AttributeValues {
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;
  std::vector<std::string> texts;
};
struct Described {
  std::vector<std::vector<std::int64_t>> shapes; // of all tensors of an input
  std::vector<DataType> types;
  std::vector<Tensor> tensors; // themselves, if a kernel is to compute with them
};
struct Question {
  std::vector<Described> inputs;
  std::vector<AttributeValues> attributes;
  std::string answer;
  std::vector<Tensor> results;
};

template <class> struct IsVector : std::false_type {};
template <class T> struct IsVector<std::vector<T>> : std::true_type {};

template <class T> T first(const std::vector<T> &all) {
  PD_CHECK(!all.empty(), "A value is missing.");
  return all.front();
}
template <class T> T inputAs(const Described &input) {
  if constexpr (std::is_same_v<T, std::vector<std::int64_t>>)
    return first(input.shapes);
  else if constexpr (std::is_same_v<T, std::vector<std::vector<std::int64_t>>>)
    return input.shapes;
  else if constexpr (std::is_same_v<T, DataType>)
    return first(input.types);
  else if constexpr (std::is_same_v<T, std::vector<DataType>>)
    return input.types;
  else if constexpr (std::is_same_v<T, Tensor>)
    return first(input.tensors);
  else if constexpr (std::is_same_v<T, std::vector<Tensor>>)
    return input.tensors;
  else
    PD_THROW("A parameter that stands for an input must be its shape, its type, or in a kernel a "
             "Tensor.");
}
template <class T> T attributeAs(const AttributeValues &values) {
  if constexpr (std::is_same_v<T, std::string>)
    return first(values.texts);
  else if constexpr (std::is_same_v<T, std::vector<std::string>>)
    return values.texts;
  else if constexpr (std::is_integral_v<T>)
    return T(first(values.integers));
  else if constexpr (std::is_floating_point_v<T>)
    return T(first(values.numbers));
  else if constexpr (IsVector<T>::value) {
    if constexpr (std::is_integral_v<typename T::value_type>)
      return T(values.integers.begin(), values.integers.end());
    else if constexpr (std::is_floating_point_v<typename T::value_type>)
      return T(values.numbers.begin(), values.numbers.end());
  }
  PD_THROW("A parameter has a type that no attribute has.");
}

// A function of the inputs, and of attributes behind them, as many as it has parameters.
template <class T> T argument(const Question &q, std::size_t at) {
  if (at < q.inputs.size())
    return inputAs<T>(q.inputs[at]);
  at -= q.inputs.size();
  PD_CHECK(at < q.attributes.size(), "The function has more parameters than there are inputs and "
                                     "attributes.");
  return attributeAs<T>(q.attributes[at]);
}
template <class Result> class Rule {
public:
  virtual ~Rule() = default;
  virtual Result operator()(const Question &) const = 0;
};
template <class Result, class... Parameters> class RuleOf : public Rule<Result> {
public:
  using Function = Result (*)(Parameters...);
  explicit RuleOf(Function function) : function_(function) {}
  Result operator()(const Question &q) const override {
    return call(q, std::index_sequence_for<Parameters...>());
  }

private:
  template <std::size_t... I> Result call(const Question &q, std::index_sequence<I...>) const {
    [[maybe_unused]] std::tuple<std::decay_t<Parameters>...> values{
        argument<std::decay_t<Parameters>>(q, I)...};
    return function_(std::get<I>(values)...);
  }
  Function function_;
};
using ShapeRule = Rule<std::vector<std::vector<std::int64_t>>>;
using TypeRule = Rule<std::vector<DataType>>;
template <class Result, class... Parameters>
std::shared_ptr<Rule<Result>> ruleOf(Result (*function)(Parameters...)) {
  return std::make_shared<RuleOf<Result, Parameters...>>(function);
}
#define PD_INFER_SHAPE(...) ::paddle::ruleOf(__VA_ARGS__)
#define PD_INFER_DTYPE(...) ::paddle::ruleOf(__VA_ARGS__)
using Kernel = Rule<std::vector<Tensor>>;
template <class... Parameters>
std::shared_ptr<Kernel> kernelOf(std::vector<Tensor> (*function)(Parameters...)) {
  return ruleOf(function);
}
class InPlace : public Kernel {
public:
  std::vector<Tensor> operator()(const Question &) const override {
    PD_THROW("The kernel returns nothing. Return a std::vector<paddle::Tensor>: kernels that write "
             "into their inputs are not there.");
  }
};
template <class... Parameters> std::shared_ptr<Kernel> kernelOf(void (*)(Parameters...)) {
  return std::make_shared<InPlace>();
}
#define PD_KERNEL(...) ::paddle::kernelOf(__VA_ARGS__)

struct CustomOperator {
  std::string name;
  int order = 0; // 1: its gradient, 2: the gradient's
  std::vector<std::string> inputs, outputs, attributes;
  std::shared_ptr<ShapeRule> shapes;
  std::shared_ptr<TypeRule> types;
  std::shared_ptr<Kernel> kernel;
};
OPENIPU_PADDLE_OWN inline std::vector<std::unique_ptr<CustomOperator>> &customOperators() {
  static std::vector<std::unique_ptr<CustomOperator>> all;
  return all;
}

class OPENIPU_PADDLE_OWN OpMetaInfoBuilder {
public:
  OpMetaInfoBuilder(const char *name, int order) {
    customOperators().push_back(std::make_unique<CustomOperator>());
    op_ = customOperators().back().get();
    op_->name = name;
    op_->order = order;
  }
  using Names = std::vector<std::string>;
  OpMetaInfoBuilder &Inputs(Names names) { return op_->inputs = std::move(names), *this; }
  OpMetaInfoBuilder &Outputs(Names names) { return op_->outputs = std::move(names), *this; }
  OpMetaInfoBuilder &Attrs(Names names) { return op_->attributes = std::move(names), *this; }
  OpMetaInfoBuilder &SetKernelFn(std::shared_ptr<Kernel> f) {
    return op_->kernel = std::move(f), *this;
  }
  OpMetaInfoBuilder &SetInferShapeFn(std::shared_ptr<ShapeRule> f) {
    return op_->shapes = std::move(f), *this;
  }
  OpMetaInfoBuilder &SetInferDtypeFn(std::shared_ptr<TypeRule> f) {
    return op_->types = std::move(f), *this;
  }

private:
  CustomOperator *op_;
};
#define PD_BUILD_OP(name)                                                                          \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder openipu_operator_##name =                    \
      ::paddle::OpMetaInfoBuilder(#name, 0)
#define PD_BUILD_GRAD_OP(name)                                                                     \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder openipu_gradient_##name =                    \
      ::paddle::OpMetaInfoBuilder(#name, 1)
#define PD_BUILD_DOUBLE_GRAD_OP(name)                                                              \
  [[maybe_unused]] static ::paddle::OpMetaInfoBuilder openipu_second_##name =                      \
      ::paddle::OpMetaInfoBuilder(#name, 2)

OPENIPU_PADDLE_OWN inline std::string described() {
  std::ostringstream out;
  const auto list = [&](const char *what, const std::vector<std::string> &all) {
    for (const auto &one : all)
      out << what << "\t" << one << "\n";
  };
  for (const auto &op : customOperators()) {
    out << "operator\t" << op->name << "\t" << op->order << "\t" << (op->kernel ? 1 : 0) << "\n";
    list("input", op->inputs);
    list("output", op->outputs);
    list("attribute", op->attributes);
  }
  return out.str();
}

// A line for each output: its type, and its shape.
inline std::string lines(const std::vector<DataType> &types,
                         const std::vector<std::vector<std::int64_t>> &shapes) {
  std::ostringstream out;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    out << int(types[i]);
    for (auto d : shapes[i])
      out << " " << d;
    out << "\n";
  }
  return out.str();
}

// Without rules of its own an operator of one input and one output keeps shape and type; a gradient
// has those of what it is of, and says nothing.
OPENIPU_PADDLE_OWN inline std::string inferred(const CustomOperator &op, const Question &q) {
  if (op.order > 0 && (!op.shapes || !op.types))
    return "";
  if (!op.shapes || !op.types)
    PD_CHECK(op.inputs.size() == 1 && op.outputs.size() == 1 && q.inputs.size() == 1,
             "An operator of several inputs or outputs needs SetInferShapeFn and SetInferDtypeFn.");
  const auto shapes = op.shapes ? (*op.shapes)(q) : q.inputs[0].shapes;
  const auto types = op.types ? (*op.types)(q) : q.inputs[0].types;
  PD_CHECK(shapes.size() == op.outputs.size() && types.size() == op.outputs.size(), "There are ",
           op.outputs.size(), " outputs, and the functions gave ", shapes.size(), " shapes and ",
           types.size(), " types.");
  return lines(types, shapes);
}

// The kernel's results, and what they look like.
OPENIPU_PADDLE_OWN inline std::string computed(const CustomOperator &op, Question &q) {
  PD_CHECK(op.kernel, "It has no kernel (SetKernelFn).");
  q.results = (*op.kernel)(q);
  std::vector<std::vector<std::int64_t>> shapes;
  std::vector<DataType> types;
  for (const auto &result : q.results) {
    PD_CHECK(result.defined(), "The kernel gave a tensor without values.");
    shapes.push_back(result.shape());
    types.push_back(result.dtype());
  }
  return lines(types, shapes);
}

// What an operator of the library answers, or "!" and what is wrong.
template <class Answer>
OPENIPU_PADDLE_OWN const char *answered(void *question, const char *name, int order,
                                        Answer answer) {
  auto &q = *static_cast<Question *>(question);
  try {
    for (const auto &op : customOperators())
      if (op->order == order && op->name == name)
        return (q.answer = answer(*op, q)).c_str();
    q.answer = "!The library has no such operator.";
  } catch (const std::exception &problem) {
    q.answer = std::string("!") + problem.what();
  } catch (...) {
    q.answer = "!It threw something that is no std::exception.";
  }
  return q.answer.c_str();
}

} // namespace paddle

// ---- asked by paddle.utils.cpp_extension

#define OPENIPU_PADDLE_ASKED extern "C" __attribute__((weak, used, visibility("default")))

OPENIPU_PADDLE_ASKED const char *openipu_paddle_operators() {
  static const std::string text = ::paddle::described();
  return text.c_str();
}
OPENIPU_PADDLE_ASKED void *openipu_paddle_begin(std::size_t inputs, std::size_t attributes) {
  auto *q = new ::paddle::Question;
  q->inputs.resize(inputs);
  q->attributes.resize(attributes);
  return q;
}
OPENIPU_PADDLE_ASKED void openipu_paddle_input(void *question, std::size_t input, int type,
                                               std::size_t rank, const std::int64_t *shape) {
  auto &to = static_cast<::paddle::Question *>(question)->inputs[input];
  to.shapes.emplace_back(shape, shape + rank);
  to.types.push_back(::paddle::DataType(type));
}
OPENIPU_PADDLE_ASKED void openipu_paddle_integer(void *question, std::size_t at, std::int64_t v) {
  static_cast<::paddle::Question *>(question)->attributes[at].integers.push_back(v);
}
OPENIPU_PADDLE_ASKED void openipu_paddle_number(void *question, std::size_t at, double v) {
  static_cast<::paddle::Question *>(question)->attributes[at].numbers.push_back(v);
}
OPENIPU_PADDLE_ASKED void openipu_paddle_text(void *question, std::size_t at, const char *v) {
  static_cast<::paddle::Question *>(question)->attributes[at].texts.push_back(v);
}
// The values of the tensor that came last.
OPENIPU_PADDLE_ASKED void openipu_paddle_values(void *question, std::size_t input,
                                                const void *values) {
  auto &to = static_cast<::paddle::Question *>(question)->inputs[input];
  ::paddle::Tensor tensor(to.shapes.back(), to.types.back());
  std::memcpy(tensor.data(), values,
              std::size_t(tensor.numel()) * ::paddle::SizeOf(tensor.dtype()));
  to.tensors.push_back(std::move(tensor));
}
OPENIPU_PADDLE_ASKED const char *openipu_paddle_infer(void *question, const char *name, int order) {
  return ::paddle::answered(question, name, order, ::paddle::inferred);
}
OPENIPU_PADDLE_ASKED const char *openipu_paddle_compute(void *question, const char *name,
                                                        int order) {
  return ::paddle::answered(question, name, order, ::paddle::computed);
}
OPENIPU_PADDLE_ASKED void openipu_paddle_result(void *question, std::size_t i, void *to) {
  const auto &result = static_cast<::paddle::Question *>(question)->results[i];
  std::memcpy(to, result.data(), std::size_t(result.numel()) * ::paddle::SizeOf(result.dtype()));
}
OPENIPU_PADDLE_ASKED void openipu_paddle_end(void *question) {
  delete static_cast<::paddle::Question *>(question);
}
