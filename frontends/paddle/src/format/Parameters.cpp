// SPDX-License-Identifier: MIT
// A tensor in a parameter file, little endian:
//   uint32 0 | uint64 levels | levels * (uint64 bytes, offsets) | uint32 0 | int32 n | TensorDesc |
//   data
#include "format/Files.hpp"

#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "ir/hosttensor.hpp"
#include <map>

namespace paddleipu {

namespace {

// Says what it reads when there is too little of it.
class Reader : public base::ByteReader {
public:
  Reader(std::string_view bytes, const std::string &where) : ByteReader(bytes), where_(where) {}
  std::string name; // of the tensor that is read

  template <class T> T number(const char *what) {
    need(sizeof(T), what);
    return ByteReader::number<T>();
  }
  std::string_view take(std::uint64_t size, const char *what) {
    need(size, what);
    return raw(size);
  }
  [[noreturn]] void fail(const std::string &why) const {
    throw FileError(base::str("The parameters in ", where_, " are damaged at byte ", position(),
                              ", in \"", name, "\": ", why,
                              ". They must be those that were saved together with the program."));
  }

private:
  void need(std::uint64_t size, const char *what) const {
    if (size > left())
      fail(base::str(what, " needs ", size, " bytes, and ", left(), " are left"));
  }
  std::string where_;
};

void skipLevels(Reader &r) {
  const auto levels = r.number<std::uint64_t>("the number of levels");
  if (levels > 8)
    r.fail(base::str("it has ", levels, " levels of sequences"));
  for (std::uint64_t i = 0; i < levels; ++i)
    r.take(r.number<std::uint64_t>("a level"), "a level");
}

std::uint64_t sizeOf(Reader &r, const StoredTensor &tensor) {
  std::uint64_t size = bytesOf(tensor.type);
  if (size == 0)
    r.fail(base::str("its element type ", int(tensor.type), " has no values"));
  for (auto d : tensor.dims) {
    if (d < 0)
      r.fail(base::str("its dimension ", d, " is unknown"));
    if (d > 0 && size > r.left() / std::uint64_t(d) + 1)
      r.fail(base::str("its shape needs more than the ", r.left(), " bytes that are left"));
    size *= std::uint64_t(d);
  }
  return size;
}

StoredTensor readTensor(Reader &r) {
  StoredTensor out;
  out.name = r.name;
  if (const auto version = r.number<std::uint32_t>("the version"); version != 0)
    r.fail(base::str("its version is ", version, ", not 0"));
  skipLevels(r);
  if (const auto version = r.number<std::uint32_t>("the tensor's version"); version != 0)
    r.fail(base::str("its tensor's version is ", version, ", not 0"));
  const auto size = r.number<std::int32_t>("the size of the description");
  if (size < 0)
    r.fail(base::str("its description has ", size, " bytes"));
  const auto bytes = r.take(std::uint64_t(size), "the description");
  proto::VarType::TensorDesc desc;
  if (!desc.ParsePartialFromArray(bytes.data(), int(bytes.size())) || !desc.IsInitialized())
    r.fail("its description is no TensorDesc");
  out.type = desc.data_type();
  out.dims.assign(desc.dims().begin(), desc.dims().end());
  out.data = r.take(sizeOf(r, out), "the data");
  return out;
}

std::string text(const std::vector<std::int64_t> &dims) { return popart::ir::text(dims); }

void checkAgainst(const proto::VarDesc &var, const StoredTensor &tensor, const std::string &where) {
  const auto &told = var.type().lod_tensor().tensor();
  const std::vector<std::int64_t> dims(told.dims().begin(), told.dims().end());
  if (told.data_type() != tensor.type || dims != tensor.dims)
    throw FileError(base::str("The parameters in ", where, " do not fit the program: \"",
                              var.name(), "\" is ", nameOf(tensor.type), text(tensor.dims),
                              " there, and ", nameOf(told.data_type()), text(dims),
                              " in the program. Use the files that were saved together."));
}

} // namespace

std::vector<StoredTensor> readParameters(std::string_view bytes,
                                         const std::vector<std::string> &names,
                                         const std::string &where) {
  Reader r(bytes, where);
  std::vector<StoredTensor> out;
  for (const auto &name : names) {
    r.name = name;
    out.push_back(readTensor(r));
  }
  if (!r.atEnd())
    r.fail(
        base::str(r.left(), " bytes follow the last of the program's ", names.size(), " tensors"));
  return out;
}

std::vector<StoredTensor> readParameters(std::string_view bytes, const proto::ProgramDesc &program,
                                         const std::string &where) {
  auto out = readParameters(bytes, savedNames(program), where);
  std::map<std::string, const proto::VarDesc *> vars;
  for (const auto &var : program.blocks(0).vars())
    vars[var.name()] = &var;
  for (const auto &tensor : out)
    checkAgainst(*vars.at(tensor.name), tensor, where);
  return out;
}

std::string writeParameters(const std::vector<StoredTensor> &tensors) {
  base::ByteWriter out;
  for (const auto &tensor : tensors) {
    proto::VarType::TensorDesc desc;
    desc.set_data_type(tensor.type);
    for (auto d : tensor.dims)
      desc.add_dims(d);
    const auto bytes = desc.SerializeAsString();
    out.number(std::uint32_t(0));
    out.number(std::uint64_t(0));
    out.number(std::uint32_t(0));
    out.number(std::int32_t(bytes.size()));
    out.raw(bytes.data(), bytes.size());
    out.raw(tensor.data.data(), tensor.data.size());
  }
  return out.take();
}

} // namespace paddleipu
