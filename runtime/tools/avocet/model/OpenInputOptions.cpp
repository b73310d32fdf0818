//===- OpenInputOptions.cpp - Options for what a model leaves open --------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenInputOptions.h"

namespace avocet::tool {

void addOptions(CommandLine &command, OpenInputs &inputs) {
  command
      .addTexts(
          "--shape", inputs.shapes,
          "Shape of an input of a .tflite or .onnx model, such as input=1x224x224x3; repeatable; default: as in the "
          "file")
      .oneEach()
      .valueName("NAME=EXTENTS");
  command.addTexts("--dim", inputs.extents, "Extent that an .onnx model calls by a name, such as batch=1; repeatable")
      .oneEach()
      .valueName("NAME=EXTENT");
  command
      .addTexts(
          "--value", inputs.values,
          "Value of an input of an .onnx model that determines the program, such as the shape of a Reshape, as a raw "
          "tensor; repeatable")
      .oneEach()
      .valueName("NAME=FILE");
  command
      .addTexts(
          "--layout", inputs.layouts,
          "Order of the axes of an input or output of a .tflite, .tosa or .onnx model for the caller: NCHW, NHWC, NCW, "
          "NWC, NCDHW or NDHWC; without NAME: of all with so many axes; repeatable; default: as in the file")
      .oneEach()
      .valueName("[NAME=]LAYOUT");
}

} // namespace avocet::tool
