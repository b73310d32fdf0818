//===- ProgramBeside.h - Other files of the installation --------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_BASE_PROGRAMBESIDE_H
#define AVOCET_BASE_PROGRAMBESIDE_H

#include <string>

namespace avocet {

/// Path of a program in the folder of the running one: "avocetd" for the service.
std::string programBeside(const std::string &name);

/// Path of a shared library of the installation that the running program belongs to, or of its build tree; empty: there
/// is none.
std::string libraryBeside(const std::string &name);

} // namespace avocet

#endif // AVOCET_BASE_PROGRAMBESIDE_H
