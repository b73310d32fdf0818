# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PyTorch module on NNAPI. Nothing here is about Avocet; LD_LIBRARY_PATH selects it:

    LD_LIBRARY_PATH=build/release/lib python3 Pytorch.py
"""
import torch
from torch.backends._nnapi.prepare import convert_model_to_nnapi


class Network(torch.nn.Module):
    """A small image classifier."""

    def __init__(self):
        super().__init__()
        self.features = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3, stride=2, padding=1), torch.nn.ReLU(),
                                            torch.nn.Conv2d(16, 16, 3, padding=1, groups=16), torch.nn.ReLU(),
                                            torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self.classifier = torch.nn.Sequential(torch.nn.Linear(16, 10), torch.nn.Softmax(1))

    def forward(self, image):
        return self.classifier(self.features(image))


def main():
    torch.manual_seed(1)
    network = Network().eval()
    # NNAPI's devices prefer images whose channels are innermost; the mark tells the converter.
    image = torch.rand(1, 3, 32, 32).contiguous(memory_format=torch.channels_last)
    image.nnapi_nhwc = True
    with torch.no_grad():
        traced = torch.jit.trace(network, image)
        converted = convert_model_to_nnapi(traced, image)
        difference = (converted(image) - network(image)).abs().max().item()
    print(f"largest difference to eager mode: {difference:.1e}")
    return 0 if difference < 1e-5 else 1


if __name__ == "__main__":
    raise SystemExit(main())
