//===- Main.cpp - The avocet program ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "avocet/base/GuardedMain.h"

int main(int argc, char **argv) { return avocet::guardedMain(argc, argv, avocet::tool::runAvocet); }
