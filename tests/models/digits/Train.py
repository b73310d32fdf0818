#===- Train.py - Trains the digits network with Adam
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Training of the digits network: cross entropy, Adam with a cosine-shaped rate."""

import time

import numpy as np

from Network import accuracy, backward, forward

kBatch = 64
kPeakRate = 2e-3


class Adam:
    def __init__(self):
        self.moments_ = {}
        self.steps_ = 0

    def step(self, gradients, rate):
        self.steps_ += 1
        for layer, *parts in gradients:
            for name, gradient in zip(("weights", "bias"), parts):
                self.update_(getattr(layer, name), (layer.name, name), gradient, rate)

    def update_(self, parameter, key, gradient, rate):
        mean, square = self.moments_.setdefault(key, (np.zeros_like(parameter), np.zeros_like(parameter)))
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient * gradient - square)
        meanUnbiased, squareUnbiased = mean / (1 - 0.9**self.steps_), square / (1 - 0.999**self.steps_)
        parameter -= (rate * meanUnbiased / (np.sqrt(squareUnbiased) + 1e-8)).astype(np.float32)


def toInput(images):
    return (images.astype(np.float32) / np.float32(255))[..., None]


def predict(network, images):
    parts = [forward(network, toInput(images[i:i + 250]))["softmax"] for i in range(0, len(images), 250)]
    return np.concatenate(parts)


def train(network, images, labels, epochs, seed):
    """Trains in place; prints loss and accuracy on the training set for each epoch."""
    rng, adam = np.random.default_rng(seed), Adam()
    batches, step = len(images) // kBatch, 0
    for epoch in range(epochs):
        start, losses, hits = time.process_time(), [], []
        for chosen in rng.permutation(len(images))[:batches * kBatch].reshape(batches, kBatch):
            values = forward(network, toInput(images[chosen]))
            probabilities, wanted = values["softmax"], np.eye(10, dtype=np.float32)[labels[chosen]]
            losses.append(-np.mean(np.log(np.sum(probabilities * wanted, axis=-1) + 1e-12)))
            hits.append(accuracy(probabilities, labels[chosen]))
            rate = kPeakRate * 0.5 * (1 + np.cos(np.pi * step / (batches * epochs)))
            adam.step(backward(network, values, (probabilities - wanted) / kBatch), rate)
            step += 1
        print(f"epoch {epoch + 1}/{epochs}: loss {np.mean(losses):.4f}, training accuracy {np.mean(hits):.4f}, "
              f"{time.process_time() - start:.0f} CPU s", flush=True)
