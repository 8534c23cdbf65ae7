// SPDX-License-Identifier: MIT
// Messages of the exceptions that are built from parts.
#include "poplar/exceptions.hpp"
#include "base/Text.hpp"
#include "poplar/DebugContext.hpp"

namespace poplar {

using base::str;

poplar_error::poplar_error(TypeName name, const std::string &message)
    : std::runtime_error(message), type(name.text), message_(message) {}
poplar_error::poplar_error(const std::string &message)
    : poplar_error(TypeName("poplar_error"), message) {}
poplar_error::poplar_error(const char *message)
    : poplar_error(TypeName("poplar_error"), std::string(message)) {}
poplar_error::poplar_error(const poplar_error &) = default;
poplar_error::~poplar_error() = default;

const char *poplar_error::what() const noexcept { return message_.c_str(); }

void poplar_error::attachSourceLocation(const DebugContext &context) {
  const auto path = context.getPathName();
  const auto &at = context.getLocation();
  if (!path.empty())
    message_ += str(" (at \"", path, "\")");
  if (at.isValid())
    message_ += str(" (", at.getFileName(), ":", at.getLineNumber(), ")");
}

file_load_error::file_load_error(const std::string &path)
    : poplar_error(TypeName("file_load_error"),
                   str("Cannot load \"", path, "\". Check that the file exists and can be read.")) {
}
file_load_error::file_load_error(const std::string &path, const std::string &reason)
    : poplar_error(TypeName("file_load_error"), str("Cannot load \"", path, "\": ", reason)) {}

graph_memory_allocation_error::graph_memory_allocation_error(const std::string &message,
                                                             const std::string &path)
    : poplar_error(TypeName("graph_memory_allocation_error"), message), profilePath(path) {}
graph_memory_allocation_error::graph_memory_allocation_error(const char *message)
    : graph_memory_allocation_error(std::string(message)) {}

graph_object_load_error::graph_object_load_error(const std::string &path, const std::string &error)
    : poplar_error(TypeName("graph_object_load_error"),
                   str("Cannot load codelets from \"", path, "\": ", error)) {}

index_error::index_error(const std::string &what, std::size_t index)
    : index_error(str(what, ": index ", index, " is out of range.")) {}

no_size_specified::no_size_specified(const std::string &field, const std::string &vertex)
    : no_size_specified(
          str("The size of field \"", field, "\" of vertex \"", vertex,
              "\" is not known. Call setFieldSize, or connect or initialise the whole field.")) {}

symbol_error::symbol_error(const std::string &name, unsigned tile)
    : poplar_error(TypeName("symbol_error"),
                   str("Symbol \"", name, "\" was not found on tile ", tile, ".")) {}

unknown_field::unknown_field(const std::string &field, const std::string &vertex)
    : unknown_field(str("Vertex \"", vertex, "\" has no field \"", field, "\".")) {}

link_error::link_error(const std::string &message, const std::string &out)
    : poplar_error(TypeName("link_error"), message), output(out) {}

recoverable_runtime_error::recoverable_runtime_error(RecoveryAction action,
                                                     const std::string &message)
    : system_runtime_error(TypeName("recoverable_runtime_error"), message), action_(action) {}

} // namespace poplar
