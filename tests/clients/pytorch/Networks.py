# Networks.py - Networks of PyTorch with random weights
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as people write them, small in width and depth: NETWORKS has the name, the module, and its inputs."""
import torch
from torch import nn


def convolution(inputs, outputs, kernel=3, stride=1, groups=1, activation=nn.ReLU6):
    layers = [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, groups=groups, bias=False), nn.BatchNorm2d(outputs)]
    return nn.Sequential(*layers, *([activation()] if activation else []))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, gate):
        super().__init__()
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(channels, channels // 4, 1), nn.ReLU(),
                                   nn.Conv2d(channels // 4, channels, 1), gate())

    def forward(self, x):
        return x * self.scale(x)


class Inverted(nn.Module):
    """The block of MobileNet v2 and v3 and of EfficientNet."""

    def __init__(self, inputs, outputs, stride, expansion, activation=nn.ReLU6, gate=None, kernel=3):
        super().__init__()
        width = inputs * expansion
        middle = [SqueezeExcite(width, gate)] if gate else []
        self.layers = nn.Sequential(convolution(inputs, width, 1, activation=activation),
                                    convolution(width, width, kernel, stride, width, activation), *middle,
                                    convolution(width, outputs, 1, activation=None))
        self.adds = stride == 1 and inputs == outputs

    def forward(self, x):
        return x + self.layers(x) if self.adds else self.layers(x)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.layers = nn.Sequential(convolution(inputs, outputs, 3, stride, activation=nn.ReLU),
                                    convolution(outputs, outputs, activation=None))
        self.shortcut = nn.Identity() if stride == 1 else convolution(inputs, outputs, 1, stride, activation=None)

    def forward(self, x):
        return torch.relu(self.layers(x) + self.shortcut(x))


class Head(nn.Module):
    def __init__(self, channels, classes=100):
        super().__init__()
        self.pool, self.classifier = nn.AdaptiveAvgPool2d(1), nn.Linear(channels, classes)

    def forward(self, x):
        return self.classifier(torch.flatten(self.pool(x), 1))


class VisionTransformer(nn.Module):
    def __init__(self, width=64, patches=16):
        super().__init__()
        self.embed = nn.Conv2d(3, width, 16, 16)
        self.token = nn.Parameter(torch.randn(1, 1, width))
        self.positions = nn.Parameter(torch.randn(1, patches + 1, width))
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, activation="gelu", batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.norm, self.classifier = nn.LayerNorm(width), nn.Linear(width, 100)

    def forward(self, x):
        x = self.embed(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.positions
        return self.classifier(self.norm(self.encoder(x))[:, 0])


class Recurrent(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.layers = kind(24, 32, num_layers=2, bidirectional=True)
        self.classifier = nn.Linear(64, 10)

    def forward(self, x):
        return self.classifier(self.layers(x)[0])


IMAGE = (1, 3, 64, 64)
NETWORKS = {
    "mobilenet_v2": (lambda: nn.Sequential(convolution(3, 16, stride=2), Inverted(16, 24, 2, 6), Inverted(24, 24, 1, 6),
                                           Inverted(24, 32, 2, 6), convolution(32, 64, 1), Head(64)), IMAGE),
    "mobilenet_v3": (lambda: nn.Sequential(convolution(3, 16, stride=2, activation=nn.Hardswish),
                                           Inverted(16, 24, 2, 4, nn.ReLU, nn.Hardsigmoid),
                                           Inverted(24, 24, 1, 4, nn.Hardswish, nn.Hardsigmoid, 5), Head(24)), IMAGE),
    "resnet": (lambda: nn.Sequential(convolution(3, 16, 7, 2, activation=nn.ReLU), nn.MaxPool2d(3, 2, 1), Residual(16, 16, 1),
                                     Residual(16, 32, 2), Head(32)), IMAGE),
    "efficientnet": (lambda: nn.Sequential(convolution(3, 16, stride=2, activation=nn.SiLU),
                                           Inverted(16, 24, 2, 6, nn.SiLU, nn.Sigmoid),
                                           Inverted(24, 24, 1, 6, nn.SiLU, nn.Sigmoid, 5), Head(24)), IMAGE),
    "vit": (VisionTransformer, IMAGE),
    "encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, batch_first=True), 2), (1, 20, 64)),
    "lstm": (lambda: Recurrent(nn.LSTM), (12, 1, 24)),
    "gru": (lambda: Recurrent(nn.GRU), (12, 1, 24)),
}


def network(name):
    """The module with weights of a fixed seed, statistics other than 0 and 1, and its input."""
    torch.manual_seed(7)
    make, shape = NETWORKS[name]
    module = make().eval()
    for each in module.modules():
        if isinstance(each, nn.TransformerEncoderLayer):  # whose copies have equal weights otherwise
            for weights in each.parameters():
                if weights.dim() > 1:
                    nn.init.xavier_uniform_(weights)
        if isinstance(each, nn.BatchNorm2d):
            each.running_mean.normal_(0, 0.2)
            each.running_var.uniform_(0.5, 1.5)
    return module, torch.randn(shape)
