//===- VectorFile.h - The cases of one specification ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reader of the .nntv files (nnapiTest.fbs). The file is verified when it is read: no later call accesses memory
// outside its bytes. Models in it are not checked; the device does that.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_VECTORS_VECTORFILE_H
#define AVOCET_HAL_VECTORS_VECTORFILE_H

#include "avocet/base/Status.h"
#include "avocet/hal/vectors/TestCase.h"

#include <memory>
#include <string>
#include <vector>

namespace avocet::hal::conformance {

namespace vectors {
struct Case;
struct SpecFile;
} // namespace vectors

/// Immutable; may be used from several threads.
class VectorFile {
public:
  /// DataLoss: the bytes are no vector file of a known version, or a case's lists do not match.
  static avocet::Result<std::shared_ptr<const VectorFile>> read(const std::string &path);
  static avocet::Result<std::shared_ptr<const VectorFile>> adopt(Bytes bytes, std::string_view origin);

  size_t numCases() const;

  /// Requires index < numCases().
  CaseInfo info(size_t index) const;

  /// The case in a form. ResourceExhausted: the system has no memory file for its constants.
  avocet::Result<TestCase> make(size_t index, Form form) const;

private:
  VectorFile(Bytes bytes, const vectors::SpecFile *root) : bytes_(std::move(bytes)), root_(root) {}
  const vectors::Case &at(size_t index) const;

  Bytes bytes_;
  const vectors::SpecFile *root_;
};

/// One case of a file.
struct CaseRef {
  std::shared_ptr<const VectorFile> file;
  size_t index = 0;
};

/// All cases below a folder, or of one file, in the order of paths and then of cases. NotFound when there is none.
avocet::Result<std::vector<CaseRef>> findCases(const std::string &path);

} // namespace avocet::hal::conformance

#endif // AVOCET_HAL_VECTORS_VECTORFILE_H
