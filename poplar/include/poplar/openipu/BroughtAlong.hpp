// SPDX-License-Identifier: MIT
// Standard headers that existing programs use after including Poplar's and nothing else. Our own
// headers and sources include what they use themselves.
#pragma once
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <unordered_set>
#if __cplusplus >= 201703L
#include <optional>
#endif
