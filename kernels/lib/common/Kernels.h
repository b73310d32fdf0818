//===- Kernels.h - The kernel objects ------------------------*- C++ -*-===//
//
// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each kernel's folder defines one of these; the registry lists them.
//
//===----------------------------------------------------------------------===//

#ifndef AVOCET_KERNELS_LIB_COMMON_KERNELS_H
#define AVOCET_KERNELS_LIB_COMMON_KERNELS_H

#include "avocet/kernels/Kernel.h"

namespace avocet::kernels {

const Kernel &convKernel();
const Kernel &poolKernel();
const Kernel &eltwiseKernel();
const Kernel &lookupKernel();

const Kernel &softmaxKernel();
const Kernel &meanKernel();
const Kernel &quantizeKernel();
const Kernel &dequantizeKernel();
const Kernel &requantizeKernel();
const Kernel &dynamicQuantizeKernel();
const Kernel &rowRangeKernel();
const Kernel &dynamicRecordKernel();
const Kernel &dynamicValuesKernel();
const Kernel &unaryKernel();
const Kernel &integerLstmKernel();
const Kernel &floatLstmKernel();
const Kernel &integerLstmStepsKernel();
const Kernel &floatLstmStepsKernel();
const Kernel &rearrangeKernel();
const Kernel &wideSigmoidKernel();
const Kernel &windowConvKernel();
const Kernel &windowPoolKernel();
const Kernel &gatherKernel();
const Kernel &hashtableLookupKernel();
const Kernel &lshProjectionKernel();
const Kernel &resizeKernel();

const Kernel &binaryKernel();
const Kernel &selectKernel();
const Kernel &castKernel();
const Kernel &reduceKernel();
const Kernel &argReduceKernel();

const Kernel &softmaxNdKernel();
const Kernel &logSoftmaxKernel();
const Kernel &topKKernel();
const Kernel &detectionPostprocessKernel();
const Kernel &boxTransformKernel();
const Kernel &boxNmsLimitKernel();
const Kernel &generateProposalsKernel();
const Kernel &heatmapKeypointKernel();
const Kernel &regionsKernel();
const Kernel &cumulativeSumKernel();
const Kernel &gatherNdKernel();
const Kernel &scatterKernel();
const Kernel &nonMaxSuppressionKernel();
const Kernel &l2NormalizeKernel();
const Kernel &localResponseKernel();
const Kernel &instanceNormalizeKernel();
const Kernel &lstmCellKernel();
const Kernel &rnnCellKernel();
const Kernel &svdfKernel();
const Kernel &integerLstmCellKernel();
const Kernel &quantized16BitLstmKernel();
const Kernel &hybridLstmCellKernel();
const Kernel &hybridRnnCellKernel();
const Kernel &hybridSvdfKernel();
const Kernel &integerSvdfKernel();
const Kernel &randomMultinomialKernel();

} // namespace avocet::kernels

#endif // AVOCET_KERNELS_LIB_COMMON_KERNELS_H
