# ExportNetworks.py - Exports the networks of Networks.py to ONNX
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ExportNetworks.py FOLDER: writes NAME.onnx, its input NAME.in and the output of PyTorch, NAME.out, as raw floats."""
import sys
from pathlib import Path

import torch
from Networks import NETWORKS, network

for name in NETWORKS:
    module, data = network(name)
    folder = Path(sys.argv[1])
    torch.onnx.export(module, data, str(folder / f"{name}.onnx"), opset_version=17, input_names=["input"],
                      output_names=["output"])
    with torch.no_grad():
        result = module(data)
    (folder / f"{name}.in").write_bytes(data.numpy().tobytes())
    (folder / f"{name}.out").write_bytes(result.numpy().tobytes())
    print(name, list(data.shape), "->", list(result.shape))
