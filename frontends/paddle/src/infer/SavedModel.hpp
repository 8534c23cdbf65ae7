// SPDX-License-Identifier: MIT
// Both files of a model, read and checked; predictors that are clones share one.
#pragma once
#include "core/Conversion.hpp"

namespace paddle_infer {

struct SavedModel {
  paddleipu::proto::ProgramDesc program;
  std::map<std::string, paddleipu::Variable> parameters;
  std::vector<paddleipu::Slot> feeds; // in order, with the program's shapes (-1 is open)
  std::vector<std::string> fetches;

  static std::shared_ptr<const SavedModel> read(std::string program, std::string parameters,
                                                const std::string &programFile,
                                                const std::string &parameterFile);
};

} // namespace paddle_infer
