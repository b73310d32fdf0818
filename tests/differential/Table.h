//===- Table.h - The table of operators for users ---------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_TESTS_DIFFERENTIAL_TABLE_H
#define AVOCET_TESTS_DIFFERENTIAL_TABLE_H

#include <string>

namespace avocet::differential {

/// Markdown: for each operator and element type "exact", the tolerance, or "rejected" with the reason. What is accepted
/// comes from the compiler, tried with the first cases of each; needs no oracle.
std::string operatorTable();

} // namespace avocet::differential

#endif // AVOCET_TESTS_DIFFERENTIAL_TABLE_H
