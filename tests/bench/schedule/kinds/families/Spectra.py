# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Short-time spectra, as speech networks begin: a line for each frame of samples."""

import Layers
from Case import Case, byX

# Frames, samples of a frame, points.
SIZES = ((1, 512, 512), (98, 400, 512), (100, 256, 256), (50, 1024, 1024), (50, 2048, 2048), (1000, 512, 512), (7, 64, 64))


def spectra():
    for frames, samples, points in SIZES:
        def parts(model, frames=frames, samples=samples, points=points):
            spectrum = Layers.rfft(model, model.input(frames, samples), points)
            model.output(*(model.op(code, [spectrum], spectrum.shape) for code in ("REAL", "IMAG")))

        def magnitude(model, frames=frames, samples=samples, points=points):
            spectrum = Layers.rfft(model, model.input(frames, samples), points)
            model.output(model.op("COMPLEX_ABS", [spectrum], spectrum.shape))

        for name, build in (("parts", parts), ("magnitude", magnitude)):
            yield Case("spectra", f"{name} {byX(frames, samples)} to {points} f32", "f32", build)


def cases():
    yield from spectra()
