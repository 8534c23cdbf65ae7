// SPDX-License-Identifier: MIT
#include "frontend/Reader.hpp"

namespace frontend {

std::optional<popart::ir::Attribute> attributeOf(const Argument &argument) {
  if (const auto *v = std::get_if<bool>(&argument))
    return std::int64_t(*v);
  if (const auto *v = std::get_if<std::int64_t>(&argument))
    return *v;
  if (const auto *v = std::get_if<double>(&argument))
    return float(*v);
  if (const auto *v = std::get_if<std::string>(&argument))
    return *v;
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(&argument))
    return *v;
  if (const auto *v = std::get_if<std::vector<double>>(&argument))
    return std::vector<float>(v->begin(), v->end());
  return std::nullopt;
}

Argument Reader::require(const char *name) const {
  auto found = find(name);
  if (std::holds_alternative<std::monostate>(found))
    fail("its ", word_, " ", name, " is missing.");
  return found;
}
bool Reader::given(const char *name) const {
  return !std::holds_alternative<std::monostate>(find(name));
}

std::int64_t Reader::integer(const char *name) const {
  const auto a = require(name);
  if (const auto *v = std::get_if<std::int64_t>(&a))
    return *v;
  if (const auto *v = std::get_if<bool>(&a))
    return *v;
  if (const auto *v = std::get_if<double>(&a); v && double(std::int64_t(*v)) == *v)
    return std::int64_t(*v);
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(&a); v && v->size() == 1)
    return v->front();
  fail("its ", word_, " ", name, " must be an integer that is known before the model runs.");
}
std::int64_t Reader::integer(const char *name, std::int64_t otherwise) const {
  return given(name) ? integer(name) : otherwise;
}
double Reader::real(const char *name) const {
  const auto a = require(name);
  if (const auto *v = std::get_if<double>(&a))
    return *v;
  if (const auto *v = std::get_if<std::int64_t>(&a))
    return double(*v);
  if (const auto *v = std::get_if<bool>(&a))
    return *v;
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(&a); v && v->size() == 1)
    return double(v->front());
  fail("its ", word_, " ", name, " must be a number that is known before the model runs.");
}
double Reader::real(const char *name, double otherwise) const {
  return given(name) ? real(name) : otherwise;
}
bool Reader::flag(const char *name, bool otherwise) const { return integer(name, otherwise) != 0; }
std::string Reader::text(const char *name) const {
  const auto a = require(name);
  if (const auto *v = std::get_if<std::string>(&a))
    return *v;
  fail("its ", word_, " ", name, " must be a text.");
}
std::string Reader::text(const char *name, const std::string &otherwise) const {
  return given(name) ? text(name) : otherwise;
}
Integers Reader::integers(const char *name) const {
  const auto a = find(name);
  if (std::holds_alternative<std::monostate>(a))
    return {};
  if (const auto *v = std::get_if<std::vector<std::int64_t>>(&a))
    return *v;
  if (const auto *v = std::get_if<TensorList>(&a); v && v->empty())
    return {};
  return {integer(name)};
}
std::vector<double> Reader::reals(const char *name) const {
  const auto a = find(name);
  if (const auto *v = std::get_if<std::vector<double>>(&a))
    return *v;
  if (std::holds_alternative<double>(a))
    return {real(name)};
  const auto whole = integers(name);
  return {whole.begin(), whole.end()};
}
Integers Reader::repeated(const char *name, std::size_t n,
                          std::optional<std::int64_t> otherwise) const {
  auto out = integers(name);
  if (out.empty() && otherwise)
    out = {*otherwise};
  if (out.size() == 1)
    out.resize(n, out[0]);
  if (out.size() != n)
    fail("its ", word_, " ", name, " has ", out.size(), " numbers; ", n, " are needed.");
  return out;
}
DataType Reader::type(const char *name) const {
  const auto a = require(name);
  if (const auto *v = std::get_if<DataType>(&a))
    return *v;
  fail("its ", word_, " ", name, " must be an element type.");
}

} // namespace frontend
