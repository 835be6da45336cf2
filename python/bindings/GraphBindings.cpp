// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise.torch records thousands of ops before a program runs; here is what it keeps of them.
// What an op means is nothing to this file: it holds objects of Python.
//
// The types are none of nanobind's, for two reasons:
//
// 1. Python's garbage collector does not look at their objects. They live until the program runs,
//    which the collector takes for a sign that memory grows: it would walk all objects of the
//    process every few steps. Nodes refer to earlier nodes only, so they have no cycles to find.
// 2. They have fields, which Python reads without a call.
//
// A chain of nodes is as long as the user's loop. Freeing it node by node must not recurse.

#include "GraphBindings.h"

#include <algorithm>
#include <cstddef>
#include <structmember.h>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace shardwise::python {
namespace {

using Inputs = std::vector<PyObject *>;

struct Node {
  PyObject_HEAD;
  PyObject *spec, *scalars, *meta, *data, *layout, *site, *wanted, *manual, *owner, *host;
  PyObject *weakReferences;
  Inputs *inputs;
  long long seq, arrival;
  /// The last walks that came by here, and the place that the last of them gave.
  long long seen, placed, place;
};

struct Storage {
  PyObject_HEAD;
  PyObject *node, *meta, *annotation, *home;
  PyObject *weakReferences;
  long long version;
  char chosen;
  /// Neighbours in the ring of those that are pending; none if it is not.
  Storage *before, *behind;
};

PyTypeObject *nodeType = nullptr;
PyTypeObject *storageType = nullptr;
long long nextSeq = 0;
long long walks = 0;
/// The ring of pending storages.
Storage ring;

bool isNothing(PyObject *object) {
  return object == nullptr || object == Py_None;
}
bool isNode(PyObject *object) {
  return object != nullptr && PyObject_TypeCheck(object, nodeType) != 0;
}
bool isLeaf(const Node *node) {
  return isNothing(node->spec);
}
Node *asNode(PyObject *object) {
  return reinterpret_cast<Node *>(object);
}
Storage *asStorage(PyObject *object) {
  return reinterpret_cast<Storage *>(object);
}

/// The new list of inputs that a sequence gives; null with an error if something else is in it.
Inputs *readInputs(PyObject *sequence) {
  nb::object fast = nb::steal(PySequence_Fast(sequence, "inputs are a list of nodes"));
  if (!fast.is_valid())
    return nullptr;
  Py_ssize_t count = PySequence_Fast_GET_SIZE(fast.ptr());
  PyObject **items = PySequence_Fast_ITEMS(fast.ptr());
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (!isNode(items[i])) {
      PyErr_Format(PyExc_TypeError, "an input is a node, not %R", items[i]);
      return nullptr;
    }
  }
  auto *inputs = new Inputs(items, items + count);
  for (PyObject *one : *inputs)
    Py_INCREF(one);
  return inputs;
}

/// Lets go of inputs, whose own go the same way: one after the other, however deep they are.
void releaseInputs(Inputs *inputs) {
  static Inputs waiting;
  static bool isBusy = false;
  if (inputs == nullptr)
    return;
  waiting.insert(waiting.end(), inputs->begin(), inputs->end());
  delete inputs;
  if (isBusy)
    return;
  isBusy = true;
  while (!waiting.empty()) {
    PyObject *one = waiting.back();
    waiting.pop_back();
    Py_DECREF(one);
  }
  isBusy = false;
}

// Nodes.

/// Whether a call has so many arguments, all by position; an error if not.
bool checkCall(const char *name, Py_ssize_t count, PyObject *names, Py_ssize_t least,
               Py_ssize_t most) {
  if (names != nullptr && PyTuple_GET_SIZE(names) != 0) {
    PyErr_Format(PyExc_TypeError, "%s takes its arguments by position", name);
    return false;
  }
  if (count >= least && count <= most)
    return true;
  PyErr_Format(PyExc_TypeError, "%s takes %zd to %zd arguments, got %zd", name, least, most, count);
  return false;
}

/// GraphNode(spec, inputs, scalars, meta, data=None, layout=None), by position.
PyObject *makeNode(PyObject *type, PyObject *const *args, size_t flags, PyObject *names) {
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (!checkCall("GraphNode", count, names, 4, 6))
    return nullptr;
  Inputs *inputs = readInputs(args[1]);
  if (inputs == nullptr)
    return nullptr;
  // Fields that are not set are null, which Python sees as None.
  PyObject *self = nodeType->tp_alloc(reinterpret_cast<PyTypeObject *>(type), 0);
  if (self == nullptr) {
    releaseInputs(inputs);
    return nullptr;
  }
  Node *node = asNode(self);
  node->spec = Py_NewRef(args[0]);
  node->scalars = Py_NewRef(args[2]);
  node->meta = Py_NewRef(args[3]);
  node->data = count > 4 ? Py_NewRef(args[4]) : nullptr;
  node->layout = count > 5 ? Py_NewRef(args[5]) : nullptr;
  node->inputs = inputs;
  node->seq = nextSeq++;
  node->arrival = -1;
  return self;
}

void freeNode(PyObject *self) {
  Node *node = asNode(self);
  if (node->weakReferences != nullptr)
    PyObject_ClearWeakRefs(self);
  for (PyObject *one : {node->spec, node->scalars, node->meta, node->data, node->layout, node->site,
                        node->wanted, node->manual, node->owner, node->host})
    Py_XDECREF(one);
  Inputs *inputs = node->inputs;
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
  releaseInputs(inputs);
}

PyObject *inputsOf(PyObject *self, void *) {
  const Inputs &inputs = *asNode(self)->inputs;
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(inputs.size()));
  for (size_t i = 0; tuple != nullptr && i < inputs.size(); ++i)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(i), Py_NewRef(inputs[i]));
  return tuple;
}

int setInputs(PyObject *self, PyObject *value, void *) {
  Inputs *inputs = value == nullptr ? new Inputs() : readInputs(value);
  if (inputs == nullptr)
    return -1;
  releaseInputs(std::exchange(asNode(self)->inputs, inputs));
  return 0;
}

#define SHARDWISE_OBJECT(type, name) {#name, T_OBJECT, offsetof(type, name), 0, nullptr}

PyMemberDef nodeMembers[] = {
    SHARDWISE_OBJECT(Node, spec),
    SHARDWISE_OBJECT(Node, scalars),
    SHARDWISE_OBJECT(Node, meta),
    SHARDWISE_OBJECT(Node, data),
    SHARDWISE_OBJECT(Node, layout),
    SHARDWISE_OBJECT(Node, site),
    SHARDWISE_OBJECT(Node, wanted),
    SHARDWISE_OBJECT(Node, manual),
    SHARDWISE_OBJECT(Node, owner),
    SHARDWISE_OBJECT(Node, host),
    {"seq", T_LONGLONG, offsetof(Node, seq), READONLY, nullptr},
    {"arrival", T_LONGLONG, offsetof(Node, arrival), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Node, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyGetSetDef nodeProperties[] = {{"inputs", inputsOf, setInputs, nullptr, nullptr},
                                {nullptr, nullptr, nullptr, nullptr, nullptr}};

// Storages.

void leaveRing(Storage *storage) {
  if (storage->before == nullptr)
    return;
  storage->before->behind = storage->behind;
  storage->behind->before = storage->before;
  storage->before = storage->behind = nullptr;
}

void joinRing(Storage *storage) {
  leaveRing(storage);
  storage->before = ring.before;
  storage->behind = &ring;
  ring.before->behind = storage;
  ring.before = storage;
}

/// GraphStorage(node, meta, is_pending=True), by position.
PyObject *makeStorage(PyObject *type, PyObject *const *args, size_t flags, PyObject *names) {
  Py_ssize_t count = PyVectorcall_NARGS(flags);
  if (!checkCall("GraphStorage", count, names, 2, 3))
    return nullptr;
  if (!isNode(args[0])) {
    PyErr_Format(PyExc_TypeError, "a storage has a node, not %R", args[0]);
    return nullptr;
  }
  PyObject *self = storageType->tp_alloc(reinterpret_cast<PyTypeObject *>(type), 0);
  if (self == nullptr)
    return nullptr;
  Storage *storage = asStorage(self);
  storage->node = Py_NewRef(args[0]);
  storage->meta = Py_NewRef(args[1]);
  if (!isLeaf(asNode(args[0])) && (count < 3 || PyObject_IsTrue(args[2]) == 1))
    joinRing(storage);
  return self;
}

void freeStorage(PyObject *self) {
  Storage *storage = asStorage(self);
  leaveRing(storage);
  if (storage->weakReferences != nullptr)
    PyObject_ClearWeakRefs(self);
  for (PyObject *one : {storage->node, storage->meta, storage->annotation, storage->home})
    Py_XDECREF(one);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Says that the node of the storage is to be computed.
PyObject *pend(PyObject *self, PyObject *) {
  joinRing(asStorage(self));
  Py_RETURN_NONE;
}

PyMemberDef storageMembers[] = {
    SHARDWISE_OBJECT(Storage, node),
    SHARDWISE_OBJECT(Storage, meta),
    SHARDWISE_OBJECT(Storage, annotation),
    SHARDWISE_OBJECT(Storage, home),
    {"version", T_LONGLONG, offsetof(Storage, version), 0, nullptr},
    {"chosen", T_BOOL, offsetof(Storage, chosen), 0, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(Storage, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

PyMethodDef storageMethods[] = {{"pend", pend, METH_NOARGS, nullptr},
                                {nullptr, nullptr, 0, nullptr}};

nb::list pendingStorages() {
  nb::list found;
  for (Storage *one = ring.behind; one != &ring;) {
    Storage *next = one->behind;
    if (!isNode(one->node) || isLeaf(asNode(one->node)))
      leaveRing(one);
    else
      found.append(nb::borrow(reinterpret_cast<PyObject *>(one)));
    one = next;
  }
  return found;
}

void forgetPending() {
  while (ring.behind != &ring)
    leaveRing(ring.behind);
}

// Graphs.

/// The ops that the roots need, as they were recorded.
std::vector<Node *> opsOf(nb::sequence roots) {
  long long walk = ++walks;
  std::vector<Node *> ops, stack;
  for (nb::handle root : roots) {
    if (!isNode(root.ptr()))
      throw nb::type_error("a root is a node");
    stack.push_back(asNode(root.ptr()));
  }
  while (!stack.empty()) {
    Node *node = stack.back();
    stack.pop_back();
    if (node->seen == walk || isLeaf(node))
      continue;
    node->seen = walk;
    ops.push_back(node);
    for (PyObject *one : *node->inputs)
      stack.push_back(asNode(one));
  }
  std::sort(ops.begin(), ops.end(), [](Node *a, Node *b) { return a->seq < b->seq; });
  return ops;
}

/// Each leaf before its first use, ops in their order; nodes know their places then.
std::vector<Node *> nodesOf(const std::vector<Node *> &ops) {
  long long walk = ++walks;
  std::vector<Node *> nodes;
  auto add = [&](Node *node) {
    if (node->placed == walk)
      return;
    node->placed = walk;
    node->place = static_cast<long long>(nodes.size());
    nodes.push_back(node);
  };
  for (Node *op : ops) {
    for (PyObject *one : *op->inputs)
      add(asNode(one));
    add(op);
  }
  return nodes;
}

nb::object layoutOf(const Node *leaf) {
  static PyObject *nowhere = nb::make_tuple("", "").release().ptr();
  PyObject *layout = !isNothing(leaf->wanted)   ? leaf->wanted
                     : !isNothing(leaf->layout) ? leaf->layout
                                                : nowhere;
  return nb::borrow(layout);
}

/// Nodes; what their program depends on; places of the roots; leaves; numbers of scalar slots.
nb::tuple readGraph(nb::sequence roots) {
  std::vector<Node *> nodes = nodesOf(opsOf(roots));
  // Places are read before anything of Python is made: that may let another thread in, whose walk
  // has its own.
  std::vector<long long> inputPlaces, rootPlaces;
  for (Node *node : nodes)
    for (PyObject *one : *node->inputs)
      inputPlaces.push_back(asNode(one)->place);
  for (nb::handle root : roots)
    rootPlaces.push_back(asNode(root.ptr())->place);
  nb::list all, key, places, leaves, scalars;
  for (Node *node : nodes)
    all.append(nb::borrow(reinterpret_cast<PyObject *>(node)));
  auto input = inputPlaces.begin();
  for (Node *node : nodes) {
    if (isLeaf(node)) {
      leaves.append(nb::borrow(reinterpret_cast<PyObject *>(node)));
      key.append(nb::make_tuple(nb::borrow(node->meta), layoutOf(node)));
      continue;
    }
    key.append(nb::handle(node->spec).attr("number"));
    for (size_t i = 0; i < node->inputs->size(); ++i)
      key.append(*input++);
    if (PyObject_Size(node->scalars) > 0)
      scalars.extend(nb::borrow(node->scalars));
  }
  for (long long place : rootPlaces)
    places.append(place);
  return nb::make_tuple(all, key, places, leaves, scalars);
}

/// A type whose objects `make` makes. It has no subclasses: those that Python makes are looked at
/// by the garbage collector.
PyTypeObject *makeType(nb::module_ &module, const char *name, size_t size, vectorcallfunc make,
                       std::vector<PyType_Slot> slots) {
  slots.push_back({0, nullptr});
  PyType_Spec spec{name, static_cast<int>(size), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  nb::object type = nb::steal(PyType_FromSpec(&spec));
  if (!type.is_valid())
    throw nb::python_error();
  module.attr(name + sizeof("shardwise._core.") - 1) = type;
  auto *made = reinterpret_cast<PyTypeObject *>(type.release().ptr());
  made->tp_vectorcall = make;
  return made;
}

} // namespace

void bindGraphs(nb::module_ &module) {
  ring.before = ring.behind = &ring;
  nodeType = makeType(module, "shardwise._core.GraphNode", sizeof(Node), makeNode,
                      {{Py_tp_dealloc, reinterpret_cast<void *>(freeNode)},
                       {Py_tp_members, nodeMembers},
                       {Py_tp_getset, nodeProperties}});
  storageType = makeType(module, "shardwise._core.GraphStorage", sizeof(Storage), makeStorage,
                         {{Py_tp_dealloc, reinterpret_cast<void *>(freeStorage)},
                          {Py_tp_members, storageMembers},
                          {Py_tp_methods, storageMethods}});
  module.def("read_graph", &readGraph);
  module.def("pending_storages", &pendingStorages);
  module.def("forget_pending", &forgetPending);
}

} // namespace shardwise::python
