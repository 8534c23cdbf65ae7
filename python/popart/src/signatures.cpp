// SPDX-License-Identifier: MIT
#include "signatures.hpp"

using py::detail::function_record;

function_record *recordIn(PyObject *self) {
#if PYBIND11_VERSION_MAJOR >= 3
  return self ? py::detail::function_record_ptr_from_PyObject(self) : nullptr;
#else
  if (!self || !PyCapsule_CheckExact(self))
    return nullptr;
  return py::reinterpret_borrow<py::capsule>(self).get_pointer<function_record>();
#endif
}
function_record *recordOf(PyObject *function) {
  return function && PyCFunction_Check(function) ? recordIn(PyCFunction_GET_SELF(function))
                                                 : nullptr;
}

namespace {

bool isEnumerator(const py::handle &value) {
  return py::hasattr(py::type::handle_of(value), "__members__");
}
// A value that a reader of the signature can make sense of, and ast.literal_eval too.
bool isLiteral(const py::handle &value) {
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return py::len(value) == 0;
  if (py::isinstance<py::float_>(value))
    return std::isfinite(value.cast<double>());
  return value.is_none() || py::isinstance<py::int_>(value) || py::isinstance<py::str>(value);
}
std::string literal(const py::handle &value) {
  if (py::isinstance<popart::DebugContext>(value))
    return "''";
  return py::repr(isLiteral(value) ? py::reinterpret_borrow<py::object>(value)
                                   : py::object(py::str(shown(value))));
}

std::string nameOf(const function_record &record, std::size_t i) {
  if (i < record.args.size() && record.args[i].name)
    return record.args[i].name;
  return record.is_method && i == 0 ? "self" : "arg" + std::to_string(i - record.is_method);
}

// Types without the module's name, in today's words; pybind11 has others from version 3 on.
std::string cleaned(std::string type) {
  static const std::pair<const char *, const char *> words[] = {
      {"popart_core.", ""},
      {"typing.SupportsInt | typing.SupportsIndex", "int"},
      {"typing.SupportsFloat | typing.SupportsIndex", "float"},
      {"typing.SupportsInt", "int"},
      {"typing.SupportsFloat", "float"},
      {"Iterator[str]", "Iterator"},
      {"collections.abc.Sequence[", "list["},
      {"collections.abc.Mapping[", "dict["},
      {"collections.abc.", ""},
      {"List[", "list["},
      {"Dict[", "dict["},
      {"Set[", "set["},
      {"Tuple[", "tuple["},
      {"Iterator", "Iterator[str]"}};
  for (const auto &[from, to] : words)
    for (std::size_t at = 0; (at = type.find(from, at)) != std::string::npos;) {
      type.replace(at, std::strlen(from), to);
      at += std::strlen(to);
    }
  return type;
}

// pybind11's text is "(self: A, x: B = default) -> C"; types have no " = ", defaults may have
// anything.
Form formOf(const function_record &record) {
  Form form;
  form.doc = record.doc ? record.doc : "";
  const std::string text = record.signature;
  std::size_t at = 1;
  const std::size_t count = record.nargs;
  for (std::size_t i = 0; i < count; ++i) {
    const bool star = text.compare(at, 1, "*") == 0;
    if (star) { // *args, **kwargs
      const auto end = text.find_first_of(",)", at);
      form.parameters.push_back({text.substr(at, end - at), "", {}});
      at = end + 2;
      continue;
    }
    const auto name = nameOf(record, i);
    const auto from = at + name.size() + 2;
    auto next = text.rfind(") -> ");
    if (i + 1 < count) {
      const auto comma = text.find(", " + nameOf(record, i + 1) + ": ", from);
      next = comma != std::string::npos ? comma : text.find(", *", from);
    }
    const auto type = text.substr(from, std::min(text.find(" = ", from), next) - from);
    Parameter p{name, name == "self" ? "" : cleaned(type), {}};
    if (i < record.args.size() && record.args[i].value)
      p.value = py::reinterpret_borrow<py::object>(record.args[i].value);
    form.parameters.push_back(std::move(p));
    at = next + 2;
  }
  form.returns = cleaned(text.substr(text.rfind(") -> ") + 5));
  return form;
}

} // namespace

std::vector<Form> formsOf(const function_record *record) {
  std::vector<Form> out;
  for (; record; record = record->next)
    out.push_back(formOf(*record));
  return out;
}

std::string plainSignature(const std::vector<Form> &forms, bool method) {
  if (forms.size() != 1)
    return method ? "(self, *args, **kwargs)" : "(*args, **kwargs)";
  std::string out;
  for (const auto &p : forms[0].parameters)
    out += (out.empty() ? "" : ", ") + p.name + (p.value ? "=" + literal(p.value) : "");
  return "(" + out + ")";
}

std::string typedSignature(const Form &form) {
  std::string out;
  for (const auto &p : form.parameters) {
    out += (out.empty() ? "" : ", ") + p.name + (p.type.empty() ? "" : ": " + p.type);
    if (!p.value)
      continue;
    const bool said = isEnumerator(p.value) || isLiteral(p.value) ||
                      py::isinstance<popart::DebugContext>(p.value);
    out += " = " + (isEnumerator(p.value) ? shown(p.value) : said ? literal(p.value) : "...");
  }
  return "(" + out + ") -> " + form.returns;
}
