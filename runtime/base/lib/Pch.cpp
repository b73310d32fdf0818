//===- Pch.cpp - Owner of the precompiled header ----------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds nothing: a library needs one source file for the others to reuse its precompiled header.
//
//===----------------------------------------------------------------------===//
