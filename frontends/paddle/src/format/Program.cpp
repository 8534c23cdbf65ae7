// SPDX-License-Identifier: MIT
#include "format/Files.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

namespace paddleipu {

namespace {

[[noreturn]] void damaged(const std::string &where, const std::string &why) {
  throw FileError("The program in " + where + " is damaged: " + why +
                  " Save it again with paddle.static.save_inference_model.");
}

void checkBlock(const proto::ProgramDesc &program, int index, const std::string &where) {
  const auto &block = program.blocks(index);
  if (block.idx() != index)
    damaged(where, base::str("block ", index, " says that it is block ", block.idx(), "."));
  if (block.parent_idx() < -1 || block.parent_idx() >= index)
    damaged(where, base::str("block ", index, " stands in block ", block.parent_idx(), "."));
  std::set<std::string> names;
  for (const auto &var : block.vars()) {
    if (var.name().empty())
      damaged(where, "a variable has no name.");
    if (!names.insert(var.name()).second)
      damaged(where, "there are two variables \"" + var.name() + "\".");
  }
  for (const auto &op : block.ops())
    if (op.type().empty())
      damaged(where, "an operator has no type.");
}

} // namespace

proto::ProgramDesc readProgram(std::string_view bytes, const std::string &where) {
  proto::ProgramDesc program;
  if (bytes.empty())
    damaged(where, "it is empty.");
  if (!program.ParsePartialFromArray(bytes.data(), int(bytes.size())))
    damaged(where, base::str("its ", bytes.size(), " bytes are no ProgramDesc."));
  if (!program.IsInitialized())
    damaged(where,
            "it lacks fields that must be there (" + program.InitializationErrorString() + ").");
  if (program.blocks_size() == 0)
    damaged(where, "it has no block.");
  for (int i = 0; i < program.blocks_size(); ++i)
    checkBlock(program, i, where);
  return program;
}

std::string writeProgram(const proto::ProgramDesc &program) {
  std::string out;
  if (!program.SerializeToString(&out))
    throw FileError("A program lacks fields that must be there: " +
                    program.InitializationErrorString());
  return out;
}

std::vector<std::string> savedNames(const proto::ProgramDesc &program) {
  std::vector<std::string> out;
  for (const auto &var : program.blocks(0).vars()) {
    const auto type = var.type().type();
    if (var.persistable() && type != proto::VarType::FEED_MINIBATCH &&
        type != proto::VarType::FETCH_LIST && type != proto::VarType::READER &&
        type != proto::VarType::RAW)
      out.push_back(var.name());
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string contentsOf(const std::string &path, const char *what) {
  std::error_code problem;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, problem))
    throw FileError(base::str("The ", what, " ", path,
                              " cannot be read: there is no such file, or it is a folder. "
                              "paddle.static.save_inference_model writes <prefix>.pdmodel and "
                              "<prefix>.pdiparams."));
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace paddleipu
