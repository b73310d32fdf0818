//===- Ways.h - How an application reaches a device -------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_WAYS_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_WAYS_H

#include "run/RunPlace.h"

namespace avocet::tool {

/// The names of a way through a framework.
struct Way {
  const char *name;          ///< value of --through
  const char *framework;     ///< of the application
  const char *call;          ///< of the framework, which runs the network
  const char *library;       ///< of this tree, which the framework loads
  const char *target;        ///< of the build, which makes the library
  const char *takes;         ///< what has the partitions in the report
  const char *models;        ///< ending of the files that the framework reads
  const char *clientLibrary; ///< of the framework, in a folder of scripts/setup --clients
};

/// `through` is not None.
inline const Way &wayOf(Through through) {
  static constexpr Way kNnapi{
      "nnapi", "TensorFlow Lite", "TfLiteInterpreterInvoke", "libneuralnetworks.so", "neuralnetworks",
      "NNAPI", ".tflite",         "libtensorflowlite_c.so"};
  static constexpr Way kDelegate{"delegate",
                                 "TensorFlow Lite",
                                 "TfLiteInterpreterInvoke",
                                 "libavocet_delegate.so",
                                 "avocet_delegate",
                                 "the delegate, on the device",
                                 ".tflite",
                                 "libtensorflowlite_c.so"};
  static constexpr Way kOnnxruntime{"onnxruntime",
                                    "ONNX Runtime",
                                    "OrtApi::Run",
                                    "libavocet_onnxruntime.so",
                                    "avocet_onnxruntime",
                                    "the provider, on the device",
                                    ".onnx",
                                    "libonnxruntime.so.1"};
  switch (through) {
  case Through::Nnapi:
    return kNnapi;
  case Through::Onnxruntime:
    return kOnnxruntime;
  default:
    return kDelegate;
  }
}

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_REMOTE_WAYS_H
