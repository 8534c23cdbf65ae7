// SPDX-License-Identifier: MIT
// The subjects of the table, in the order it shows them. Each is one file.
#pragma once
#include "Bench.hpp"

namespace bench {

std::vector<Row> steps();    // Steps.cpp     the cost of one step of a tight loop
std::vector<Row> triad();    // Triad.cpp     explicit vertices streaming through memory
std::vector<Row> graphs();   // Graphs.cpp    building and compiling many vertices
std::vector<Row> copies();   // Copies.cpp    compiling many copies of one variable
std::vector<Row> views();    // Views.cpp     copying and making views of a large tensor
std::vector<Row> codelets(); // Codelets.cpp  compiling a codelet source
std::vector<Row> machine();  // Machine.cpp   tools and attaching, with 64 processes
std::vector<Row> between();  // Between.cpp   collectives of two processes, beside Open MPI
// Operators.cpp
std::vector<Row> matmuls();           // beside OpenBLAS and oneDNN
std::vector<Row> convolutions();      // beside oneDNN and torch
std::vector<Row> elementWise();       // beside plain loops
std::vector<Row> rowsAndReductions(); // beside torch
std::vector<Row> manyOperators();     // building and compiling
// Models.cpp, Compile.cpp
std::vector<Row> trainedModels();  // beside torch
std::vector<Row> inferredModels(); // beside torch and ONNX Runtime
std::vector<Row> compileModels();  // until they are ready to run
std::vector<Row> modelMemory();    // beside torch
std::vector<Row> scaling();        // with 1, 2, 4, ... threads, peers with as many
inline std::vector<Row> models() {
  std::vector<Row> rows;
  for (auto *part : {trainedModels, inferredModels, compileModels, modelMemory})
    for (auto &row : part())
      rows.push_back(row);
  return rows;
}

std::vector<Row> poptorch();   // Poptorch.cpp  through PyTorch's front end, beside torch and PopART
std::vector<Row> paddle();     // Paddle.cpp    through Paddle's, beside PopART and ONNX Runtime
std::vector<Row> tensorflow(); // Tensorflow.cpp  through Keras', beside PopART and torch
std::vector<Row> recording();  // Recording.cpp what reports and traces cost
// The rows that a script in Python measures; `needs` is what it imports beside our packages.
std::vector<Row> scriptRows(const std::string &name, const std::string &file,
                            const std::string &needs);

// What the children do; they print numbers.
void graphsChild(std::size_t vertices);
void codeletsChild(const std::string &file);
void compileChild(const std::string &model, const std::string &cache);
void memoryChild();
void scalingChild();
void recordChild(const std::string &model, int steps);
void machineChild(const std::vector<std::string> &words);

struct Subject {
  std::string name;
  std::function<std::vector<Row>()> measure;
};
inline std::vector<Subject> subjects() {
  return {{"steps", steps},
          {"triad", triad},
          {"graphs", graphs},
          {"copies", copies},
          {"views", views},
          {"codelets", codelets},
          {"machine", machine},
          {"between", between},
          {"matmul", matmuls},
          {"convolution", convolutions},
          {"elementwise", elementWise},
          {"rows", rowsAndReductions},
          {"operators", manyOperators},
          {"models", models},
          {"poptorch", poptorch},
          {"paddle", paddle},
          {"tensorflow", tensorflow},
          {"recording", recording}};
}

} // namespace bench
