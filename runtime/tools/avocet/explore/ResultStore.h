//===- ResultStore.h - The results of an exploration on disk ----*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of files with one record in a line. Each process appends to a file of its own, so that processes on several
// machines share the folder. A record is one write: a process that is killed leaves at most one incomplete line, which
// readers leave out. Not thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTSTORE_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTSTORE_H

#include "Record.h"
#include "avocet/base/File.h"

#include <map>
#include <string>

namespace avocet::tool {

class ResultStore {
public:
  /// Creates the folder, and reads what is in it.
  static Result<ResultStore> open(const std::string &folder);

  /// Opens "WRITER.jsonl" in the folder for append(). FailedPrecondition: another process writes to it.
  Status startWriting(const std::string &writer);

  /// Reads what other processes have appended.
  Status refresh();

  /// Writes a record; it replaces an earlier one with its key.
  Status append(Record record);

  /// Null if there is none. Valid until the next change.
  const Record *find(const std::string &key) const;

private:
  explicit ResultStore(std::string folder) : folder_(std::move(folder)) {}
  Status readNew(const std::string &path);
  void keep(Record record);

  std::string folder_;
  std::map<std::string, uint64_t> readBytes_; ///< by path: up to the end of a line
  std::map<std::string, Record> records_;     ///< by key
  FileDescriptor output_;
  std::string outputPath_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_EXPLORE_RESULTSTORE_H
