// SPDX-License-Identifier: MIT
#include "infer/SavedModel.hpp"

#include "core/Selection.hpp"
#include <cstring>

namespace paddle_infer {

using namespace paddleipu;

namespace {

const proto::VarDesc &declared(const proto::ProgramDesc &program, const std::string &name,
                               const std::string &file) {
  for (const auto &var : program.blocks(0).vars())
    if (var.name() == name && var.type().has_lod_tensor())
      return var;
  throw FileError("The program in " + file + " feeds or fetches \"" + name +
                  "\", which it does not declare.");
}

void findTransfers(SavedModel &model, const std::string &file) {
  std::map<std::int64_t, std::string> feeds, fetches;
  for (const auto &op : model.program.blocks(0).ops()) {
    if (op.type() == "feed" && op.outputs_size() == 1 && op.outputs(0).arguments_size() == 1)
      feeds[integerOf(op, "col", 0)] = op.outputs(0).arguments(0);
    if (op.type() == "fetch" && op.inputs_size() == 1 && op.inputs(0).arguments_size() == 1)
      fetches[integerOf(op, "col", 0)] = op.inputs(0).arguments(0);
  }
  for (const auto &[column, name] : feeds) {
    const auto &tensor = declared(model.program, name, file).type().lod_tensor().tensor();
    model.feeds.push_back(
        {name, tensor.data_type(), Shape(tensor.dims().begin(), tensor.dims().end())});
  }
  for (const auto &[column, name] : fetches)
    model.fetches.push_back(name);
  if (fetches.empty())
    throw FileError("The program in " + file +
                    " fetches nothing: it was not saved by save_inference_model.");
}

} // namespace

std::shared_ptr<const SavedModel> SavedModel::read(std::string program, std::string parameters,
                                                   const std::string &programFile,
                                                   const std::string &parameterFile) {
  auto model = std::make_shared<SavedModel>();
  model->program = readProgram(program, programFile);
  findTransfers(*model, programFile);
  for (const auto &tensor : readParameters(parameters, model->program, parameterFile)) {
    // Data in the file stands at odd addresses; sessions want them aligned.
    const auto size = std::max<std::size_t>(tensor.data.size(), 1);
    const std::shared_ptr<void> own(::operator new(size), [](void *p) { ::operator delete(p); });
    std::memcpy(own.get(), tensor.data.data(), tensor.data.size());
    model->parameters[tensor.name] = {tensor.type, tensor.dims, own.get(), own};
  }
  return model;
}

} // namespace paddle_infer
