// SPDX-License-Identifier: MIT
// A map inside an object as Python sees it: what is assigned to an item is written into the map
// itself. popart/__init__.py adds the rest of what a dict can do.
#pragma once
#include "bind.hpp"

template <class Map> struct MapView { Map *map; };

template <class Map> void bindMapView(py::module &m, const char *name) {
  using View = MapView<Map>;
  using Value = typename Map::mapped_type;
  const auto find = [](const View &v, const std::string &key) {
    const auto it = v.map->find(key);
    if (it == v.map->end())
      throw py::key_error(key);
    return it;
  };
  py::class_<View>(m, name, "A map among the options, with the methods of a dict.")
      .def(
          "__getitem__",
          [find](View &v, const std::string &key) -> Value & { return find(v, key)->second; },
          py::return_value_policy::reference_internal)
      .def("__setitem__",
           [](View &v, const std::string &key, const Value &value) { (*v.map)[key] = value; })
      .def("__delitem__", [find](View &v, const std::string &key) { v.map->erase(find(v, key)); })
      .def("__len__", [](const View &v) { return v.map->size(); })
      .def("__repr__", [](const View &v) { return std::string(py::repr(py::cast(*v.map))); })
      .def(
          "__iter__", [](View &v) { return py::make_key_iterator(v.map->begin(), v.map->end()); },
          py::keep_alive<0, 1>());
}

// The field as such a view; any mapping can be assigned to it.
template <class Class, class Owner, class Map>
void mapProperty(Class &c, const char *name, Map Owner::*field) {
  c.def_property(name,
                 py::cpp_function([field](Owner &o) { return MapView<Map>{&(o.*field)}; },
                                  py::keep_alive<0, 1>()),
                 py::cpp_function([field](Owner &o, const py::object &values) {
                   if (!py::hasattr(values, "keys"))
                     throw py::type_error("The value of this option must be a dict, not " +
                                          shown(values) + ".");
                   o.*field = py::dict(values).cast<Map>();
                 }));
}
