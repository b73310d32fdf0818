//===- Variables.cpp - Variables that keep their values between runs ------===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operators.h"

namespace avocet::differential {
namespace {

int32_t drawHandle(Draft &draft, const std::string &name) {
  tflite::VarHandleOptionsT options;
  options.shared_name = name;
  const int32_t handle = draft.model().addTensor({}, Draft::plain(TensorType::RESOURCE));
  draft.op(BuiltinOperator::VAR_HANDLE, {}, {handle}, options);
  return handle;
}

void assign(Draft &draft, int32_t handle, int32_t value) {
  draft.op(BuiltinOperator::ASSIGN_VARIABLE, {handle, value}, {}, tflite::AssignVariableOptionsT());
}

void read(Draft &draft, int32_t handle, int32_t result) {
  draft.op(BuiltinOperator::READ_VARIABLE, {handle}, {result}, tflite::ReadVariableOptionsT());
}

/// CALL_ONCE with a subgraph that gives the variables their first values.
void initialize(Draft &draft, const std::vector<std::string> &names, const Shape &shape, const Element &element) {
  tflite::CallOnceOptionsT options;
  options.init_subgraph_index = static_cast<int32_t>(draft.model().openSubgraph());
  for (const std::string &name : names)
    assign(draft, drawHandle(draft, name), draft.constant(shape, element));
  draft.model().closeSubgraph();
  draft.op(BuiltinOperator::CALL_ONCE, {}, {}, options);
}

/// Reads a variable, assigns the input or (if there is a sum of this type) its sum with the old value, reads it again
/// through another handle, and reads a variable that nothing assigns. All that in several runs.
void drawVariables(Draft &draft) {
  const Shape shape = draft.shape(1, 4);
  const Element element = draft.element();
  initialize(draft, {"state", "fixed"}, shape, element);
  const int32_t input = draft.input(shape, element), handle = drawHandle(draft, "state");
  const int32_t old = draft.output(shape, element);
  read(draft, handle, old);
  int32_t next = input;
  if (draft.kind() == Kind::F32 || draft.kind() == Kind::I32) {
    next = draft.model().addTensor(shape, element);
    draft.op(BuiltinOperator::ADD, {old, input}, {next}, tflite::AddOptionsT());
  }
  assign(draft, handle, next);
  read(draft, drawHandle(draft, "state"), draft.output(shape, element));
  read(draft, drawHandle(draft, "fixed"), draft.output(shape, element));
  for (int32_t more = draft.pick(1, 4); more > 0; --more)
    draft.model().addRun({draft.values(shape, element, {})});
}

const std::vector<Kind> kKinds = {Kind::F32, Kind::I8, Kind::U8, Kind::I16, Kind::I32, Kind::I64, Kind::Bool};

const Row kRows[] = {
    {BuiltinOperator::ASSIGN_VARIABLE, kKinds, drawVariables},
    {BuiltinOperator::CALL_ONCE, kKinds, drawVariables},
    {BuiltinOperator::READ_VARIABLE, kKinds, drawVariables},
    {BuiltinOperator::VAR_HANDLE, kKinds, drawVariables},
};

} // namespace

std::span<const Row> variableRows() { return kRows; }

} // namespace avocet::differential
