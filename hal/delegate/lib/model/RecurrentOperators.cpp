//===- RecurrentOperators.cpp - Operators with states - *- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "abi/TfliteParameters.h"
#include "model/OperatorTables.h"

#include <fmt/core.h>

namespace avocet::delegate {
namespace {

using tflite::BuiltinOperator;

/// `since`: the version that added the last member.
template <int32_t since, typename Parameters, typename Options>
Status fillCell(const Parameters &from, int32_t version, Options &to) {
  if (version >= since)
    to.asymmetric_quantize_inputs = from.quantizesAsymmetrically;
  return setActivation(from.activation, to.activation);
}

template <int32_t since, typename Parameters, typename Options>
Status fillLstmCell(const Parameters &from, int32_t version, Options &to) {
  to.cell_clip = from.cellClip;
  to.proj_clip = from.projectionClip;
  return fillCell<since>(from, version, to);
}

Status fillLshProjection(const abi::LshProjectionParameters &from, int32_t, tflite::LSHProjectionOptionsT &to) {
  if (from.type < 0 || from.type > static_cast<int32_t>(tflite::LshProjectionType::MAX))
    return unsupported(fmt::format("type {}, must be 1 (SPARSE) or 2 (DENSE)", from.type));
  to.type = static_cast<tflite::LshProjectionType>(from.type);
  return Status::ok();
}

Status fillSvdf(const abi::SvdfParameters &from, int32_t version, tflite::SVDFOptionsT &to) {
  to.rank = from.rank;
  return fillCell<4>(from, version, to);
}

Status fillRnn(const abi::RnnParameters &from, int32_t version, tflite::RNNOptionsT &to) {
  return fillCell<3>(from, version, to);
}

Status fillSequenceRnn(const abi::SequenceRnnParameters &from, int32_t version, tflite::SequenceRNNOptionsT &to) {
  to.time_major = from.isTimeMajor;
  return fillCell<3>(from, version, to);
}

Status fillBidirectionalRnn(const abi::BidirectionalRnnParameters &from, int32_t version,
                            tflite::BidirectionalSequenceRNNOptionsT &to) {
  to.time_major = from.isTimeMajor;
  to.merge_outputs = from.mergesOutputs;
  return fillCell<3>(from, version, to);
}

Status fillLstm(const abi::LstmParameters &from, int32_t version, tflite::LSTMOptionsT &to) {
  if (version >= 2) {
    if (from.kernel != 0 && from.kernel != 1)
      return unsupported(fmt::format("kernel type {}, must be 0 (full) or 1 (basic)", from.kernel));
    to.kernel_type = static_cast<tflite::LstmKernelType>(from.kernel);
  }
  return fillLstmCell<4>(from, version, to);
}

Status fillSequenceLstm(const abi::SequenceLstmParameters &from, int32_t version,
                        tflite::UnidirectionalSequenceLSTMOptionsT &to) {
  to.time_major = from.isTimeMajor;
  if (version >= 4)
    to.diagonal_recurrent_tensors = from.hasDiagonalRecurrence;
  return fillLstmCell<3>(from, version, to);
}

Status fillBidirectionalLstm(const abi::BidirectionalLstmParameters &from, int32_t version,
                             tflite::BidirectionalSequenceLSTMOptionsT &to) {
  to.merge_outputs = from.mergesOutputs;
  if (version >= 2)
    to.time_major = from.isTimeMajor;
  return fillLstmCell<3>(from, version, to);
}

constexpr OperatorRow kRows[] = {
    {BuiltinOperator::LSH_PROJECTION, 1,
     writeOptions<abi::LshProjectionParameters, tflite::LSHProjectionOptionsT, fillLshProjection>},
    {BuiltinOperator::SVDF, 4, writeOptions<abi::SvdfParameters, tflite::SVDFOptionsT, fillSvdf>, 4},
    {BuiltinOperator::RNN, 3, writeOptions<abi::RnnParameters, tflite::RNNOptionsT, fillRnn>, 3},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_RNN, 3,
     writeOptions<abi::SequenceRnnParameters, tflite::SequenceRNNOptionsT, fillSequenceRnn>, 3},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_RNN, 3,
     writeOptions<abi::BidirectionalRnnParameters, tflite::BidirectionalSequenceRNNOptionsT, fillBidirectionalRnn>, 3},
    {BuiltinOperator::LSTM, 4, writeOptions<abi::LstmParameters, tflite::LSTMOptionsT, fillLstm>, 4},
    {BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, 4,
     writeOptions<abi::SequenceLstmParameters, tflite::UnidirectionalSequenceLSTMOptionsT, fillSequenceLstm>, 3},
    {BuiltinOperator::BIDIRECTIONAL_SEQUENCE_LSTM, 3,
     writeOptions<abi::BidirectionalLstmParameters, tflite::BidirectionalSequenceLSTMOptionsT, fillBidirectionalLstm>,
     3},
};

} // namespace

std::span<const OperatorRow> recurrentOperators() { return kRows; }

} // namespace avocet::delegate
