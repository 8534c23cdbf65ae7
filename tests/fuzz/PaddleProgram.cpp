// SPDX-License-Identifier: MIT
// .pdmodel files: what is read is written again and read as the same.
#include "format/Files.hpp"
#include "Fuzz.hpp"
#include <stdexcept>

using namespace paddleipu;

bool fuzz::accepts(std::string_view input) {
  try {
    const auto program = readProgram(input, "fuzz.pdmodel");
    savedNames(program);
    if (const auto again = writeProgram(program);
        writeProgram(readProgram(again, "again.pdmodel")) != again)
      throw std::logic_error("an accepted program changes when it is written and read");
    return true;
  } catch (const FileError &) {
    return false;
  }
}

std::vector<std::string> fuzz::validInputs() {
  proto::ProgramDesc program;
  auto *block = program.add_blocks();
  block->set_idx(0);
  block->set_parent_idx(-1);
  auto *var = block->add_vars();
  var->set_name("w");
  var->set_persistable(true);
  var->mutable_type()->set_type(proto::VarType::LOD_TENSOR);
  auto *tensor = var->mutable_type()->mutable_lod_tensor()->mutable_tensor();
  tensor->set_data_type(proto::VarType::FP32);
  tensor->add_dims(-1);
  tensor->add_dims(3);
  auto *op = block->add_ops();
  op->set_type("scale");
  auto *in = op->add_inputs();
  in->set_parameter("X");
  in->add_arguments("w");
  auto *attr = op->add_attrs();
  attr->set_name("scale");
  attr->set_type(proto::FLOAT);
  attr->set_f(2);
  program.mutable_version()->set_version(0);
  return {writeProgram(program)};
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fuzz::accepts(fuzz::view(data, size));
  return 0;
}
