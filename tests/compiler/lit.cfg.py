#===- lit.cfg.py - How the compiler's IR tests run
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Settings of the lit suite. `config` and `lit_config` come from lit; paths come from lit.site.cfg.py."""

import os

import lit.formats
from lit.llvm import llvm_config

config.name = "Avocet"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.avocetBinaryDir, "tests", "compiler")
config.excludes = ["lit.cfg.py", "Inputs"]

llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    ["avocet", "avocet-opt", "avocet-reduce", "avocet-translate", "avocet-lsp-server"], [config.avocetToolsDir, config.llvm_tools_dir]
)
config.substitutions.append(("%models", os.path.join(config.avocetSourceDir, "tests", "models")))
config.substitutions.append(("%schema", os.path.join(config.avocetSourceDir, "compiler/tflite/Tflite.fbs")))
config.substitutions.append(("%tosa", os.path.join(config.avocetSourceDir, "compiler/tosa/Tosa.fbs")))
config.substitutions.append(("%nnapi", os.path.join(config.avocetSourceDir, "compiler/nnapi/nnapiModel.fbs")))
config.substitutions.append(("%shared", config.avocetSharedData))
if config.avocetSharedData and os.path.isdir(config.avocetSharedData):
    config.available_features.add("shared-data")
