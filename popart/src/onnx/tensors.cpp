// SPDX-License-Identifier: MIT
#include "onnx/tensors.hpp"

#include "base/CheckedSize.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <popart/error.hpp>
#include <set>
#include <sstream>

namespace popart::onnxmodel {

using ir::HostTensor;
using onnx::TensorProto;
namespace fs = std::filesystem;

namespace {

constexpr std::array<std::pair<int, DataType>, 16> types{{
    {TensorProto::FLOAT, DataType::FLOAT},
    {TensorProto::UINT8, DataType::UINT8},
    {TensorProto::INT8, DataType::INT8},
    {TensorProto::UINT16, DataType::UINT16},
    {TensorProto::INT16, DataType::INT16},
    {TensorProto::INT32, DataType::INT32},
    {TensorProto::INT64, DataType::INT64},
    {TensorProto::STRING, DataType::STRING},
    {TensorProto::BOOL, DataType::BOOL},
    {TensorProto::FLOAT16, DataType::FLOAT16},
    {TensorProto::DOUBLE, DataType::DOUBLE},
    {TensorProto::UINT32, DataType::UINT32},
    {TensorProto::UINT64, DataType::UINT64},
    {TensorProto::COMPLEX64, DataType::COMPLEX64},
    {TensorProto::COMPLEX128, DataType::COMPLEX128},
    {TensorProto::BFLOAT16, DataType::BFLOAT16},
}};

std::string named(const TensorProto &tensor) {
  return tensor.name().empty() ? std::string("A tensor without a name")
                               : base::str("Tensor \"", tensor.name(), '"');
}
[[noreturn]] void refuse(const TensorProto &tensor, const std::string &why) {
  throw error(named(tensor) + " " + why);
}

// Elements as the message's repeated field holds them, each narrowed to T.
template <class T, class Field>
HostTensor fromField(const TensorProto &tensor, const TensorInfo &info, const Field &field) {
  if (field.size() != info.nelms())
    refuse(tensor, base::str("is ", info, ", but has ", field.size(), " values."));
  std::vector<char> bytes(static_cast<std::size_t>(info.nbytes()));
  std::size_t at = 0;
  for (const auto &element : field) {
    const T value = static_cast<T>(element);
    std::memcpy(bytes.data() + at, &value, sizeof(T));
    at += sizeof(T);
  }
  return HostTensor(info, std::move(bytes));
}

// FLOAT16 as bits: ONNX has one in an element, the vendor two.
HostTensor fromHalves(const TensorProto &t, const TensorInfo &info) {
  const std::int64_t count = t.int32_data_size();
  if (count == info.nelms() || count != (info.nelms() + 1) / 2)
    return fromField<std::uint16_t>(t, info, t.int32_data());
  const auto *bytes = reinterpret_cast<const char *>(t.int32_data().data());
  return HostTensor(info, std::vector<char>(bytes, bytes + info.nbytes()));
}

HostTensor fromFields(const TensorProto &t, const TensorInfo &info) {
  switch (info.dataType()) {
  case DataType::FLOAT:
    return fromField<float>(t, info, t.float_data());
  case DataType::DOUBLE:
    return fromField<double>(t, info, t.double_data());
  case DataType::INT64:
    return fromField<std::int64_t>(t, info, t.int64_data());
  case DataType::UINT64:
    return fromField<std::uint64_t>(t, info, t.uint64_data());
  case DataType::UINT32:
    return fromField<std::uint32_t>(t, info, t.uint64_data());
  case DataType::INT32:
    return fromField<std::int32_t>(t, info, t.int32_data());
  case DataType::INT16:
    return fromField<std::int16_t>(t, info, t.int32_data());
  case DataType::FLOAT16:
    return fromHalves(t, info);
  case DataType::UINT16:
  case DataType::BFLOAT16: // as bits
    return fromField<std::uint16_t>(t, info, t.int32_data());
  case DataType::INT8:
    return fromField<std::int8_t>(t, info, t.int32_data());
  case DataType::UINT8:
    return fromField<std::uint8_t>(t, info, t.int32_data());
  case DataType::BOOL:
    return fromField<bool>(t, info, t.int32_data());
  default:
    refuse(t, base::str("holds ", nameOf(info.dataType()), ", which no operator can use."));
  }
}

std::uint64_t number(const TensorProto &tensor, const std::string &key, const std::string &text) {
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size())
    refuse(tensor, base::str("has external data with ", key, " \"", text, "\", not a number."));
  return value;
}

} // namespace

DataType typeFromOnnx(int type) {
  for (const auto &[onnx, ours] : types)
    if (onnx == type)
      return ours;
  throw error("ONNX element type {} is not known.", type);
}
int typeToOnnx(DataType type) {
  for (const auto &[onnx, ours] : types)
    if (ours == type)
      return onnx;
  throw error("ONNX has no element type {}.", nameOf(type));
}

TensorInfo infoOf(const TensorProto &tensor) {
  constexpr std::uint64_t most = std::uint64_t(1)
                                 << 40; // more than any host has, far from overflow
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  for (auto dim : shape)
    if (dim < 0)
      refuse(tensor, base::str("has the negative dimension ", dim, "."));
  if (!base::checkedElements(shape, most))
    refuse(tensor, base::str("is too large: its shape is ", base::list(shape), "."));
  const TensorInfo info(typeFromOnnx(tensor.data_type()), shape);
  if (bytesOf(info.dataType()) == 0)
    refuse(tensor, base::str("holds ", nameOf(info.dataType()), ", which no operator can use."));
  return info;
}

// Folders, with colons between them, that models may have data in beside their own.
static const char *moreFolders() { return std::getenv("OPENIPU_EXTERNAL_DATA"); }

bool isExternal(const TensorProto &tensor) {
  return tensor.has_data_location() && tensor.data_location() == TensorProto::EXTERNAL;
}
ExternalData ExternalData::of(const TensorProto &tensor) {
  ExternalData out;
  for (const auto &entry : tensor.external_data()) {
    if (entry.key() == "location")
      out.location = entry.value();
    else if (entry.key() == "offset")
      out.offset = number(tensor, "offset", entry.value());
    else if (entry.key() == "length")
      out.length = number(tensor, "length", entry.value());
  }
  if (out.location.empty())
    refuse(tensor, "has external data without a location.");
  return out;
}
bool ExternalData::isAbsolute() const { return fs::path(location).is_absolute(); }
bool ExternalData::isBelowModel() const {
  const fs::path path(location);
  return !path.is_absolute() &&
         std::none_of(path.begin(), path.end(), [](const auto &part) { return part == ".."; });
}

namespace {

bool isBelow(const fs::path &folder, const fs::path &file) {
  const auto [left, ignored] =
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return !folder.empty() && left == folder.end();
}

// Files that this process wrote itself: a model that was never saved may name them as it likes.
struct OwnFiles {
  base::ForkMutex mutex;
  std::set<fs::path> paths;
};
OwnFiles &ownFiles() {
  static OwnFiles files;
  return files;
}
bool isOwn(const fs::path &file) {
  const std::lock_guard lock(ownFiles().mutex);
  return ownFiles().paths.count(file) > 0;
}

std::vector<fs::path> allowedFolders(const fs::path &own) {
  std::vector<fs::path> out;
  std::error_code missing;
  out.push_back(fs::canonical(own.empty() ? fs::path(".") : own, missing));
  const char *more = moreFolders();
  std::istringstream list(more ? more : "");
  for (std::string name; std::getline(list, name, ':');)
    if (!name.empty())
      out.push_back(fs::canonical(name, missing));
  return out;
}

} // namespace

void noteOwnFile(const fs::path &file) {
  std::error_code missing;
  const auto path = fs::canonical(file, missing);
  const std::lock_guard lock(ownFiles().mutex);
  if (!missing)
    ownFiles().paths.insert(path);
}

fs::path externalFile(const TensorProto &tensor, const ExternalData &where,
                      const fs::path &folder) {
  std::error_code missing;
  const auto file = fs::canonical(folder / where.location, missing);
  if (where.isAbsolute() && !missing && isOwn(file))
    return file;
  const bool named = where.isBelowModel() || moreFolders();
  if (!named && (missing || !isBelow(allowedFolders(folder).front(), file)))
    refuse(tensor, base::str("has its data in \"", where.location,
                             "\"; it must stand in or below the model's folder, or in a folder "
                             "that OPENIPU_EXTERNAL_DATA names."));
  if (missing)
    return folder / where.location; // whoever opens it says why not
  const auto allowed = allowedFolders(folder);
  if (std::none_of(allowed.begin(), allowed.end(),
                   [&](const auto &own) { return isBelow(own, file); }))
    refuse(tensor, base::str("has its data in \"", where.location, "\", which is ",
                             where.isBelowModel() ? "a link to " : "", file,
                             ", outside the model's folder. Copy the file there, or name the "
                             "folder it is in in OPENIPU_EXTERNAL_DATA."));
  return file;
}

onnx::ModelProto Model::whole(const std::map<TensorId, HostTensor> &others) const {
  onnx::ModelProto out = *proto;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    auto &tensor = *out.mutable_graph()->mutable_initializer(int(i));
    if (raw[i].empty() || others.count(tensor.name()))
      continue;
    if (file)
      file->requireUnchanged(raw[i].data());
    tensor.set_raw_data(raw[i].data(), raw[i].size());
  }
  return out;
}

TensorReader::TensorReader(const Model &model)
    : folder_(model.folder), owner_(model.proto), rawOwner_(model.rawOwner), file_(model.file) {
  for (std::size_t i = 0; i < model.raw.size(); ++i)
    if (!model.raw[i].empty())
      raw_[&model.proto->graph().initializer(int(i))] = model.raw[i];
}

HostTensor TensorReader::readExternal(const TensorProto &tensor, const TensorInfo &info) {
  const auto where = ExternalData::of(tensor);
  const auto path = externalFile(tensor, where, folder_);
  auto &file = files_[where.location];
  if (!file)
    try {
      file = std::make_shared<const MappedFile>(path);
    } catch (const error &e) {
      refuse(tensor, base::str("has its data in ", path, ", which ", e.what(), "."));
    }
  const auto bytes = static_cast<std::uint64_t>(info.nbytes());
  if (where.length && *where.length != bytes)
    refuse(tensor, base::str("is ", info, ", ", bytes, " bytes, but its external data has ",
                             *where.length, "."));
  if (where.offset > file->bytes().size() || bytes > file->bytes().size() - where.offset)
    refuse(tensor,
           base::str("needs ", bytes, " bytes from byte ", where.offset, " of ", path,
                     ", which has only ", file->bytes().size(), ". The file is truncated."));
  const char *data = file->bytes().data() + where.offset;
  if (where.offset % 8 == 0 && bytes)
    return HostTensor(info, data, file);
  return HostTensor(info, std::vector<char>(data, data + bytes)); // elements must be aligned
}

HostTensor TensorReader::read(const TensorProto &tensor) {
  const TensorInfo info = infoOf(tensor);
  if (tensor.has_segment())
    refuse(tensor, "is stored in segments, which ONNX leaves undefined.");
  if (isExternal(tensor))
    return readExternal(tensor, info);
  if (!tensor.has_raw_data())
    return fromFields(tensor, info);
  const auto outside = raw_.find(&tensor);
  const bool isOutside = outside != raw_.end();
  if (isOutside && file_)
    file_->requireUnchanged(outside->second.data());
  const std::string_view raw = isOutside ? outside->second : tensor.raw_data();
  if (static_cast<std::int64_t>(raw.size()) != info.nbytes())
    refuse(tensor,
           base::str("is ", info, ", ", info.nbytes(), " bytes, but has ", raw.size(), "."));
  if (const auto &owner = isOutside ? rawOwner_ : owner_; owner && !raw.empty())
    return HostTensor(info, raw.data(), owner);
  return HostTensor(info, std::vector<char>(raw.begin(), raw.end()));
}

namespace {

constexpr std::int64_t mostInFields = 1 << 20; // bytes

void header(TensorProto &tensor, const TensorInfo &info) {
  const std::string name = tensor.name();
  tensor.Clear();
  tensor.set_name(name);
  tensor.set_data_type(typeToOnnx(info.dataType()));
  for (auto dim : info.shape())
    tensor.add_dims(dim);
}
template <class T, class Field> void toField(Field &field, const TensorInfo &info, const void *p) {
  const auto *values = static_cast<const T *>(p);
  field.Reserve(static_cast<int>(info.nelms()));
  for (std::int64_t i = 0; i < info.nelms(); ++i)
    field.Add(static_cast<typename Field::value_type>(values[i]));
}
bool hasFields(const TensorProto &t) {
  return t.float_data_size() || t.int32_data_size() || t.int64_data_size() ||
         t.uint64_data_size() || t.double_data_size();
}

} // namespace

void writeFields(TensorProto &tensor, const TensorInfo &info, const void *data) {
  header(tensor, info);
  auto &int32s = *tensor.mutable_int32_data();
  if (info.nbytes() > mostInFields) {
    tensor.set_raw_data(data, static_cast<std::size_t>(info.nbytes()));
    return;
  }
  switch (info.dataType()) {
  case DataType::FLOAT:
    return toField<float>(*tensor.mutable_float_data(), info, data);
  case DataType::INT32:
    return toField<std::int32_t>(int32s, info, data);
  case DataType::INT64:
    return toField<std::int64_t>(*tensor.mutable_int64_data(), info, data);
  case DataType::UINT32:
    return toField<std::uint32_t>(*tensor.mutable_uint64_data(), info, data);
  case DataType::UINT64:
    return toField<std::uint64_t>(*tensor.mutable_uint64_data(), info, data);
  case DataType::FLOAT16:
    int32s.Resize(static_cast<int>((info.nelms() + 1) / 2), 0);
    if (info.nelms())
      std::memcpy(int32s.mutable_data(), data, static_cast<std::size_t>(info.nbytes()));
    return;
  case DataType::INT16:
    return toField<std::int16_t>(int32s, info, data);
  case DataType::UINT16:
    return toField<std::uint16_t>(int32s, info, data);
  case DataType::INT8:
    return toField<std::int8_t>(int32s, info, data);
  case DataType::UINT8:
    return toField<std::uint8_t>(int32s, info, data);
  case DataType::BOOL:
    return toField<bool>(int32s, info, data);
  default:
    tensor.set_raw_data(data, static_cast<std::size_t>(info.nbytes()));
  }
}

void write(TensorProto &tensor, const HostTensor &values) {
  if (hasFields(tensor))
    return writeFields(tensor, values.info(), values.data());
  header(tensor, values.info());
  tensor.set_raw_data(values.data(), values.bytes());
}

} // namespace popart::onnxmodel
