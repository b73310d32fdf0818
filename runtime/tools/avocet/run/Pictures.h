//===- Pictures.h - Pictures as inputs of runs ------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_RUNTIME_TOOLS_AVOCET_RUN_PICTURES_H
#define AVOCET_RUNTIME_TOOLS_AVOCET_RUN_PICTURES_H

#include "avocet/analysis/Report.h"
#include "avocet/base/CommandLine.h"
#include "avocet/session/Pictures.h"
#include "avocet/session/Session.h"

namespace avocet::tool {

struct PictureOptions {
  std::vector<std::string> files;  ///< one for each run; none: the inputs come from elsewhere
  session::PictureChoice choice;   ///< open() adds mean and scale
  std::vector<double> mean, scale; ///< one number, or one for each color; empty: as the model's metadata say
  size_t top = 5;
};

/// Adds --image and the options that belong to it.
void addPictureOptions(CommandLine &command, PictureOptions &options);

class Pictures {
public:
  /// `model`: path of the model, whose metadata are read if it is a .tflite file. InvalidArgument: the numbers of an
  /// option are not one or three.
  static Result<Pictures> open(const PictureOptions &options, const std::string &model);

  /// Fills the only input of a network from the file of a run. InvalidArgument: it has several inputs, or none that a
  /// picture fits.
  Status fill(session::Session &session, uint32_t run) const;

  /// The best classes of the first output after that run, if it has scores of one picture.
  std::vector<analysis::ClassReport> classesOf(const session::Session &session, uint32_t run) const;

private:
  explicit Pictures(const PictureOptions &options) : options_(options) {}

  const PictureOptions &options_;
  session::ImageForm form_;
  std::vector<std::string> labels_;
};

} // namespace avocet::tool

#endif // AVOCET_RUNTIME_TOOLS_AVOCET_RUN_PICTURES_H
