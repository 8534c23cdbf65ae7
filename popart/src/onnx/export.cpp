// SPDX-License-Identifier: MIT
#include "onnx/export.hpp"
#include "base/Arithmetic.hpp"

#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include <fstream>
#include <limits>
#include <popart/error.hpp>
#include <set>

namespace popart::onnxmodel {

using ir::HostTensor;
using onnx::ModelProto;
using onnx::TensorProto;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t alignment = 4096; // of external data, as ONNX advises

template <class Work> auto withError(Work work) {
  try {
    return work();
  } catch (const base::FileError &e) {
    throw error(e.what());
  }
}

// base::OutputFile with popart::error.
class NewFile {
public:
  explicit NewFile(const fs::path &file)
      : file_(withError([&] { return std::make_unique<base::OutputFile>(file.string()); })) {}
  std::ostream &stream() { return file_->stream(); }
  void write(const void *data, std::size_t size) {
    stream().write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
  }
  void seek(std::uint64_t at) { stream().seekp(static_cast<std::streamoff>(at)); }
  void close() {
    withError([&] { file_->close(); });
  }
  void commit() {
    withError([&] { file_->commit(); });
  }

private:
  std::unique_ptr<base::OutputFile> file_;
};

void requireFit(const TensorProto &tensor, const HostTensor &value) {
  if (const auto info = infoOf(tensor); info != value.info())
    throw error(base::str("Initializer \"", tensor.name(), "\" is ", info, "; its new value is ",
                          value.info(), "."));
}

void setLocation(TensorProto &tensor, const std::string &location) {
  for (auto &entry : *tensor.mutable_external_data())
    if (entry.key() == "location")
      entry.set_value(location);
}

// All external files of a model with the new values in place; bytes in between stay.
class ExternalFiles {
public:
  ExternalFiles(const fs::path &from, const fs::path &to) : from_(from), to_(to) {}

  // The tensor's file must be there, with its old values unless there are new ones.
  void add(TensorProto &tensor, const HostTensor *value) {
    const auto where = ExternalData::of(tensor);
    auto location = where.location;
    if (!where.isBelowModel()) {
      location = fs::path(location).filename().string();
      setLocation(tensor, location);
    }
    const auto [source, isNew] = sources_.emplace(location, where.location);
    if (source->second != where.location)
      throw error("The model's external data lies in {} and {}, which cannot both be \"{}\" beside "
                  "the new model. Give one of them another name.",
                  source->second, where.location, location);
    auto &file = files_[location];
    if (!file)
      file = copyOf(externalFile(tensor, where, from_), location);
    if (!value)
      return;
    file->seek(where.offset);
    file->write(value->data(), value->bytes());
  }
  void close() {
    for (auto &[name, file] : files_)
      file->close();
  }
  void commit() {
    for (auto &[name, file] : files_)
      file->commit();
  }

private:
  std::unique_ptr<NewFile> copyOf(const fs::path &from, const std::string &location) {
    std::ifstream old(from, std::ios::binary);
    if (!old)
      throw error(base::str("The external data ", from, " cannot be opened."));
    if (to_.empty() || fs::is_directory(to_)) // its own subfolders come along
      withError([&] { base::makeFolderOf((to_ / location).string()); });
    auto file = std::make_unique<NewFile>(to_ / location);
    if (old.peek() != std::ifstream::traits_type::eof())
      file->stream() << old.rdbuf();
    return file;
  }
  fs::path from_, to_;
  std::map<std::string, std::string> sources_; // by what they are called beside the new model
  std::map<std::string, std::unique_ptr<NewFile>> files_;
};

void append(TensorProto &tensor, const TensorId &id, const HostTensor &value) {
  tensor.set_name(id);
  write(tensor, value);
}

void serialise(const ModelProto &model, NewFile &file) {
  if (model.ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw error("The model has {} bytes, more than the 2 GiB of one ONNX file. Store its "
                "initializers externally.",
                model.ByteSizeLong());
  model.SerializeToOstream(&file.stream());
  file.close();
}

} // namespace

void writeModel(ModelProto model, const std::map<TensorId, HostTensor> &values,
                const fs::path &file, const fs::path &folder) {
  ExternalFiles external(folder.empty() ? file.parent_path() : folder, file.parent_path());
  std::set<TensorId> known;
  for (auto &tensor : *model.mutable_graph()->mutable_initializer()) {
    known.insert(tensor.name());
    const auto it = values.find(tensor.name());
    const HostTensor *value = it == values.end() ? nullptr : &it->second;
    if (value)
      requireFit(tensor, *value);
    if (isExternal(tensor))
      external.add(tensor, value); // and names a file beside the new model
    else if (value)
      write(tensor, *value);
  }
  for (const auto &[id, value] : values)
    if (!known.count(id))
      append(*model.mutable_graph()->add_initializer(), id, value);
  NewFile out(file);
  serialise(model, out);
  external.close();
  external.commit();
  out.commit();
}

namespace {

struct Moved {
  TensorProto *tensor;
  std::uint64_t at, bytes;
};
void refer(const Moved &moved, const std::string &location) {
  TensorProto out;
  out.set_name(moved.tensor->name());
  out.set_data_type(moved.tensor->data_type());
  out.set_doc_string(moved.tensor->doc_string());
  *out.mutable_dims() = moved.tensor->dims();
  out.set_data_location(TensorProto::EXTERNAL);
  for (const auto &[key, text] : {std::pair<std::string, std::string>{"location", location},
                                  {"offset", std::to_string(moved.at)},
                                  {"length", std::to_string(moved.bytes)}}) {
    auto *entry = out.add_external_data();
    entry->set_key(key);
    entry->set_value(text);
  }
  moved.tensor->Swap(&out);
}

} // namespace

void storeExternally(ModelProto &model, const std::vector<TensorId> &ids, const fs::path &file) {
  std::map<TensorId, TensorProto *> tensors;
  for (auto &tensor : *model.mutable_graph()->mutable_initializer())
    tensors[tensor.name()] = &tensor;
  NewFile out(file);
  std::vector<Moved> all;
  std::set<TensorId> seen;
  std::uint64_t at = 0;
  for (const auto &id : ids) {
    if (!tensors.count(id))
      throw error("No initializer is called \"{}\".", id);
    if (isExternal(*tensors[id]) || !seen.insert(id).second)
      throw error("Initializer \"{}\" is stored externally already.", id);
    const HostTensor value = TensorReader().read(*tensors[id]);
    at = base::roundUp(at, alignment);
    out.seek(at);
    out.write(value.data(), value.bytes());
    all.push_back({tensors[id], at, value.bytes()});
    at += value.bytes();
  }
  out.close();
  out.commit();
  noteOwnFile(file);
  for (const auto &moved : all) // only now: what cannot be written stays in the model
    refer(moved, file.string());
}

void nameFrom(const fs::path &folder, ModelProto &model) {
  std::error_code missing;
  const auto own = fs::canonical(folder.empty() ? fs::path(".") : folder, missing);
  for (auto &tensor : *model.mutable_graph()->mutable_initializer()) {
    if (!isExternal(tensor))
      continue;
    const auto where = ExternalData::of(tensor);
    if (!where.isAbsolute())
      continue;
    const auto name = fs::weakly_canonical(where.location, missing).lexically_relative(own);
    if (name.empty() || *name.begin() == "..")
      throw error("The values of \"{}\" lie in {}, which is not below {}, where the model is to be "
                  "saved: ONNX finds them only there. Save the model above them, or store them "
                  "below its folder.",
                  tensor.name(), where.location, own.string());
    setLocation(tensor, name.string());
  }
}

} // namespace popart::onnxmodel
