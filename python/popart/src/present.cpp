// SPDX-License-Identifier: MIT
// What Python shows of the module, and what it says when a call does not fit: for every bound
// function a signature that inspect reads, a docstring, and errors in Python's words; for every
// class a representation, and a clear refusal to be copied unless it can be.
#include "optiondocs.hpp"
#include "signatures.hpp"

using py::detail::function_record;

std::string shown(const py::handle &value) {
  const bool enumerator = py::hasattr(py::type::handle_of(value), "__members__");
  return enumerator ? py::str(value) : py::repr(value);
}

namespace {

PyCFunctionWithKeywords dispatcher = nullptr; // pybind11's

// Made by X.__new__(X) alone: pybind11 would hand out memory that nobody has set up.
bool unfinished(PyObject *object) {
  static auto *const base =
      reinterpret_cast<PyTypeObject *>(py::detail::get_internals().instance_base);
  if (!PyObject_TypeCheck(object, base))
    return false;
  const auto *instance = reinterpret_cast<py::detail::instance *>(object);
  return instance->simple_layout && !instance->simple_value_holder[0];
}
bool refuseUnfinished(const function_record &record, PyObject *args, PyObject *kwargs) {
  const bool makes = record.is_constructor || record.is_new_style_constructor;
  const auto refuse = [](PyObject *object) {
    PyErr_Format(PyExc_TypeError, "This %s was never made: its __init__ has not been called.",
                 Py_TYPE(object)->tp_name);
    return true;
  };
  for (Py_ssize_t i = makes; i < PyTuple_GET_SIZE(args); ++i)
    if (unfinished(PyTuple_GET_ITEM(args, i)))
      return refuse(PyTuple_GET_ITEM(args, i));
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; kwargs && PyDict_Next(kwargs, &at, &key, &value);)
    if (unfinished(value))
      return refuse(value);
  return false;
}

// pybind11 lists all overloads in C++'s terms; popart.arguments finds what is wrong.
void rephrase(const function_record &record, PyObject *args, PyObject *kwargs) {
  py::error_scope held; // the error as it is, unless a better text is found
  const std::string text = py::str(py::handle(held.value));
  if (text.find("incompatible ") == std::string::npos)
    return;
  try {
    py::list forms;
    for (const auto &form : formsOf(&record)) {
      py::list parameters;
      for (const auto &p : form.parameters)
        parameters.append(py::make_tuple(p.name, p.type, bool(p.value)));
      forms.append(parameters);
    }
    const bool makes = record.is_constructor || record.is_new_style_constructor;
    const py::object name =
        makes ? py::type::handle_of(PyTuple_GET_ITEM(args, 0)).attr("__name__").cast<py::object>()
              : py::object(py::str(record.name));
    py::object message = py::module_::import("popart.arguments")
                             .attr("explain")(name, forms, py::handle(args),
                                              kwargs ? py::handle(kwargs) : py::handle(py::dict()));
    Py_XDECREF(std::exchange(held.value, message.release().ptr()));
  } catch (py::error_already_set &) {
  }
}

PyObject *call(PyObject *self, PyObject *args, PyObject *kwargs) {
  const auto *record = recordIn(self);
  if (refuseUnfinished(*record, args, kwargs))
    return nullptr;
  PyObject *result = dispatcher(self, args, kwargs);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError))
    rephrase(*record, args, kwargs);
  return result;
}

// Later versions of pybind11 take arguments as an array, the names of the last ones apart.
using Fast = PyObject *(*)(PyObject *, PyObject *const *, Py_ssize_t, PyObject *);
Fast fastDispatcher = nullptr;

PyObject *callFast(PyObject *self, PyObject *const *args, Py_ssize_t count, PyObject *names) {
  const auto *record = recordIn(self);
  const py::tuple plain(static_cast<std::size_t>(count));
  for (Py_ssize_t i = 0; i < count; ++i)
    plain[std::size_t(i)] = py::handle(args[i]);
  py::dict named;
  for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); ++i)
    named[py::handle(PyTuple_GET_ITEM(names, i))] = py::handle(args[count + i]);
  if (refuseUnfinished(*record, plain.ptr(), named.ptr()))
    return nullptr;
  PyObject *result = fastDispatcher(self, args, count, names);
  if (!result && PyErr_ExceptionMatches(PyExc_TypeError))
    rephrase(*record, plain.ptr(), named.ptr());
  return result;
}

std::string docOf(const std::string &name, const std::vector<Form> &forms) {
  std::string doc, list;
  for (const auto &form : forms) {
    doc = doc.empty() ? form.doc : doc;
    list += "\n    " + name + typedSignature(form);
  }
  return doc.empty() ? "" : doc + "\n" + list;
}

void presentFunction(PyObject *function) {
  auto *record = recordOf(function);
  auto *definition = record ? reinterpret_cast<PyCFunctionObject *>(function)->m_ml : nullptr;
  if (!record)
    return;
  auto *const theirs = reinterpret_cast<void *>(definition->ml_meth);
  if (theirs == reinterpret_cast<void *>(&call) || theirs == reinterpret_cast<void *>(&callFast))
    return;
  const auto forms = formsOf(record);
  const std::string name = record->name;
  const auto text =
      name + plainSignature(forms, record->is_method) + "\n--\n\n" + docOf(name, forms);
  std::free(const_cast<char *>(definition->ml_doc));
  definition->ml_doc = strdup(text.c_str()); // which pybind11 frees
  const bool fast = definition->ml_flags & METH_FASTCALL;
  if (fast)
    fastDispatcher = reinterpret_cast<Fast>(theirs);
  else
    dispatcher = reinterpret_cast<PyCFunctionWithKeywords>(theirs);
  auto *const ours = fast ? reinterpret_cast<void *>(&callFast) : reinterpret_cast<void *>(&call);
  definition->ml_meth = reinterpret_cast<PyCFunction>(ours);
}

py::object unwrapped(const py::handle &member) {
  if (PyInstanceMethod_Check(member.ptr()))
    return py::reinterpret_borrow<py::object>(PyInstanceMethod_GET_FUNCTION(member.ptr()));
  if (py::isinstance(member, py::handle(reinterpret_cast<PyObject *>(&PyStaticMethod_Type))))
    return member.attr("__func__");
  return py::reinterpret_borrow<py::object>(member);
}
bool isProperty(const py::handle &member) {
  return PyObject_TypeCheck(member.ptr(), &PyProperty_Type);
}

// ---- classes

// Settings: the fields that are not as a new object has them.
std::string fieldsOf(const py::object &self) {
  const auto type = py::type::of(self);
  py::object fresh;
  try {
    fresh = type();
  } catch (py::error_already_set &) { // needs arguments: every field is shown
  }
  std::string out;
  for (const auto &[key, member] : py::dict(type.attr("__dict__"))) {
    const std::string name = py::str(key);
    if (!isProperty(member) || name[0] == '_')
      continue;
    const auto value = shown(py::handle(self.attr(name.c_str())));
    if (!fresh || value != shown(py::handle(fresh.attr(name.c_str()))))
      out += (out.empty() ? "" : ", ") + name + "=" + value;
  }
  return py::str(type.attr("__name__")).cast<std::string>() + "(" + out + ")";
}

void setDoc(PyTypeObject *type, const std::string &signature, const std::string &doc) {
  const auto text = signature + doc;
  auto *own = static_cast<char *>(PyObject_Malloc(text.size() + 1));
  std::memcpy(own, text.c_str(), text.size() + 1);
  PyObject_Free(const_cast<char *>(type->tp_doc));
  type->tp_doc = own;
  PyDict_SetItemString(type->tp_dict, "__doc__", py::str(doc).ptr());
  PyType_Modified(type);
}

// What classes of settings show of themselves, and what no class can unless it says so.
void complete(const py::object &c) {
  if (py::hasattr(c, "__members__")) // enumerations have it all
    return;
  if (py::str(c.attr("__repr__")).cast<std::string>().find("slot") != std::string::npos)
    c.attr("__repr__") = py::cpp_function(&fieldsOf, py::name("__repr__"), py::is_method(c));
  c.attr("__reduce_ex__") = py::cpp_function(
      [](const py::object &self, int) -> py::object {
        const std::string name = py::str(py::type::of(self).attr("__name__"));
        throw py::type_error(name + " objects cannot be " +
                             (py::hasattr(self, "__copy__") ? "pickled." : "copied or pickled."));
      },
      py::name("__reduce_ex__"), py::is_method(c), py::arg("protocol"));
}

void presentClass(const py::object &c) {
  complete(c);
  auto *type = reinterpret_cast<PyTypeObject *>(c.ptr());
  const py::dict members(c.attr("__dict__"));
  for (const auto &[name, member] : members) {
    if (!isProperty(member)) {
      presentFunction(unwrapped(member).ptr());
      continue;
    }
    presentFunction(unwrapped(member.attr("fget")).ptr());
    presentFunction(unwrapped(member.attr("fset")).ptr());
  }
  const std::string name = py::str(c.attr("__name__"));
  std::string doc = type->tp_doc ? type->tp_doc : "", parameters = "(*args, **kwargs)";
  if (members.contains("__members__")) {
    doc += "\n\nMembers: ";
    for (const auto &member : py::dict(c.attr("__members__")))
      doc += (doc.back() == ' ' ? "" : ", ") + std::string(py::str(member.first));
  }
  if (members.contains("__init__")) {
    auto forms = formsOf(recordOf(unwrapped(members["__init__"]).ptr()));
    for (auto &form : forms)
      form.parameters.erase(form.parameters.begin());
    parameters = plainSignature(forms, false);
  }
  setDoc(type, name + parameters + "\n--\n\n", doc);
}

// The table of options says what each does.
void presentOptions(const py::module &m) {
  for (const auto &[path, doc] : optionDocs()) {
    const auto dot = path.find('.');
    std::string owner = dot == std::string::npos ? "SessionOptions" : path.substr(0, dot);
    owner[0] = char(std::toupper(owner[0]));
    const auto field = path.substr(dot == std::string::npos ? 0 : dot + 1);
    if (!py::hasattr(m, owner.c_str()) || !py::hasattr(m.attr(owner.c_str()), field.c_str()))
      continue;
    m.attr(owner.c_str()).attr(field.c_str()).attr("__doc__") = doc;
    const py::object whole = m.attr("SessionOptions").attr(path.substr(0, dot).c_str());
    if (dot != std::string::npos && !py::len(whole.attr("__doc__")))
      whole.attr("__doc__") = "See its fields.";
  }
}

} // namespace

void present(py::module &m) {
  m.def(
      "_forms",
      [](const py::object &function) {
        std::vector<std::string> out;
        for (const auto &form : formsOf(recordOf(unwrapped(function).ptr())))
          out.push_back(typedSignature(form));
        return out;
      },
      py::arg("function"), "The typed signatures of a bound function, for stubs.");
  for (const auto &[name, member] : py::dict(m.attr("__dict__"))) {
    if (PyType_Check(member.ptr()) &&
        py::isinstance(member, py::handle(reinterpret_cast<PyObject *>(
                                   py::detail::get_internals().default_metaclass))))
      presentClass(py::reinterpret_borrow<py::object>(member));
    else
      presentFunction(member.ptr());
  }
  presentOptions(m);
}
