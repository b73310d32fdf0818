//===- TfliteApi.h - TensorFlow Lite's C library at run time ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of tensorflow/lite/c/c_api.h that TfliteClient uses. Loaded by path, so that the tree builds without the
// library.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_CLIENTS_TFLITEAPI_H
#define AVOCET_TESTS_CLIENTS_TFLITEAPI_H

#include "avocet/base/Status.h"

#include <cstdint>
#include <string>

namespace avocet::clients {

struct TfModel;
struct TfOptions;
struct TfInterpreter;
struct TfTensor;
struct TfDelegate;

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

} // namespace avocet::clients

#endif // AVOCET_TESTS_CLIENTS_TFLITEAPI_H
