// SPDX-License-Identifier: MIT
// A program that uses namespace poplar has these names for itself: what is ours lies under
// poplar::openipu. Compiled, never run.
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/ProfileValue.hpp>
#include <poplar/Program.hpp>
#include <poplar/Quarter.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/VertexIntrospector.hpp>

using namespace poplar;
using namespace poplar::program;

struct Own {};
struct Access : Own {};
struct Node : Own {};
struct Part : Own {};
struct View : Own {};
struct Image : Own {};
#define OWN_NAMESPACE(name)                                                                        \
  namespace name {                                                                                 \
  struct Mine : Own {};                                                                            \
  }                                                                                                \
  name::Mine name##Mine();
OWN_NAMESPACE(backend)
OWN_NAMESPACE(codelet)
OWN_NAMESPACE(compile)
OWN_NAMESPACE(detail)
OWN_NAMESPACE(device)
OWN_NAMESPACE(engine)
OWN_NAMESPACE(executable)
OWN_NAMESPACE(graph)
OWN_NAMESPACE(internal)
OWN_NAMESPACE(options)
OWN_NAMESPACE(profile)
OWN_NAMESPACE(tensor)
OWN_NAMESPACE(types)

Own ownTypes(Access access, Node node, Part, View, Image) {
  return sizeof(access) == sizeof(node) ? Own(access) : Own(node);
}

// The element types are variables: references to them need not be const.
void setType(poplar::Type &type);
void bindTypes() {
  setType(FLOAT);
  Type &half = HALF;
  setType(half);
}
