//===- SessionTest.cpp - Sessions of an unmodified ONNX Runtime -*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Onnx.pb.h"
#include "OnnxRuntime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace avocet::ort {
namespace {

using namespace onnx_file;
using testing::ElementsAre;
using testing::HasSubstr;

void setShape(ValueInfoProto &value, const char *name, const std::vector<int64_t> &shape) {
  value.set_name(name);
  value.mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
  for (const int64_t extent : shape)
    value.mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim()->set_dim_value(extent);
}

void addNode(GraphProto &graph, const char *type, const std::vector<const char *> &inputs, const char *output) {
  NodeProto &node = *graph.add_node();
  node.set_op_type(type);
  for (const char *input : inputs)
    node.add_input(input);
  node.add_output(output);
}

/// y = Relu(x * m + c), of a vector with 3 elements.
std::string affineModel(float offset) {
  ModelProto model;
  model.set_ir_version(8);
  model.add_opset_import()->set_version(17);
  GraphProto &graph = *model.mutable_graph();
  graph.set_name("graph");
  setShape(*graph.add_input(), "x", {1, 3});
  setShape(*graph.add_output(), "y", {1, 2});
  const auto addConstant = [&](const char *name, const std::vector<int64_t> &shape, const std::vector<float> &data) {
    TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(TensorProto::FLOAT);
    tensor.mutable_dims()->Assign(shape.begin(), shape.end());
    tensor.set_raw_data(data.data(), data.size() * sizeof(float));
  };
  addConstant("m", {3, 2}, {1, 0, 0, 1, 2, -2});
  addConstant("c", {2}, {offset, 0});
  addNode(graph, "MatMul", {"x", "m"}, "p");
  addNode(graph, "Add", {"p", "c"}, "s");
  addNode(graph, "Relu", {"s"}, "y");
  return model.SerializeAsString();
}

class OnnxRuntimeSessions : public testing::Test {
protected:
  void SetUp() override {
    if ((runtime_ = OnnxRuntime::get()) == nullptr)
      GTEST_SKIP() << "ONNX Runtime is not in " AVOCET_CLIENTS "; scripts/setup --clients installs it";
  }

  std::vector<float> run(const OwnedSession &session) {
    return runtime_->run(session, "x", {1, 3}, {1, 2, 3}, "y", error_);
  }

  const OnnxRuntime *runtime_ = nullptr;
  std::string error_;
};

TEST_F(OnnxRuntimeSessions, NetworkRunsOnTheDevice) {
  const OwnedSession session = runtime_->open(affineModel(0.5f), {{"device", "e256"}}, error_);
  ASSERT_NE(session, nullptr) << error_;
  EXPECT_THAT(run(session), ElementsAre(7.5f, 0)) << error_;
}

TEST_F(OnnxRuntimeSessions, ManyAreIndependent) {
  std::vector<OwnedSession> sessions;
  for (const float offset : {1.0f, 2.0f, 3.0f, 4.0f}) {
    sessions.push_back(runtime_->open(affineModel(offset), {}, error_));
    ASSERT_NE(sessions.back(), nullptr) << error_;
  }
  std::vector<std::thread> threads;
  for (size_t i = 0; i < sessions.size(); ++i)
    threads.emplace_back([this, &sessions, i] {
      for (int turn = 0; turn < 25; ++turn) {
        std::string error;
        EXPECT_THAT(runtime_->run(sessions[i], "x", {1, 3}, {1, 2, 3}, "y", error),
                    ElementsAre(8.0f + static_cast<float>(i), 0))
            << error;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(OnnxRuntimeSessions, OneRunsInSeveralThreads) {
  const OwnedSession session = runtime_->open(affineModel(0), {}, error_);
  ASSERT_NE(session, nullptr) << error_;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([this, &session] {
      for (int turn = 0; turn < 25; ++turn) {
        std::string error;
        EXPECT_THAT(runtime_->run(session, "x", {1, 3}, {1, 2, 3}, "y", error), ElementsAre(7, 0)) << error;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(OnnxRuntimeSessions, WrongOptionReachesTheApplication) {
  EXPECT_EQ(runtime_->open(affineModel(0), {{"device", "e999"}}, error_), nullptr);
  EXPECT_THAT(error_, HasSubstr("the embedded device 'e999' cannot be opened"));
}

} // namespace
} // namespace avocet::ort
