// SPDX-License-Identifier: MIT
// Programs as Python sees them: dicts with the fields that are present, so that what is read and
// written again is the same bytes. Attributes are (name, type, value), with Paddle's numbers of
// types.
#include "bind.hpp"

using namespace paddleipu;

namespace {

template <class Field> py::list listOf(const Field &field) {
  py::list out;
  for (const auto &value : field)
    out.append(value);
  return out;
}

py::object valueOf(const proto::OpDesc::Attr &a) {
  switch (a.type()) {
  case proto::INT:
    return py::int_(a.i());
  case proto::FLOAT:
    return py::float_(double(a.f()));
  case proto::STRING:
    return py::str(a.s());
  case proto::INTS:
    return listOf(a.ints());
  case proto::FLOATS:
    return listOf(a.floats());
  case proto::STRINGS:
    return listOf(a.strings());
  case proto::BOOLEAN:
    return py::bool_(a.b());
  case proto::BOOLEANS:
    return listOf(a.bools());
  case proto::BLOCK:
    return py::int_(a.block_idx());
  case proto::LONG:
    return py::int_(a.l());
  case proto::BLOCKS:
    return listOf(a.blocks_idx());
  case proto::LONGS:
    return listOf(a.longs());
  case proto::FLOAT64S:
    return listOf(a.float64s());
  case proto::VAR:
    return py::str(a.var_name());
  case proto::VARS:
    return listOf(a.vars_name());
  case proto::FLOAT64:
    return py::float_(a.float64());
  }
  return py::none();
}

template <class T, class Add> void addAll(const py::handle &values, Add add) {
  for (const auto &value : values)
    add(value.cast<T>());
}

void setValue(proto::OpDesc::Attr &a, const py::handle &v) {
  switch (a.type()) {
  case proto::INT:
    return a.set_i(v.cast<std::int32_t>());
  case proto::FLOAT:
    return a.set_f(v.cast<float>());
  case proto::STRING:
    return a.set_s(v.cast<std::string>());
  case proto::INTS:
    return addAll<std::int32_t>(v, [&](auto x) { a.add_ints(x); });
  case proto::FLOATS:
    return addAll<float>(v, [&](auto x) { a.add_floats(x); });
  case proto::STRINGS:
    return addAll<std::string>(v, [&](auto x) { a.add_strings(x); });
  case proto::BOOLEAN:
    return a.set_b(v.cast<bool>());
  case proto::BOOLEANS:
    return addAll<bool>(v, [&](auto x) { a.add_bools(x); });
  case proto::BLOCK:
    return a.set_block_idx(v.cast<std::int32_t>());
  case proto::LONG:
    return a.set_l(v.cast<std::int64_t>());
  case proto::BLOCKS:
    return addAll<std::int32_t>(v, [&](auto x) { a.add_blocks_idx(x); });
  case proto::LONGS:
    return addAll<std::int64_t>(v, [&](auto x) { a.add_longs(x); });
  case proto::FLOAT64S:
    return addAll<double>(v, [&](auto x) { a.add_float64s(x); });
  case proto::VAR:
    return a.set_var_name(v.cast<std::string>());
  case proto::VARS:
    return addAll<std::string>(v, [&](auto x) { a.add_vars_name(x); });
  case proto::FLOAT64:
    return a.set_float64(v.cast<double>());
  }
}

template <class Slots> py::list slotsOf(const Slots &slots) {
  py::list out;
  for (const auto &slot : slots)
    out.append(py::make_tuple(slot.parameter(), listOf(slot.arguments())));
  return out;
}
template <class Add> void setSlots(const py::handle &slots, Add add) {
  for (const auto &entry : slots) {
    const auto pair = entry.cast<py::tuple>();
    auto *slot = add();
    slot->set_parameter(pair[0].cast<std::string>());
    addAll<std::string>(pair[1], [&](const auto &name) { slot->add_arguments(name); });
  }
}

} // namespace

py::dict describeOperator(const proto::OpDesc &op) {
  py::dict out;
  out["type"] = op.type();
  out["inputs"] = slotsOf(op.inputs());
  out["outputs"] = slotsOf(op.outputs());
  py::list attrs;
  for (const auto &a : op.attrs())
    attrs.append(py::make_tuple(a.name(), int(a.type()), valueOf(a)));
  out["attrs"] = attrs;
  if (op.has_is_target())
    out["is_target"] = op.is_target();
  return out;
}

namespace {

py::dict describe(const proto::VarDesc &var) {
  py::dict out;
  out["name"] = var.name();
  out["type"] = int(var.type().type());
  if (var.type().has_lod_tensor()) {
    const auto &lod = var.type().lod_tensor();
    out["dtype"] = int(lod.tensor().data_type());
    out["shape"] = listOf(lod.tensor().dims());
    if (lod.has_lod_level())
      out["lod_level"] = lod.lod_level();
  }
  if (var.has_persistable())
    out["persistable"] = var.persistable();
  if (var.has_need_check_feed())
    out["need_check_feed"] = var.need_check_feed();
  if (var.has_is_parameter())
    out["is_parameter"] = var.is_parameter();
  if (var.has_stop_gradient())
    out["stop_gradient"] = var.stop_gradient();
  return out;
}

void fillVariable(proto::VarDesc &to, const py::dict &var) {
  to.set_name(var["name"].cast<std::string>());
  to.mutable_type()->set_type(proto::VarType::Type(var["type"].cast<int>()));
  if (var.contains("dtype")) {
    auto *lod = to.mutable_type()->mutable_lod_tensor();
    lod->mutable_tensor()->set_data_type(proto::VarType::Type(var["dtype"].cast<int>()));
    addAll<std::int64_t>(var["shape"], [&](auto d) { lod->mutable_tensor()->add_dims(d); });
    if (var.contains("lod_level"))
      lod->set_lod_level(var["lod_level"].cast<int>());
  }
  if (var.contains("persistable"))
    to.set_persistable(var["persistable"].cast<bool>());
  if (var.contains("need_check_feed"))
    to.set_need_check_feed(var["need_check_feed"].cast<bool>());
  if (var.contains("is_parameter"))
    to.set_is_parameter(var["is_parameter"].cast<bool>());
  if (var.contains("stop_gradient"))
    to.set_stop_gradient(var["stop_gradient"].cast<bool>());
}

py::dict describe(const proto::ProgramDesc &program) {
  py::list blocks;
  for (const auto &block : program.blocks()) {
    py::dict one;
    py::list vars, ops;
    for (const auto &var : block.vars())
      vars.append(describe(var));
    for (const auto &op : block.ops())
      ops.append(describeOperator(op));
    one["idx"] = block.idx();
    one["parent_idx"] = block.parent_idx();
    one["vars"] = vars;
    one["ops"] = ops;
    if (block.has_forward_block_idx())
      one["forward_block_idx"] = block.forward_block_idx();
    blocks.append(one);
  }
  py::dict out;
  out["blocks"] = blocks;
  if (program.has_version())
    out["version"] = program.version().version();
  if (program.has_op_version_map()) {
    py::list versions;
    for (const auto &pair : program.op_version_map().pair())
      versions.append(py::make_tuple(pair.op_name(), pair.op_version().version()));
    out["op_versions"] = versions;
  }
  return out;
}

proto::ProgramDesc programFrom(const py::dict &program) {
  proto::ProgramDesc out;
  for (const auto &entry : program["blocks"]) {
    const auto block = entry.cast<py::dict>();
    auto *to = out.add_blocks();
    to->set_idx(block["idx"].cast<int>());
    to->set_parent_idx(block["parent_idx"].cast<int>());
    for (const auto &var : block["vars"])
      fillVariable(*to->add_vars(), var.cast<py::dict>());
    for (const auto &op : block["ops"])
      *to->add_ops() = operatorFrom(op.cast<py::dict>());
    if (block.contains("forward_block_idx"))
      to->set_forward_block_idx(block["forward_block_idx"].cast<int>());
  }
  if (program.contains("version"))
    out.mutable_version()->set_version(program["version"].cast<std::int64_t>());
  if (program.contains("op_versions")) {
    out.mutable_op_version_map();
    for (const auto &entry : program["op_versions"]) {
      const auto pair = entry.cast<py::tuple>();
      auto *to = out.mutable_op_version_map()->add_pair();
      to->set_op_name(pair[0].cast<std::string>());
      to->mutable_op_version()->set_version(pair[1].cast<int>());
    }
  }
  return out;
}

} // namespace

proto::OpDesc operatorFrom(const py::dict &op) {
  proto::OpDesc out;
  out.set_type(op["type"].cast<std::string>());
  setSlots(op["inputs"], [&] { return out.add_inputs(); });
  setSlots(op["outputs"], [&] { return out.add_outputs(); });
  for (const auto &entry : op["attrs"]) {
    const auto attr = entry.cast<py::tuple>();
    auto *to = out.add_attrs();
    to->set_name(attr[0].cast<std::string>());
    to->set_type(proto::AttrType(attr[1].cast<int>()));
    try {
      setValue(*to, attr[2]);
    } catch (const py::cast_error &) {
      throw py::type_error("The attribute " + to->name() + " of " + out.type() + " cannot be " +
                           py::repr(attr[2]).cast<std::string>() + ".");
    }
  }
  if (op.contains("is_target"))
    out.set_is_target(op["is_target"].cast<bool>());
  return out;
}

void bindDescriptions(py::module &m) {
  m.def("write_program",
        [](const py::dict &program) { return py::bytes(writeProgram(programFrom(program))); });
  m.def("read_program", [](const py::bytes &bytes, const std::string &where) {
    return describe(readProgram(std::string_view(bytes), where));
  });
}
