/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 * The header compiles as C99, and each function has the type of a C function. */
#include "avocet/avocet.h"

#include <stdio.h>

int main(void) {
  printf("%u %s\n", (unsigned)avocetApiVersion(), avocetVersion());
  return avocetApiVersion() == AVOCET_API_VERSION && avocetErrorCode(NULL) == AVOCET_OK ? 0 : 1;
}
