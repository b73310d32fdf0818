/* Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What examples/OnnxRuntime.cpp uses of onnxruntime_c_api.h, a header of releases of ONNX Runtime. npm's package, which
 * the tests have, is without headers. Functions are at the same places of the table; `others` fill the gaps. */
#ifndef AVOCET_TESTS_CLIENTS_ONNXRUNTIME_ONNXRUNTIMEHEADER_H
#define AVOCET_TESTS_CLIENTS_ONNXRUNTIME_ONNXRUNTIMEHEADER_H

#include <stddef.h>
#include <stdint.h>

#define ORT_API_VERSION 23

struct OrtEnv;
struct OrtEpDevice;
struct OrtMemoryInfo;
struct OrtRunOptions;
struct OrtSession;
struct OrtSessionOptions;
struct OrtStatus;
struct OrtValue;

enum OrtLoggingLevel { ORT_LOGGING_LEVEL_WARNING = 2 };
enum OrtAllocatorType { OrtArenaAllocator = 1 };
enum OrtMemType { OrtMemTypeDefault = 0 };
enum ONNXTensorElementDataType { ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT = 1 };

struct OrtApi {
  void *others0[2];
  const char *(*GetErrorMessage)(const OrtStatus *); /* 2 */
  OrtStatus *(*CreateEnv)(OrtLoggingLevel, const char *, OrtEnv **);
  void *others4[3];
  OrtStatus *(*CreateSession)(const OrtEnv *, const char *, const OrtSessionOptions *, OrtSession **); /* 7 */
  void *others8[1];
  OrtStatus *(*Run)(OrtSession *, const OrtRunOptions *, const char *const *, const OrtValue *const *, size_t,
                    const char *const *, size_t, OrtValue **); /* 9 */
  OrtStatus *(*CreateSessionOptions)(OrtSessionOptions **);
  void *others11[38];
  OrtStatus *(*CreateTensorWithDataAsOrtValue)(const OrtMemoryInfo *, void *, size_t, const int64_t *, size_t,
                                               ONNXTensorElementDataType, OrtValue **); /* 49 */
  void *others50[1];
  OrtStatus *(*GetTensorMutableData)(OrtValue *, void **); /* 51 */
  void *others52[17];
  OrtStatus *(*CreateCpuMemoryInfo)(OrtAllocatorType, OrtMemType, OrtMemoryInfo **); /* 69 */
  void *others70[22];
  void (*ReleaseEnv)(OrtEnv *); /* 92 */
  void *others93[2];
  void (*ReleaseSession)(OrtSession *); /* 95 */
  void *others96[205];
  OrtStatus *(*RegisterExecutionProviderLibrary)(OrtEnv *, const char *, const char *); /* 301 */
  void *others302[1];
  OrtStatus *(*GetEpDevices)(const OrtEnv *, const OrtEpDevice *const **, size_t *); /* 303 */
  OrtStatus *(*SessionOptionsAppendExecutionProvider_V2)(OrtSessionOptions *, OrtEnv *, const OrtEpDevice *const *,
                                                         size_t, const char *const *, const char *const *, size_t);
  void *others305[7];
  const char *(*EpDevice_EpName)(const OrtEpDevice *); /* 312 */
  void *others313[5];
  OrtStatus *(*GetTensorSizeInBytes)(const OrtValue *, size_t *); /* 318 */
};

struct OrtApiBase {
  const OrtApi *(*GetApi)(uint32_t);
  const char *(*GetVersionString)();
};

extern "C" const OrtApiBase *OrtGetApiBase();

#endif
