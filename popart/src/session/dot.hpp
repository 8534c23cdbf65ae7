// SPDX-License-Identifier: MIT
// Pictures of a model on its way through the passes (SessionOptions::dotChecks, logDir): one
// Graphviz file per check, fwd0.dot to final.dot.
#pragma once
#include "ir/graph.hpp"
#include <popart/sessionoptions.hpp>

namespace popart::session {

enum class DotCheck { Fwd0, Fwd1, Bwd0, PreAlias, Final };

// Throws popart::error for names of checks that do not exist.
void checkDotOptions(const SessionOptions &options);
// Whether the options or POPART_DOT_CHECKS ask for this check.
bool wantsDot(const SessionOptions &options, DotCheck check);
// Writes the file if they do.
void writeDot(const ir::Graph &graph, const SessionOptions &options, DotCheck check);
// The text itself: nodes first to last as boxes, values as edges.
std::string dotText(const ir::Graph &graph, int first, int last, bool outputNames);

} // namespace popart::session
