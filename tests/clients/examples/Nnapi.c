// Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NNAPI from C: a convolution that finds vertical edges in a 5x5 image.
//   cc Nnapi.c -Ihal/nnapi/include -Lbuild/release/lib -lneuralnetworks -Wl,-rpath,$PWD/build/release/lib && ./a.out
#include <avocet/NeuralNetworks.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    const int code = (call);                                                                                           \
    if (code != ANEURALNETWORKS_NO_ERROR)                                                                              \
      return fprintf(stderr, "%s: code %d\n", #call, code), EXIT_FAILURE;                                              \
  } while (0)

int main(void) {
  const uint32_t imageShape[] = {1, 5, 5, 1}, windowShape[] = {1, 3, 3, 1}, biasShape[] = {1};
  const ANeuralNetworksOperandType image = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, imageShape, 0, 0};
  const ANeuralNetworksOperandType filter = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, windowShape, 0, 0};
  const ANeuralNetworksOperandType bias = {ANEURALNETWORKS_TENSOR_FLOAT32, 1, biasShape, 0, 0};
  const ANeuralNetworksOperandType edges = {ANEURALNETWORKS_TENSOR_FLOAT32, 4, windowShape, 0, 0};
  const ANeuralNetworksOperandType number = {ANEURALNETWORKS_INT32, 0, NULL, 0, 0};
  const float sobel[] = {-1, 0, 1, -2, 0, 2, -1, 0, 1}, noBias[] = {0};
  const int32_t padding = ANEURALNETWORKS_PADDING_VALID, stride = 1, activation = ANEURALNETWORKS_FUSED_RELU;

  // Operands are numbered in the order in which they are added: 0 the image, 1 the filter, ... 7 the result.
  ANeuralNetworksModel *model;
  CHECK(ANeuralNetworksModel_create(&model));
  const ANeuralNetworksOperandType *types[] = {&image, &filter, &bias, &number, &number, &number, &number, &edges};
  for (int i = 0; i < 8; ++i)
    CHECK(ANeuralNetworksModel_addOperand(model, types[i]));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 1, sobel, sizeof(sobel)));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 2, noBias, sizeof(noBias)));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 3, &padding, sizeof(padding)));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 4, &stride, sizeof(stride)));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 5, &stride, sizeof(stride)));
  CHECK(ANeuralNetworksModel_setOperandValue(model, 6, &activation, sizeof(activation)));
  const uint32_t inputs[] = {0, 1, 2, 3, 4, 5, 6}, outputs[] = {7};
  CHECK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_CONV_2D, 7, inputs, 1, outputs));
  CHECK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, inputs, 1, outputs));
  CHECK(ANeuralNetworksModel_finish(model));

  ANeuralNetworksCompilation *compilation; // for the best device, or several
  CHECK(ANeuralNetworksCompilation_create(model, &compilation));
  CHECK(ANeuralNetworksCompilation_finish(compilation));

  float pixels[25], result[9];
  for (int i = 0; i < 25; ++i)
    pixels[i] = i % 5 < 2 ? 0.0f : 1.0f; // dark on the left, bright on the right
  ANeuralNetworksExecution *execution;
  CHECK(ANeuralNetworksExecution_create(compilation, &execution));
  CHECK(ANeuralNetworksExecution_setInput(execution, 0, NULL, pixels, sizeof(pixels)));
  CHECK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, result, sizeof(result)));
  CHECK(ANeuralNetworksExecution_compute(execution));
  printf("edges: %g %g %g\n", result[0], result[1], result[2]);
  ANeuralNetworksExecution_free(execution);
  ANeuralNetworksCompilation_free(compilation);
  ANeuralNetworksModel_free(model);
}
