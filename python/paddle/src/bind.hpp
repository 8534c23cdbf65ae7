// SPDX-License-Identifier: MIT
// What the binding files share. A program goes between Python and C++ as the bytes of its file, or
// as plain dicts and lists (descriptions.cpp).
#pragma once
#include "format/Files.hpp"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

namespace py = pybind11;

paddleipu::proto::OpDesc operatorFrom(const py::dict &op);
py::dict describeOperator(const paddleipu::proto::OpDesc &op);
void bindDescriptions(py::module &m);
void bindFiles(py::module &m);
void bindConversion(py::module &m);
void bindPredictor(py::module &m);
