//===- NoPlugin.c - A library that is no plug-in ----------------*- C -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

__attribute__((visibility("default"))) int avocetNoBackendTable(void) { return 0; }
