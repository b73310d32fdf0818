//===- TfliteApi.h - TensorFlow Lite's C library at run time ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tensorflow/lite/c/c_api.h that programs of this tree use. Loaded by path, so that the tree builds without
// the library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPI_H
#define AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPI_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string>

namespace avocet::application {

struct TfModel;
struct TfOptions;
struct TfInterpreter;
struct TfTensor;

/// The beginnings of the structures that a delegate sees, as of 2.9.
struct TfPlan {
  int32_t size; ///< nodes, whose numbers follow in memory
};
struct TfRegistration {
  void *calls[5];
  int32_t code; ///< of the operator
};
struct TfContext {
  size_t numTensors;
  int (*getExecutionPlan)(TfContext *, TfPlan **plan);
  void *others[5];
  int (*getNode)(TfContext *, int32_t index, void **node, TfRegistration **);
};
struct TfDelegate {
  void *data;
  int (*prepare)(TfContext *, TfDelegate *); ///< for each subgraph, the main one first
  void *buffers[3];
  int64_t flags; ///< 1: tensors of open shape are accepted
  void *later[8];
};
constexpr int32_t kDelegateOperator = 51; ///< code of a node that a delegate has replaced

/// TfLiteExternalDelegateOptions: key-value pairs for a delegate library.
struct ExternalOptions {
  const char *library;
  int count;
  const char *keys[256];
  const char *values[256];
  int (*insert)(ExternalOptions *, const char *key, const char *value);
};

enum : uint32_t { kXnnpackSigned = 1, kXnnpackUnsigned = 2 }; ///< 8-bit operators to use
/// TfLiteXNNPackDelegateOptions of 2.9.
struct XnnpackOptions {
  int32_t numThreads;
  uint32_t flags;
  void *weightsCache;
};

struct TfliteApi {
  TfModel *(*modelCreateFromFile)(const char *path);
  void (*modelDelete)(TfModel *);
  TfOptions *(*optionsCreate)();
  void (*optionsDelete)(TfOptions *);
  void (*setNumThreads)(TfOptions *, int32_t threads);
  void (*setUseNnapi)(TfOptions *, bool);
  void (*addDelegate)(TfOptions *, TfDelegate *);
  TfInterpreter *(*interpreterCreate)(const TfModel *, const TfOptions *);
  void (*interpreterDelete)(TfInterpreter *);
  int (*allocateTensors)(TfInterpreter *);
  int (*invoke)(TfInterpreter *);
  int (*resetVariables)(TfInterpreter *);
  TfTensor *(*inputTensor)(const TfInterpreter *, int32_t index);
  const TfTensor *(*outputTensor)(const TfInterpreter *, int32_t index);
  int32_t (*inputCount)(const TfInterpreter *);
  int32_t (*outputCount)(const TfInterpreter *);
  const char *(*tensorName)(const TfTensor *);
  int32_t (*tensorType)(const TfTensor *); ///< TfLiteType
  int32_t (*numAxes)(const TfTensor *);
  int32_t (*extent)(const TfTensor *, int32_t axis);
  size_t (*byteSize)(const TfTensor *);
  void *(*data)(const TfTensor *);
  XnnpackOptions (*xnnpackDefaults)();
  TfDelegate *(*xnnpackCreate)(const XnnpackOptions *);
  void (*xnnpackDelete)(TfDelegate *);
  ExternalOptions (*externalDefaults)(const char *library);
  TfDelegate *(*externalCreate)(const ExternalOptions *);
  void (*externalDelete)(TfDelegate *);
};

/// From libtensorflowlite_c.so and libexternal_delegate_obj.so in `folder`. NotFound names what is missing.
Result<TfliteApi> loadTflite(const std::string &folder);

} // namespace avocet::application

#endif // AVOCET_RUNTIME_TOOLS_APPLICATION_TFLITEAPI_H
