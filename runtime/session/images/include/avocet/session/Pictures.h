//===- Pictures.h - Pictures and classes of one network ---------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_SESSION_PICTURES_H
#define AVOCET_SESSION_PICTURES_H

#include "avocet/session/ModelMetadata.h"

namespace avocet::session {

/// What the user says about pictures. What is open comes from the network's metadata.
struct PictureChoice {
  Fit fit = Fit::Stretch;
  bool bgr = false;
  std::optional<std::array<float, 3>> mean, scale;
  std::string labels; ///< path of a file; empty: those of the metadata
};

/// One number for all colors, or one each for red, green and blue. InvalidArgument: another count.
Result<std::array<float, 3>> numbersOfColors(std::span<const double> numbers);

/// Of the network at a path; empty for what is no .tflite file. Errors of readModelMetadata() name the path.
Result<ModelMetadata> metadataOfFile(const std::string &path);

/// How a picture becomes an input.
ImageForm imageForm(const PictureChoice &choice, const ModelMetadata &metadata);

/// Names of the classes of an output: of the user's file, else of the metadata.
Result<std::vector<std::string>> labelsOf(const PictureChoice &choice, ModelMetadata metadata);

/// Whether an output has one score for each class, and is no map, list of boxes or batch.
bool hasClasses(const cache::OperandView &output);

} // namespace avocet::session

#endif // AVOCET_SESSION_PICTURES_H
