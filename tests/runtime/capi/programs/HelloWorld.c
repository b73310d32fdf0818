/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <avocet/avocet.h>
#include <stdio.h>
#include <string.h>

static int check(AvocetError *error) { return error && fprintf(stderr, "%s\n", avocetErrorMessage(error)); }

int main(int argc, char **argv) {
  AvocetNetwork *network;
  AvocetModel *model;
  AvocetRun *run;
  AvocetTensor *input, *output;
  if (argc < 2 || check(avocetNetworkOpen(argv[1], &network)) || check(avocetNetworkCompile(network, NULL, &model)) ||
      check(avocetRunCreate(model, NULL, NULL, &run)) || check(avocetRunTensor(run, AVOCET_INPUT, 0, &input)) ||
      check(avocetRunTensor(run, AVOCET_OUTPUT, 0, &output)))
    return 1;
  memset(avocetTensorData(input), 1, avocetTensorBytes(input));
  if (check(avocetRunExecute(run)))
    return 1;
  for (size_t i = 0; i < avocetTensorBytes(output); ++i)
    printf("%d ", ((const signed char *)avocetTensorData(output))[i]);
  return 0;
}
