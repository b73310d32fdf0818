//===- Mine.cpp - A back end outside the tree -------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simulator of the installed package as a plug-in. A vendor's plug-in opens its own class here, which is derived
// from avocet::runtime::Backend or MemoryBackend.
//
//===----------------------------------------------------------------------===//

#include <avocet/runtime/ExportBackend.h>
#include <avocet/runtime/SimBackend.h>

AVOCET_EXPORT_BACKEND("mine", "1.0", "The simulator in a library of its own", avocet::runtime::openSimBackend)
