//===- OpenNetwork.cpp - A network with open extents ------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "model/OpenNetwork.h"

#include "Onnx.pb.h"
#include "avocet/hal/driver/OnnxExtension.h"

namespace avocet::ort {

Result<plugin::Network> OpenNetwork::at(const Shapes &shapes) const {
  onnx_file::ModelProto model;
  if (!model.ParseFromString(file) || shapes.size() != inputs.size() ||
      static_cast<size_t>(model.graph().input_size()) != inputs.size())
    return internalError("the network's file does not have its inputs");
  plugin::Network network;
  network.format = compiler::InputFormat::Onnx;
  for (size_t i = 0; i < shapes.size(); ++i) {
    onnx_file::ValueInfoProto &input = *model.mutable_graph()->mutable_input(static_cast<int>(i));
    onnx_file::TensorShapeProto &shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape.clear_dim();
    for (const int64_t extent : shapes[i])
      shape.add_dim()->set_dim_value(extent);
    network.inputs.push_back(hal::onnxOperand(inputs[i], std::vector<int32_t>(shapes[i].begin(), shapes[i].end())));
  }
  for (const firmware::DataType output : outputs)
    network.outputs.push_back(hal::onnxOutput(output));
  const std::string bytes = model.SerializeAsString();
  network.file.assign(bytes.begin(), bytes.end());
  return network;
}

} // namespace avocet::ort
