//===- ModelMetadata.h - What a .tflite file says of pictures ---*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_MODELMETADATA_H
#define AVOCET_SESSION_MODELMETADATA_H

#include "avocet/session/ImageInput.h"

namespace avocet::session {

/// Of a network with pictures as input and scores of classes as output. Files without metadata leave all empty.
struct ModelMetadata {
  std::optional<Normalization> normalization; ///< of the first input
  std::vector<std::string> labels;            ///< of the first output
};

/// Reads the metadata of a .tflite file (compiler/tflite/TfliteMetadata.fbs) and the label file in the ZIP archive that
/// follows the network. DataLoss: they are damaged, or larger than they may be.
Result<ModelMetadata> readModelMetadata(std::span<const uint8_t> file);

} // namespace avocet::session

#endif // AVOCET_SESSION_MODELMETADATA_H
