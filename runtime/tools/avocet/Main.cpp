//===- Main.cpp - The avocet program ----------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

int main(int argc, char **argv) { return avocet::tool::runAvocet(argc, argv); }
