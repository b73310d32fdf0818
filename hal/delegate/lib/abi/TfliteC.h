//===- TfliteC.h - TensorFlow Lite's C interface for delegates -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory layout of what the interpreter and a delegate pass to each other, as of TensorFlow Lite 2.9 (its
// c/common.h). The interpreter owns everything unless a comment says otherwise. Its structures grow at the end only, so
// that later versions can read and fill ours: those that a delegate creates end with zeros, which a later version takes
// for members that are not set.
//
// Nothing of TensorFlow Lite is needed to build the delegate; a test compares this file with its headers.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEC_H
#define AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEC_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace avocet::delegate::abi {

enum CallStatus : int32_t { kOk = 0, kError = 1 };

/// Element types; those not listed have no element that the device can store.
enum class Type : int32_t {
  None = 0,
  Float32 = 1,
  Int32 = 2,
  UInt8 = 3,
  Int64 = 4,
  String = 5,
  Bool = 6,
  Int16 = 7,
  Complex64 = 8,
  Int8 = 9,
  Float16 = 10,
  Resource = 14,
};

/// Who owns the bytes of a tensor.
enum class Allocation : int32_t {
  None = 0,
  ReadOnly = 1,        ///< a constant of the model
  Arena = 2,           ///< the interpreter's plan; the pointer changes when tensors are allocated
  ArenaPersistent = 3, ///< a variable
  Dynamic = 4,         ///< made while the network runs
  PersistentReadOnly = 5,
  Custom = 6, ///< memory of someone else, which the interpreter uses and leaves alone
};

constexpr int32_t kOptionalTensor = -1;
constexpr int32_t kDelegateOperator = 51; ///< code of a node that a delegate has replaced
constexpr int32_t kCustomOperator = 32;

/// A number, and that many elements after it in memory.
template <typename T> struct Array {
  int32_t size;
  std::span<const T> values() const {
    return {reinterpret_cast<const T *>(this + 1), size > 0 ? static_cast<size_t>(size) : 0};
  }
};
using IntArray = Array<int32_t>;
using FloatArray = Array<float>;

/// The values of an array that may be missing.
template <typename T> std::span<const T> valuesOf(const Array<T> *array) {
  return array == nullptr ? std::span<const T>() : array->values();
}

struct OldQuantization {
  float scale;
  int32_t zeroPoint;
};

constexpr int32_t kAffine = 1;
struct Quantization {
  int32_t kind;
  void *parameters; ///< an AffineQuantization if `kind` is kAffine
};

struct AffineQuantization {
  FloatArray *scale;
  IntArray *zeroPoint;
  int32_t axis; ///< of several scales
};

struct SparseAxis {
  int32_t isCompressed;
  int32_t denseSize;
  IntArray *segments;
  IntArray *indices;
};

struct Sparsity {
  IntArray *traversalOrder;
  IntArray *blockMap;
  SparseAxis *axes;
  int32_t numAxes;
};

struct Delegate;

struct Tensor {
  Type type;
  void *data;
  IntArray *shape;
  OldQuantization oldQuantization;
  Allocation allocation;
  size_t bytes;
  const void *file;
  const char *name;
  Delegate *delegate;
  int32_t bufferHandle;
  bool isStale;
  bool isVariable;
  Quantization quantization;
  Sparsity *sparsity;
  const IntArray *signature;
};

struct Node {
  IntArray *inputs; ///< tensors; kOptionalTensor: omitted
  IntArray *outputs;
  IntArray *intermediates;
  IntArray *temporaries;
  void *userData; ///< what Registration::init returned
  void *parameters;
  const void *customOptions;
  int32_t customOptionsBytes;
  Delegate *delegate;
  bool hasSideEffects;
};

/// Passed to Registration::init of a delegate.
struct DelegateParameters {
  Delegate *delegate;
  IntArray *nodes;
  IntArray *inputs; ///< tensors; constants and variables too
  IntArray *outputs;
};

struct Registration;

struct Context {
  size_t numTensors;
  CallStatus (*getExecutionPlan)(Context *, IntArray **plan);
  Tensor *tensors; ///< moves when tensors are added
  void *implementation;
  CallStatus (*resizeTensor)(Context *, Tensor *, IntArray *shape); ///< takes `shape`, which malloc() made
  void (*reportError)(Context *, const char *format, ...);
  CallStatus (*addTensors)(Context *, int32_t count, int32_t *first);
  /// Fails outside of Delegate::prepare and the Registration::init that it causes.
  CallStatus (*getNode)(Context *, int32_t index, Node **, Registration **);
  CallStatus (*replaceNodes)(Context *, Registration, const IntArray *nodes, Delegate *);
  int32_t numThreads;
  void *(*getExternalContext)(Context *, int32_t kind);
  void (*setExternalContext)(Context *, int32_t kind, void *);
  bool allowsFloat16;
  void *profiler;
  void *(*allocatePersistent)(Context *, size_t bytes);
  CallStatus (*allocateForRun)(Context *, size_t bytes, void **);
  CallStatus (*requestScratch)(Context *, size_t bytes, int32_t *index);
  void *(*getScratch)(Context *, int32_t index);
  CallStatus (*resizeTensorExplicit)(Context *, Tensor *, int32_t rank, const int32_t *shape);
  /// The context owns the parameters, until the next call.
  CallStatus (*previewPartitions)(Context *, const IntArray *nodes, DelegateParameters **, int32_t *count);
  Tensor *(*getTensor)(const Context *, int32_t index);
  void *(*getPlainTensor)(const Context *, int32_t index);
  CallStatus (*getMetadata)(const Context *, const char *name, const char **, size_t *);
};

struct Registration {
  void *(*init)(Context *, const char *parameters, size_t bytes);
  void (*free)(Context *, void *userData);
  CallStatus (*prepare)(Context *, Node *);
  CallStatus (*invoke)(Context *, Node *);
  const char *(*profilingText)(const Context *, const Node *);
  int32_t code; ///< of the operator
  const char *customName;
  int32_t version; ///< of the operator
  void *later[8];
};

/// The delegate accepts tensors whose shape is known only when the network runs.
constexpr int64_t kAllowDynamicTensors = 1;
/// Shapes are computed again by the original operators before a kernel is prepared.
constexpr int64_t kRequirePropagatedShapes = 2;

struct Delegate {
  void *data; ///< the delegate's own
  CallStatus (*prepare)(Context *, Delegate *);
  CallStatus (*copyFromBuffer)(Context *, Delegate *, int32_t buffer, Tensor *);
  CallStatus (*copyToBuffer)(Context *, Delegate *, int32_t buffer, Tensor *);
  void (*freeBuffer)(Context *, Delegate *, int32_t *buffer);
  int64_t flags;
  void *later[8];
};

static_assert(sizeof(void *) == 8, "the layouts are those of 64-bit processors");
static_assert(sizeof(Tensor) == 112 && offsetof(Tensor, bytes) == 40 && offsetof(Tensor, quantization) == 80);
static_assert(sizeof(Node) == 80 && offsetof(Node, customOptions) == 48 && offsetof(Node, delegate) == 64);
static_assert(sizeof(Context) == 184 && offsetof(Context, replaceNodes) == 64 &&
              offsetof(Context, previewPartitions) == 152);
static_assert(offsetof(Registration, code) == 40 && offsetof(Registration, later) == 64);
static_assert(offsetof(Delegate, flags) == 40 && offsetof(Delegate, later) == 48);
static_assert(sizeof(DelegateParameters) == 32 && sizeof(AffineQuantization) == 24 && sizeof(Sparsity) == 32 &&
              sizeof(SparseAxis) == 24);

} // namespace avocet::delegate::abi

#endif // AVOCET_HAL_DELEGATE_LIB_ABI_TFLITEC_H
