//===- SameMemory.cpp - Whether two handles mean one memory -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "avocet/hal/Utils.h"

#include <sys/stat.h>

namespace avocet::hal {
namespace {

bool isSameFile(const SharedHandle &a, const SharedHandle &b) {
  if (a == b)
    return a != nullptr;
  struct stat first = {}, second = {};
  return a && b && ::fstat(a->get(), &first) == 0 && ::fstat(b->get(), &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

bool isSame(const Ashmem &a, const Ashmem &b) { return a.size == b.size && isSameFile(a.fd, b.fd); }
bool isSame(const MappableFile &a, const MappableFile &b) {
  return a.offset == b.offset && a.size == b.size && a.protection == b.protection && isSameFile(a.fd, b.fd);
}
bool isSame(const HardwareBuffer &a, const HardwareBuffer &b) {
  return a.isBlob == b.isBlob && a.size == b.size && isSameFile(a.fd, b.fd);
}
/// Nobody knows what an unknown handle means.
bool isSame(const UnknownHandle &, const UnknownHandle &) { return false; }

struct SameVisitor {
  template <typename T> bool operator()(const T &a, const T &b) const { return isSame(a, b); }
  template <typename T, typename U> bool operator()(const T &, const U &) const { return false; }
};

} // namespace

bool isSameMemory(const SharedMemory &a, const SharedMemory &b) {
  if (a == b)
    return a != nullptr;
  return a && b && std::visit(SameVisitor(), a->handle, b->handle);
}

} // namespace avocet::hal
