// SPDX-License-Identifier: MIT
#include "popops/NamedVertices.hpp"
#include "base/Text.hpp"
#include "named/Tables.hpp"
#include "openipu/VertexProvider.hpp"
#include <algorithm>
#include <poplar/exceptions.hpp>

namespace popops::named {

using base::str;
using poplar::Type;

namespace {

const Type allTypes[] = {poplar::FLOAT,        poplar::HALF,           poplar::INT,
                         poplar::UNSIGNED_INT, poplar::LONGLONG,       poplar::UNSIGNED_LONGLONG,
                         poplar::SHORT,        poplar::UNSIGNED_SHORT, poplar::BOOL,
                         poplar::CHAR,         poplar::SIGNED_CHAR,    poplar::UNSIGNED_CHAR};

Choices commonChoices() {
  Words types;
  for (const auto &type : allTypes)
    types.push_back(type.toString());
  return {{'t', types},
          {'n', {"float", "half", "int", "unsigned int"}},
          {'v', {"float", "half", "int", "unsigned int", "bool"}},
          {'l', {"float", "half"}},
          {'i', {"int", "unsigned int"}},
          {'f', {"false", "true"}}};
}

std::string trimmed(const std::string &text) {
  const auto first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

bool contains(const Words &words, const std::string &word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool matches(const std::string &pattern, const std::string &family) {
  return pattern.back() == '*'
             ? family.compare(0, pattern.size() - 1, pattern, 0, pattern.size() - 1) == 0
             : family == pattern;
}

} // namespace

std::string joined(const Words &words, const char *between) {
  std::string text;
  for (const auto &word : words)
    text += (text.empty() ? "" : between) + word;
  return text;
}

// ---- what estimators read

Type Name::type(std::size_t i) const {
  static const Words spellings = commonChoices()['t'];
  for (std::size_t t = 0; t < spellings.size(); ++t)
    if (arguments[i] == spellings[t])
      return allTypes[t];
  return Type();
}

std::uint64_t Priced::size(const char *field) const { return fields.getFieldInfo(field).size(); }

std::vector<std::uint64_t> Priced::sizes(const char *field) const {
  const auto data = fields.getFieldInfo(field);
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < data.size(); ++i)
    all.push_back(data.getSizeAtIndex(i));
  return all;
}

std::uint64_t Priced::total(const char *field) const {
  std::uint64_t sum = 0;
  for (auto size : sizes(field))
    sum += size;
  return sum;
}

std::uint64_t Priced::value(const char *field) const {
  return fields.getFieldInfo(field).getInitialValue<unsigned>(target);
}

std::vector<std::uint64_t> Priced::values(const char *field) const {
  const auto all = fields.getFieldInfo(field).getInitialValues<unsigned short>(target);
  return {all.begin(), all.end()};
}

// ---- names

Library::Library(const char *space, std::vector<Family> families, std::vector<Refused> refused,
                 Choices choices)
    : space_(str(space, "::")), families_(std::move(families)), refused_(std::move(refused)),
      choices_(commonChoices()) {
  choices_.merge(choices);
  for (const auto &family : families_)
    if (family.estimate) {
      Name name{family.name, {}};
      listPriced(family, name);
    }
}

// All vertices of a family that begin with these arguments.
void Library::listPriced(const Family &family, Name &name) {
  const char letter = family.arguments[name.arguments.size()];
  if (letter) {
    for (const auto &word : choices_.at(letter)) {
      name.arguments.push_back(word);
      listPriced(family, name);
      name.arguments.pop_back();
    }
  } else if ((!family.exists || family.exists(name)) &&
             (!family.hasFormula || family.hasFormula(name)))
    priced_.push_back(
        {str(space_, name.family, "<", joined(name.arguments, ","), ">"), name, &family});
}

// False for names of other libraries.
bool Library::parse(const std::string &text, Name &name) const {
  if (text.compare(0, space_.size(), space_) != 0)
    return false;
  const auto open = std::min(text.find('<'), text.size());
  name.family = text.substr(space_.size(), open - space_.size());
  if (open == text.size() || text.back() != '>')
    return true;
  const std::string inside = text.substr(open + 1, text.size() - open - 2);
  for (std::size_t at = 0; at <= inside.size();) {
    const auto comma = std::min(inside.find(',', at), inside.size());
    name.arguments.push_back(trimmed(inside.substr(at, comma - at)));
    at = comma + 1;
  }
  return true;
}

void Library::refuse(const std::string &vertex, const Name &name) const {
  for (const auto &refused : refused_)
    if (matches(refused.family, name.family))
      throw poplar::unknown_vertex_type(
          str("Vertex \"", vertex,
              "\" cannot be added by name: the layout of its fields is not "
              "public. ",
              refused.instead));
}

// A family of nearly this name.
void Library::suggest(const std::string &vertex, const Name &name) const {
  Words known;
  for (const auto &family : families_)
    known.push_back(family.name);
  const auto advice = base::didYouMean(name.family, known);
  if (!advice.empty())
    throw poplar::unknown_vertex_type(str("There is no vertex \"", vertex, "\".", advice));
}

// The family if there is such a vertex; nullptr if the name means nothing here.
const Family *Library::familyOf(const std::string &vertex, const Name &name) const {
  refuse(vertex, name);
  const auto family = std::find_if(families_.begin(), families_.end(),
                                   [&](const Family &f) { return name.family == f.name; });
  if (family == families_.end()) {
    suggest(vertex, name);
    return nullptr;
  }
  const std::string letters = family->arguments;
  if (name.arguments.size() != letters.size())
    throw poplar::unknown_vertex_type(str("Vertex \"", vertex, "\": ", space_, name.family, " has ",
                                          letters.size(), " template arguments, not ",
                                          name.arguments.size(), "."));
  for (std::size_t i = 0; i < letters.size(); ++i) {
    const auto &choices = choices_.at(letters[i]);
    if (!contains(choices, name.arguments[i]))
      throw poplar::unknown_vertex_type(str("Vertex \"", vertex, "\": argument ", i + 1, " is \"",
                                            name.arguments[i], "\"; it must be one of ",
                                            joined(choices, ", "), "."));
  }
  if (family->exists && !family->exists(name))
    throw poplar::unknown_vertex_type(str("Vertex \"", vertex, "\": ", space_, name.family,
                                          " has no version for ", joined(name.arguments, ", "),
                                          " together. Use other types."));
  return &*family;
}

// ---- sources and estimators

std::string Library::source(const Words &names) const {
  Words pieces, distinct;
  std::string instances;
  for (const auto &vertex : names) {
    Name name;
    if (!parse(vertex, name))
      return "";
    const Family *family = familyOf(vertex, name);
    if (!family)
      return "";
    family->source(name, pieces);
    instances += str("template class ", vertex, ";\n");
  }
  for (auto &piece : pieces)
    if (!contains(distinct, piece))
      distinct.push_back(std::move(piece));
  return joined(distinct, "") + instances;
}

void Library::addTo(poplar::Graph &graph, std::string (*provide)(const std::string &)) const {
  openipu::addVertexProvider(graph, provide);
  for (const auto &entry : priced_)
    openipu::registerLibraryCycles(
        graph, entry.spelling,
        [&entry](const poplar::VertexIntrospector &fields, const poplar::Target &target) {
          return entry.family->estimate({entry.name, fields, target});
        });
}

} // namespace popops::named
