#===- DigitImages.py - Digits drawn from fonts, with distortions
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#
"""Labeled 28x28 gray images of digits, drawn from Debian's fonts and distorted.

Training and test images come from different font families, so the test set measures recognition of shapes that were
not trained on. A set is a function of its families, its size and its seed alone.
"""

import glob

import numpy as np
from PIL import Image, ImageDraw, ImageFont

kSize = 28
kOversample = 4  # images are drawn at this multiple and scaled down, for smooth edges

# Family -> the files of its styles, below /usr/share/fonts. The Debian package and license of each is in the README.
kTrainFamilies = {
    "DejaVu Sans": ["truetype/dejavu/DejaVuSans.ttf", "truetype/dejavu/DejaVuSans-Bold.ttf"],
    "DejaVu Serif": ["truetype/dejavu/DejaVuSerif.ttf", "truetype/dejavu/DejaVuSerif-Bold.ttf"],
    "DejaVu Sans Mono": ["truetype/dejavu/DejaVuSansMono*.ttf"],
    "Liberation Sans": ["truetype/liberation/LiberationSans-*.ttf"],
    "Liberation Sans Narrow": ["truetype/liberation/LiberationSansNarrow-*.ttf"],
    "Liberation Serif": ["truetype/liberation/LiberationSerif-*.ttf"],
    "Liberation Mono": ["truetype/liberation/LiberationMono-*.ttf"],
    "FreeMono": ["truetype/freefont/FreeMono*.ttf"],
    "Lato": ["truetype/lato/Lato-Regular.ttf", "truetype/lato/Lato-*Italic.ttf", "truetype/lato/Lato-Black.ttf"],
    "Open Sans": ["truetype/open-sans/OpenSans-*.ttf"],
    "Cantarell": ["opentype/cantarell/Cantarell-*.otf"],
    "Inconsolata": ["opentype/inconsolata/Inconsolata.otf", "truetype/inconsolata/Inconsolata.otf"],
    "Linux Libertine": ["opentype/linux-libertine/LinLibertine_R*.otf"],
    "Carlito": ["truetype/crosextra/Carlito-*.ttf"],
    "EB Garamond": ["opentype/ebgaramond/EBGaramond12-*.otf"],
    "Humor Sans": ["truetype/humor-sans/Humor-Sans.ttf"],
    "Jura": ["opentype/jura/Jura-*.otf"],
    "Cabin": ["opentype/cabin/Cabin-*.otf"],
    "Comfortaa": ["truetype/comfortaa/Comfortaa-*.ttf"],
    "Averia Sans": ["truetype/averia-gwf/AveriaSansGWF-*.ttf"],
    "Comic Neue": ["opentype/comic-neue/ComicNeue-*.otf"],
    "Kaushan Script": ["opentype/kaushanscript/KaushanScript-Regular.otf"],
    "Kristi": ["truetype/kristi/Kristi.ttf"],
    "Breip": ["truetype/breip/Breip.ttf"],
    "Because We Build": ["opentype/bwht/BecauseWeBuild-Regular.otf"],
    "Because We Connect": ["opentype/bwht/BecauseWeConnect-Regular.otf"],
    "Because We Create": ["opentype/bwht/BecauseWeCreate-Regular.otf"],
    "Because We Learn": ["opentype/bwht/BecauseWeLearn-Regular.otf"],
    "Because We Mentor": ["opentype/bwht/BecauseWeMentor-Regular.otf"],
    "Because We Organize": ["opentype/bwht/BecauseWeOrganize-Regular.otf"],
}
kTestFamilies = {
    "Roboto": ["truetype/roboto/unhinted/RobotoTTF/Roboto-*.ttf"],
    "Caladea": ["truetype/crosextra/Caladea-*.ttf"],
    "Quicksand": ["truetype/quicksand/Quicksand-*.ttf"],
    "Junicode": ["opentype/junicode/JunicodeTwoBeta-Regular.otf", "opentype/junicode/JunicodeTwoBeta-Bold*.otf"],
    "Play": ["truetype/play/Play-*.ttf"],
    "DKG Handwriting": ["truetype/fifthhorseman/dkg*.ttf"],
}


def fontFiles(families):
    """The files of each family in a fixed order; a family without any is an error, as the set would change silently."""
    found = {}
    for family, patterns in families.items():
        files = sorted(f for p in patterns for f in glob.glob("/usr/share/fonts/" + p))
        if not files:
            raise SystemExit(f"font family '{family}' is not installed (see README.md for the packages)")
        found[family] = files
    return found


def drawGlyph(digit, fontFile, height, stroke):
    """The digit alone, white on black, oversampled and centered; height in pixels of the final image."""
    side = kSize * kOversample
    font = ImageFont.truetype(fontFile, 3 * side // 4)
    left, top, right, bottom = font.getbbox(str(digit), stroke_width=stroke)
    glyph = Image.new("L", (right - left, bottom - top))
    ImageDraw.Draw(glyph).text((-left, -top), str(digit), fill=255, font=font, stroke_width=stroke)
    scale = height * kOversample / glyph.height
    width = min(max(1, round(glyph.width * scale)), side)
    glyph = glyph.resize((width, round(height * kOversample)), Image.Resampling.BILINEAR)
    canvas = Image.new("L", (side, side))
    canvas.paste(glyph, ((side - glyph.width) // 2, (side - glyph.height) // 2))
    return canvas


def distort(canvas, rng, strength):
    """Rotation, shear, scale by axis and shift about the center, then the scaling down to the final size."""
    angle, shear = np.deg2rad(rng.uniform(-15, 15)) * strength, rng.uniform(-0.2, 0.2) * strength
    stretch = np.diag(rng.uniform(0.85, 1.15, 2) ** strength)
    rotate = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    matrix = rotate @ np.array([[1, shear], [0, 1]]) @ stretch
    center = np.array([canvas.width, canvas.height]) / 2
    offset = center - matrix @ (center + rng.uniform(-2, 2, 2) * kOversample)
    coefficients = (*matrix[0], offset[0], *matrix[1], offset[1])
    warped = canvas.transform(canvas.size, Image.Transform.AFFINE, coefficients, Image.Resampling.BILINEAR)
    return np.asarray(warped.resize((kSize, kSize), Image.Resampling.BOX), np.float32) / 255


def wave(canvas, rng):
    """Bends the strokes: each axis is displaced by a long sine along the other, up to 7 % of the image."""
    side = canvas.width
    along = np.arange(side)
    phases, waves, heights = rng.uniform(0, 2 * np.pi, 2), rng.uniform(0.6, 1.6, 2), rng.uniform(0, 0.07, 2)
    shifts = np.rint(heights[:, None] * side * np.sin(phases[:, None] + 2 * np.pi * waves[:, None] * along / side))
    rows = np.clip(along[:, None] + shifts[0][None, :], 0, side - 1).astype(int)
    columns = np.clip(along[None, :] + shifts[1][:, None], 0, side - 1).astype(int)
    return Image.fromarray(np.asarray(canvas)[rows, columns])


def degrade(image, rng):
    """Ink and paper of varying brightness, a gradient across the paper, and noise; result uint8."""
    paper, ink = rng.uniform(0.0, 0.25), rng.uniform(0.6, 1.0)
    ramp = np.linspace(-0.5, 0.5, kSize) * rng.uniform(-0.2, 0.2)
    field = paper + (ramp[:, None] if rng.integers(2) else ramp[None, :])
    noisy = field + image * (ink - field) + rng.normal(0, rng.uniform(0.0, 0.1), image.shape)
    return np.clip(np.rint(noisy * 255), 0, 255).astype(np.uint8)


def makeSet(families, count, seed, forTraining):
    """count images [count, 28, 28] uint8 and labels [count] uint8; digits and families are evenly spread.

    Training images are distorted more than test images, so that the network generalizes better to new fonts.
    """
    rng = np.random.default_rng(seed)
    files = list(fontFiles(families).values())
    images = np.empty((count, kSize, kSize), np.uint8)
    labels = np.arange(count) % 10
    for i in range(count):
        family = files[(i // 10) % len(files)]
        fontFile = family[rng.integers(len(family))]
        canvas = drawGlyph(labels[i], fontFile, rng.uniform(16, 23), int(rng.integers(0, 4)))
        canvas = wave(canvas, rng) if forTraining else canvas
        images[i] = degrade(distort(canvas, rng, strength=1.6 if forTraining else 1.0), rng)
    order = rng.permutation(count)
    return images[order], labels[order].astype(np.uint8)


def writeIdx(path, array):
    """IDX as in the MNIST database: two zero bytes, type 0x08 (uint8), rank, big-endian extents, data."""
    header = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">u4").tobytes()
    with open(path, "wb") as file:
        file.write(header + array.astype(np.uint8).tobytes())
