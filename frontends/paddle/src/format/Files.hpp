// SPDX-License-Identifier: MIT
// Paddle's files of a model: .pdmodel (a ProgramDesc) and .pdiparams (its persistable tensors one
// behind the other, in the order of their names, without names). What does not fit is a FileError
// that names the file and the place.
#pragma once
#include "framework.pb.h"
#include <popart/error.hpp>
#include <popart/tensorinfo.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace paddleipu {

class FileError : public popart::error {
public:
  using error::error;
};

// One tensor of a parameter file; `data` points into the bytes that were read.
struct StoredTensor {
  std::string name;
  proto::VarType::Type type = proto::VarType::FP32;
  std::vector<std::int64_t> dims;
  std::string_view data;
};

std::size_t bytesOf(proto::VarType::Type type); // of an element; 0 for what has none
const char *nameOf(proto::VarType::Type type);  // "float32"

// `where` is the file's name, for messages.
proto::ProgramDesc readProgram(std::string_view bytes, const std::string &where);
std::string writeProgram(const proto::ProgramDesc &program);

// The variables that a parameter file holds, in its order.
std::vector<std::string> savedNames(const proto::ProgramDesc &program);
std::vector<StoredTensor> readParameters(std::string_view bytes,
                                         const std::vector<std::string> &names,
                                         const std::string &where);
// The same, and each is what the program says it is.
std::vector<StoredTensor> readParameters(std::string_view bytes, const proto::ProgramDesc &program,
                                         const std::string &where);
std::string writeParameters(const std::vector<StoredTensor> &tensors); // in the order given

// The whole file; FileError if it is not there or cannot be read.
std::string contentsOf(const std::string &path, const char *what);

} // namespace paddleipu
