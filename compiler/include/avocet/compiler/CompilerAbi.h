/*===- CompilerAbi.h - Binary interface of libavocetCompiler.so ---*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one exported function of the compiler's shared library and the plain structs that it exchanges. Every member
// means the same as the member of that name in Compiler.h. Strings are UTF-8 and zero-terminated. Pointers in a result
// are valid until the result is destroyed. No function throws.
//
//===----------------------------------------------------------------------===*/

#ifndef AVOCET_COMPILER_COMPILERABI_H
#define AVOCET_COMPILER_COMPILERABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AVOCET_COMPILER_ABI_VERSION 9u
/* Oldest version that libraries and programs still accept. Its request ends before runsStep. */
#define AVOCET_COMPILER_OLDEST_ABI_VERSION 8u

typedef struct AvocetBytes {
  const uint8_t *data;
  size_t size;
} AvocetBytes;

typedef void (*AvocetProgressCallback)(void *user, const char *phase, uint32_t index, uint32_t count);

typedef int32_t (*AvocetCancelledCallback)(void *user);

/* Returns avocet::StatusCode; 0 (Ok) sets `cycles`. Otherwise `message` (of `messageSize` bytes) has the reason, with a
   final zero. */
typedef int32_t (*AvocetSimulateCallback)(void *user, const AvocetBytes *modelCache, const AvocetBytes *dataCache,
                                          uint64_t *cycles, char *message, size_t messageSize);

typedef struct AvocetAlternative {
  const char *what;
  uint64_t predictedCycles;
  uint64_t simulatedCycles; /* if isSimulated */
  int32_t isSimulated;
  int32_t isKept;
} AvocetAlternative;

typedef void (*AvocetAlternativeCallback)(void *user, const AvocetAlternative *alternative);

typedef struct AvocetPassResult {
  const char *phase;
  const char *pass;
  int32_t isFailed;
  AvocetBytes ir;
} AvocetPassResult;

typedef void (*AvocetPassCallback)(void *user, const AvocetPassResult *pass);

typedef struct AvocetOptionalStep {
  uint32_t kind;
  const char *phase;
  const char *transform;
  const char *pattern;
  /* Sets texts that are valid until the callback returns. `owner` is passed back. */
  void (*subject)(void *owner, const char **location, const char **operation);
  void *owner;
} AvocetOptionalStep;

/* Nonzero: run the step. */
typedef int32_t (*AvocetStepCallback)(void *user, const AvocetOptionalStep *step);

typedef struct AvocetRemarkArgument {
  const char *key;
  const char *value;
} AvocetRemarkArgument;

typedef struct AvocetRemark {
  uint32_t kind;
  const char *category;
  const char *name;
  const char *location;
  const AvocetRemarkArgument *arguments;
  size_t numArguments;
} AvocetRemark;

typedef void (*AvocetRemarkCallback)(void *user, const AvocetRemark *remark);

typedef struct AvocetInputShape {
  const char *name;
  const int64_t *extents;
  size_t rank;
} AvocetInputShape;

typedef struct AvocetNamedFile {
  const char *name;
  AvocetBytes bytes;
} AvocetNamedFile;

typedef struct AvocetCompileRequest {
  const char *modelPath;
  AvocetBytes modelBytes;
  uint32_t format;
  const char *target;
  const char *stopAfter;
  const char *startAt;
  uint32_t irFormat;
  AvocetProgressCallback progress; /* may be null */
  void *progressUser;
  const AvocetBytes *pools;
  size_t numPools;
  AvocetCancelledCallback cancelled; /* may be null; nonzero result: cancel */
  void *cancelledUser;
  int32_t supportOnly;
  int32_t isSpecialised;
  const char *signature; /* null: none */
  const AvocetInputShape *shapes;
  size_t numShapes;
  int32_t partition;
  int32_t sourceMap;
  uint32_t optimise;
  double optimiseSeconds;
  uint32_t threads;
  AvocetSimulateCallback simulate; /* may be null */
  void *simulateUser;
  AvocetAlternativeCallback alternative; /* may be null */
  void *alternativeUser;
  AvocetPassCallback afterPass; /* may be null */
  void *afterPassUser;
  int32_t elidesConstants;
  AvocetStepCallback runsStep; /* may be null; since version 9 */
  void *runsStepUser;
  AvocetRemarkCallback remark; /* may be null; since version 9 */
  void *remarkUser;
} AvocetCompileRequest;

typedef struct AvocetDiagnostic {
  uint32_t severity;
  const char *location;
  const char *message;
} AvocetDiagnostic;

typedef struct AvocetRefusal {
  const char *location;
  const char *operation;
  const char *operand;
  const char *rule;
  const char *value;
  const char *limit;
  int64_t index;
} AvocetRefusal;

typedef struct AvocetPhaseCost {
  const char *phase;
  double milliseconds;
  uint64_t peakMemoryBytes;
} AvocetPhaseCost;

typedef struct AvocetCompileResult {
  int32_t statusCode; /* avocet::StatusCode, 0 is Ok */
  const char *statusMessage;
  AvocetBytes modelCache;
  AvocetBytes dataCache;
  AvocetBytes ir;
  const AvocetDiagnostic *diagnostics;
  size_t numDiagnostics;
  const AvocetRefusal *refusals;
  size_t numRefusals;
  const AvocetPhaseCost *phases;
  size_t numPhases;
  int32_t needsSpecialisation;
  const uint32_t *valueInputs;
  size_t numValueInputs;
  int32_t isTooLarge;
  const AvocetNamedFile *files;
  size_t numFiles;
} AvocetCompileResult;

typedef struct AvocetCompilerApi {
  uint32_t version;
  /* Release and commit: text such as "0.1.0 (0123456789ab)". */
  const char *compilerVersion;
  /* Never null. The caller passes the result to destroyResult, on any thread. */
  const AvocetCompileResult *(*compile)(const AvocetCompileRequest *request);
  void (*destroyResult)(const AvocetCompileResult *result);
} AvocetCompilerApi;

/* The function table for `version`, whose requests are those of that version, or null if the library does not support
 * that version. */
const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version);

/* Type of the function above, for dlsym. */
typedef const AvocetCompilerApi *(*AvocetCompilerGetApiFunction)(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* AVOCET_COMPILER_COMPILERABI_H */
