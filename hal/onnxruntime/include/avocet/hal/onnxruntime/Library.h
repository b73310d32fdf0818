//===- Library.h - Loads ONNX Runtime ---------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that are applications of ONNX Runtime. The provider is loaded by it.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_HAL_ONNXRUNTIME_LIBRARY_H
#define AVOCET_HAL_ONNXRUNTIME_LIBRARY_H

#include "avocet/hal/onnxruntime/Api.h"

#include <dlfcn.h>

namespace avocet::ort {

/// From libonnxruntime.so.1, which is never closed: its threads end with the process. NotFound says why it cannot be
/// loaded; Unsupported: it is too old.
inline Result<Api> loadLibrary(const std::string &path) {
  void *library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto *base =
      library == nullptr ? nullptr : reinterpret_cast<const abi::ApiBase *(*)()>(::dlsym(library, "OrtGetApiBase"));
  if (base == nullptr)
    return notFound(::dlerror());
  return Api::open(*base());
}

} // namespace avocet::ort

#endif // AVOCET_HAL_ONNXRUNTIME_LIBRARY_H
