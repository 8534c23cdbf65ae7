// SPDX-License-Identifier: MIT
// Where an operator writes down its attributes: for hashes, dumps and comparisons.
#ifndef POPART_OPSERIALISER_HPP
#define POPART_OPSERIALISER_HPP
#include <popart/names.hpp>
#include <sstream>

namespace popart {

// Where an operator writes its attributes as text.
class OpSerialiserBase {
public:
  virtual ~OpSerialiserBase() {}
  virtual void appendText(const std::string &name, const std::string &value) = 0; // writes one

  // Writes an attribute of any type that streams can write.
  template <class T> void appendAttribute(const std::string &name, const T &value) {
    std::ostringstream out;
    out.precision(9);
    out << value;
    appendText(name, out.str());
  }
  template <class T> void appendAttribute(const std::string &name, const std::vector<T> &values) {
    std::ostringstream out;
    out.precision(9);
    for (const auto &value : values)
      out << value << ',';
    appendText(name, out.str());
  }
};

} // namespace popart
#endif
