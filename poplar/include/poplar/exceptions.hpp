// SPDX-License-Identifier: MIT
// Every exception that this library throws for a mistake of its user or a failure of the device.
// All derive from poplar_error; `type` holds the name of the class. Those raised by a running
// program derive from runtime_error.
#pragma once
#include <poplar/Error.hpp>
#include <stdexcept>
#include <string>

namespace poplar {

class DebugContext;

// The base of all exceptions of Poplar.
struct poplar_error : std::runtime_error {
  std::string type; // the name of the exception's class
  explicit poplar_error(const std::string &message);
  explicit poplar_error(const char *message);
  poplar_error(const poplar_error &);
  poplar_error &operator=(const poplar_error &) = default;
  ~poplar_error() override;

  const char *what() const noexcept override;
  // Adds the debug name and the source position to the message.
  void attachSourceLocation(const DebugContext &context);

protected:
  struct TypeName {
    const char *text;
    explicit TypeName(const char *name) : text(name) {}
  };
  poplar_error(TypeName name, const std::string &message);

private:
  std::string message_;
};

#define POPLAR_EXCEPTION_BODY(NAME, BASE)                                                          \
  explicit NAME(const std::string &message) : BASE(TypeName(#NAME), message) {}                    \
  explicit NAME(const char *message) : BASE(TypeName(#NAME), message) {}                           \
                                                                                                   \
protected:                                                                                         \
  NAME(TypeName name, const std::string &message) : BASE(name, message) {}                         \
                                                                                                   \
public:

#define POPLAR_EXCEPTION(NAME)                                                                     \
  struct NAME : poplar_error {                                                                     \
    POPLAR_EXCEPTION_BODY(NAME, poplar_error)                                                      \
  };

POPLAR_EXCEPTION(control_program_error)       // ill-formed program
POPLAR_EXCEPTION(graph_connection_error)      // a field unconnected, or connected twice or wrongly
POPLAR_EXCEPTION(graph_cycle_error)           // programs that contain themselves
POPLAR_EXCEPTION(graph_recursion_error)       // functions that call themselves
POPLAR_EXCEPTION(graph_object_creation_error) // a codelet could not be compiled
POPLAR_EXCEPTION(graph_program_compilation_error) // a program could not be compiled
POPLAR_EXCEPTION(graph_replication_error)         // bad replication factor
POPLAR_EXCEPTION(invalid_machine_model)           // a machine description that cannot be
POPLAR_EXCEPTION(invalid_option)                  // unknown or malformed option or value
POPLAR_EXCEPTION(invalid_tile_mapping)            // mapping incomplete, overlapping or out of range
POPLAR_EXCEPTION(memory_elem_constraints_error) // constraints on memory elements that cannot be met
POPLAR_EXCEPTION(missing_perf_estimate)         // a vertex whose cycles cannot be told
POPLAR_EXCEPTION(missing_profile_data)          // the profile does not hold what was asked for
POPLAR_EXCEPTION(missing_graph_profile)         // no graph profile
POPLAR_EXCEPTION(no_environment)                // an environment variable is missing
POPLAR_EXCEPTION(overflow_error)                // a host value that the device type cannot hold
POPLAR_EXCEPTION(parse_error)                   // malformed text or file
POPLAR_EXCEPTION(profiling_disabled)            // a profile was asked for that was not recorded
POPLAR_EXCEPTION(stream_connection_error)       // a stream unconnected, or of the wrong size
POPLAR_EXCEPTION(stream_memory_allocation_error) // no memory for a stream's buffer
POPLAR_EXCEPTION(tensor_creation_error)          // values that do not fit the shape
POPLAR_EXCEPTION(tensor_io_state_error)          // reading or writing before load
POPLAR_EXCEPTION(tensor_metadata_error) // an 8-bit float tensor without metadata, or the reverse
POPLAR_EXCEPTION(type_error)            // types that do not match
POPLAR_EXCEPTION(unknown_vertex_type)   // no codelet of that name
using missing_cycle_estimate = missing_perf_estimate; // the older name

// A file that cannot be opened or read.
struct file_load_error : poplar_error {
  explicit file_load_error(const std::string &path);
  file_load_error(const std::string &path, const std::string &reason);
};

// A tile's data does not fit. profilePath names the profile that shows why, and may be empty.
struct graph_memory_allocation_error : poplar_error {
  std::string profilePath;
  explicit graph_memory_allocation_error(const std::string &message, const std::string &path = "");
  explicit graph_memory_allocation_error(const char *message);
};

// A compiled codelet file, .gp, that cannot be used for this target.
struct graph_object_load_error : poplar_error {
  graph_object_load_error(const std::string &path, const std::string &error);
};

// An index, a range or a number of a program that is not there.
struct index_error : poplar_error {
  POPLAR_EXCEPTION_BODY(index_error, poplar_error)
  index_error(const std::string &what, std::size_t index);
};

// A vector field that is not connected and whose size was not set.
struct no_size_specified : poplar_error {
  POPLAR_EXCEPTION_BODY(no_size_specified, poplar_error)
  no_size_specified(const std::string &field, const std::string &vertex);
};

// A symbol that a tile's code does not have.
struct symbol_error : poplar_error {
  symbol_error(const std::string &name, unsigned tile);
};

// A field that the codelet does not have.
struct unknown_field : poplar_error {
  POPLAR_EXCEPTION_BODY(unknown_field, poplar_error)
  unknown_field(const std::string &field, const std::string &vertex);
};

// output: what the compiler or linker printed.
struct link_error : poplar_error {
  std::string output;
  explicit link_error(const std::string &message, const std::string &out = "");
};

// An error while a program ran; `info` says which, and where.
struct runtime_error : poplar_error {
  // What happened, and on which tile.
  struct ErrorInfo {
    ErrorCode code = ErrorCode::UNKNOWN; // why the device stopped
    ErrorLocation location;              // where it was noticed
  };
  ErrorInfo info; // which error, and where
  POPLAR_EXCEPTION_BODY(runtime_error, poplar_error)
};

// A mistake of the program that ran: a device exception, an Abort.
struct application_runtime_error : runtime_error {
  POPLAR_EXCEPTION_BODY(application_runtime_error, runtime_error)
};

// A failure of the system around the program: links, memory, host.
struct system_runtime_error : runtime_error {
  POPLAR_EXCEPTION_BODY(system_runtime_error, runtime_error)
};

// What must be reset before the device can be used again.
enum class RecoveryAction { IPU_RESET, LINK_RESET, PARTITION_RESET, FULL_RESET };
std::string toString(RecoveryAction action);

// A failure after which a reset helps: getRecoveryAction says which.
struct recoverable_runtime_error : system_runtime_error {
  recoverable_runtime_error(RecoveryAction action, const std::string &message);
  RecoveryAction getRecoveryAction() const { return action_; } // the least reset that helps

private:
  RecoveryAction action_;
};

// A failure that no reset mends: the hardware must be looked at.
struct unrecoverable_runtime_error : system_runtime_error {
  POPLAR_EXCEPTION_BODY(unrecoverable_runtime_error, system_runtime_error)
};

// A failure that nobody has a name for.
struct unknown_runtime_error : system_runtime_error {
  POPLAR_EXCEPTION_BODY(unknown_runtime_error, system_runtime_error)
};

#undef POPLAR_EXCEPTION
#undef POPLAR_EXCEPTION_BODY

} // namespace poplar
