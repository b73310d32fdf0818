/*===- CompilerAbi.h - Binary interface of libavocetCompiler.so ---*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one exported function of the compiler's shared library. Requests and answers are messages (Message.h), whose
fields
// have names: a library refuses a request with a field that it does not know, and a program ignores such a field of an
// answer. The version therefore changes only with the form of messages. Bytes outside of a message are passed as
address
// and size, and are borrowed until the call returns or the answer is destroyed. No function throws.
//
//===----------------------------------------------------------------------===*/

#ifndef AVOCET_COMPILER_COMPILERABI_H
#define AVOCET_COMPILER_COMPILERABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define AVOCET_COMPILER_ABI_VERSION 10u

typedef struct AvocetBytes {
  const uint8_t *data;
  size_t size;
} AvocetBytes;

/* Keeps a copy of the result of a call. */
typedef void (*AvocetGive)(void *sink, AvocetBytes result);

/* Calls a function of the peer. In a message, a function is the address of an AvocetCall and that of `function`. */
typedef void (*AvocetCall)(const void *function, AvocetBytes arguments, AvocetGive give, void *sink);

typedef struct AvocetAnswer {
  AvocetBytes message;
} AvocetAnswer;

/* Never null. The caller passes the answer to `destroy`, on any thread. */
typedef const AvocetAnswer *(*AvocetQuestion)(AvocetBytes request);

typedef struct AvocetCompilerApi {
  uint32_t version;
  /* Release and commit: text such as "0.1.0 (0123456789ab)". */
  const char *compilerVersion;
  /* CompileRequest -> CompileResult, JudgeRequest -> Verdict, DivideRequest -> DivideResult */
  AvocetQuestion compile;
  AvocetQuestion judge;
  AvocetQuestion divide;
  void (*destroy)(const AvocetAnswer *answer);
} AvocetCompilerApi;

/* The function table for `version`, or null if the library does not support that version. */
const AvocetCompilerApi *avocetCompilerGetApi(uint32_t version);

/* Type of the function above, for dlsym. */
typedef const AvocetCompilerApi *(*AvocetCompilerGetApiFunction)(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif /* AVOCET_COMPILER_COMPILERABI_H */
