// SPDX-License-Identifier: MIT
// Tensors between ONNX's files and the ir: element types, TensorProto in all its encodings, and
// data that stands in a file of its own beside the model.
#pragma once
#include "ir/hosttensor.hpp"
#include "onnx/bytes.hpp"
#include <filesystem>
#include <map>
#include <onnx/onnx_pb.h>
#include <optional>
#include <unordered_map>

namespace popart::onnxmodel {

// TensorProto::DataType and back; popart::error for what has no counterpart.
DataType typeFromOnnx(int type);
int typeToOnnx(DataType type);

// Where a tensor keeps its values when they are not in the model: key "location" relative to the
// model's folder, "offset" and "length" in bytes (absent: to the end).
struct ExternalData {
  std::string location;
  std::uint64_t offset = 0;
  std::optional<std::uint64_t> length;
  static ExternalData of(const onnx::TensorProto &tensor); // popart::error if it is malformed
  bool isAbsolute() const;
  bool isBelowModel() const; // by its name: relative, without ".."
};
bool isExternal(const onnx::TensorProto &tensor);
// That file of a model in `folder`. popart::error if its name or links lead out of the folder,
// unless they lead into one of those that OPENIPU_EXTERNAL_DATA names, with ':' between, or to a
// noted file.
std::filesystem::path externalFile(const onnx::TensorProto &tensor, const ExternalData &where,
                                   const std::filesystem::path &folder);
void noteOwnFile(const std::filesystem::path &file);

// A model and the folder its external data is relative to. The raw_data of large initialisers may
// stand outside the messages; read them with a TensorReader.
struct Model {
  std::shared_ptr<const onnx::ModelProto> proto;
  std::filesystem::path folder;
  std::vector<std::string_view> raw = {}; // by initialiser; empty: in the message
  std::shared_ptr<const void> rawOwner = nullptr;
  std::shared_ptr<const MappedFile> file = nullptr; // that `raw` is part of

  // With everything in the messages, except the values of initialisers that will get `others`.
  onnx::ModelProto whole(const std::map<TensorId, ir::HostTensor> &others = {}) const;
};

// Reads tensors. Bytes are shared, not copied, when they have an owner: a model's messages, raw
// data outside of them (at any address), files with external data, which are mapped once. They
// live as long as a tensor that uses them.
class TensorReader {
public:
  TensorReader() = default;
  explicit TensorReader(std::filesystem::path folder, std::shared_ptr<const void> owner = nullptr)
      : folder_(std::move(folder)), owner_(std::move(owner)) {}

  explicit TensorReader(const Model &model);

  // popart::error that names the tensor when type, shape and values do not fit together.
  ir::HostTensor read(const onnx::TensorProto &tensor);
  const std::filesystem::path &folder() const { return folder_; }

private:
  ir::HostTensor readExternal(const onnx::TensorProto &tensor, const TensorInfo &info);

  std::filesystem::path folder_;
  std::shared_ptr<const void> owner_;
  std::shared_ptr<const void> rawOwner_;
  std::shared_ptr<const MappedFile> file_;
  std::unordered_map<const onnx::TensorProto *, std::string_view> raw_; // outside the messages
  std::map<std::string, std::shared_ptr<const MappedFile>> files_;
};

// The type and shape a TensorProto claims, checked.
TensorInfo infoOf(const onnx::TensorProto &tensor);
// Sets type, shape and values; keeps the name. Values stay in fields (float_data ...) if they were.
void write(onnx::TensorProto &tensor, const ir::HostTensor &values);
// As the vendor's Builder writes them: in fields, FLOAT16 two in an element of int32_data. Large
// ones in raw_data, which need not be parsed to be used.
void writeFields(onnx::TensorProto &tensor, const TensorInfo &info, const void *data);

} // namespace popart::onnxmodel
