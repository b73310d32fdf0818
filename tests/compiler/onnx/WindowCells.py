# WindowCells.py - Random convolutions, pools and resizes
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

import Proto
from ElementCells import is_float
from Row import BYTES, FLOATS, named, rows


def window(draw, rank, dilated=True, most=8):
    """Kernel, strides, dilations and extents of a window that fits, along each axis."""
    kernel, strides = draw.extents(rank, 3), draw.extents(rank, 3)
    dilations = draw.extents(rank, 2) if dilated else [1] * rank
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    return kernel, strides, dilations, [draw.integer(each, max(most, each)) for each in reach]


def padding(draw, kernel, strides, dilations):
    """Attributes of the padding: explicit, or by a rule."""
    rule = draw.choice(["pads", "pads", None, "NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"])
    if rule in ("SAME_UPPER", "SAME_LOWER") and (
            any(each > 1 for each in dilations) or any(k < s for k, s in zip(kernel, strides))):
        rule = "pads"  # the runtime refuses dilations, and negative paddings
    if rule == "pads":
        return {"pads": [draw.integer(0, k - 1) for k in kernel * 2]}
    return {"auto_pad": rule}


def optional(draw, **attributes):
    """Without some attributes whose value is the default."""
    return {name: value for name, value in attributes.items() if any(each != 1 for each in value) or draw.chance(0.5)}


def space(draw, type_):
    """How many axes are windowed."""
    return draw.choice([1, 2, 2, 2, 3]) if type_ == "f32" else 2


def convolution(case, draw, type_):
    rank, group = space(draw, type_), draw.choice([1, 1, 2, 3])
    kernel, strides, dilations, size = window(draw, rank)
    ins, outs = draw.integer(1, 4), draw.integer(1, 4)
    if group > 1 and draw.chance(0.5):
        ins = 1  # depthwise
    weights = draw.tensor(type_, [group * outs, ins, *kernel], -1, 1)
    inputs = [case.input(draw.tensor(type_, [draw.integer(1, 2), group * ins, *size])),
              case.constant(weights) if draw.chance(0.8) else case.input(weights)]
    if draw.chance(0.6):
        inputs.append(case.constant(draw.tensor(type_, [group * outs])))
    attributes = optional(draw, kernel_shape=kernel, strides=strides, dilations=dilations, group=[group])
    if "group" in attributes:
        attributes["group"] = group
    case.result(case.node("Conv", inputs, **attributes, **padding(draw, kernel, strides, dilations)))


def fused_convolution(case, draw, type_):
    kernel, strides, dilations, size = window(draw, 2)
    ins, outs = draw.integer(1, 4), draw.integer(1, 4)
    inputs = [case.input(draw.tensor(type_, [1, ins, *size])), case.constant(draw.tensor(type_, [outs, ins, *kernel], -1, 1))]
    if draw.chance(0.6):
        inputs.append(case.constant(draw.tensor(type_, [outs])))
    activation, parameters = draw.choice([("Relu", None), ("Sigmoid", None), ("Tanh", None), ("LeakyRelu", [0.2]), ("Clip", [-1.0, 2.0]),
                                          ("HardSigmoid", [0.2, 0.4])])
    attributes = optional(draw, strides=strides, dilations=dilations)
    case.result(case.node("FusedConv", inputs, domain="com.microsoft", kernel_shape=kernel, activation=activation,
                          activation_params=parameters, **attributes, **padding(draw, kernel, strides, dilations)))


def transposed(case, draw, type_):
    rank, group = space(draw, type_), draw.choice([1, 1, 2])
    kernel, strides, dilations, size = window(draw, rank, most=5)
    ins, outs = draw.integer(1, 3), draw.integer(1, 3)
    inputs = [case.input(draw.tensor(type_, [draw.integer(1, 2), group * ins, *size])),
              case.constant(draw.tensor(type_, [group * ins, outs, *kernel], -1, 1))]
    if draw.chance(0.6):
        inputs.append(case.constant(draw.tensor(type_, [group * outs])))
    attributes = optional(draw, kernel_shape=kernel, strides=strides, dilations=dilations)
    if group > 1 or draw.chance(0.3):
        attributes["group"] = group
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations)]
    # Paddings by a rule would be negative where windows leave gaps.
    form = draw.choice(["pads", "pads", *(["auto", "shape"] if all(r >= s for r, s in zip(reach, strides)) else [])])
    extra = [draw.integer(0, each - 1) for each in strides]
    whole = [(n - 1) * s + r for n, s, r in zip(size, strides, reach)]
    if form == "pads":
        attributes["pads"] = [draw.integer(0, min(1, (each - 1) // 2)) for each in whole * 2]
        if draw.chance(0.5):
            attributes["output_padding"] = extra
    elif form == "auto":
        attributes["auto_pad"] = draw.choice(["VALID", "SAME_UPPER", "SAME_LOWER", "NOTSET"])
    else:
        attributes["output_shape"] = [draw.integer(max(1, each - 2), each) for each in whole]
        attributes["auto_pad"] = draw.choice([None, "SAME_UPPER", "SAME_LOWER"])
    case.result(case.node("ConvTranspose", inputs, **attributes))


def rounding_up(draw, version, least=10):
    return {"ceil_mode": 1} if version >= least and draw.chance(0.4) else {}


def pool(operator):
    def case(case, draw, type_):
        dilated = {"MaxPool": 10, "AveragePool": 19, "LpPool": 18}[operator]
        kernel, strides, dilations, size = window(draw, space(draw, type_), case.version >= dilated)
        attributes = {"kernel_shape": kernel, **optional(draw, strides=strides), **padding(draw, kernel, strides, dilations)}
        if any(each > 1 for each in dilations):
            attributes["dilations"] = dilations
        if "auto_pad" not in attributes or attributes["auto_pad"] in (None, "NOTSET"):
            attributes |= rounding_up(draw, case.version, 18 if operator == "LpPool" else 10)
        if operator == "AveragePool":
            attributes["count_include_pad"] = draw.choice([None, 0, 1])
        if operator == "LpPool":
            attributes["p"] = draw.choice([None, 1, 2, 3])
        x = case.input(draw.tensor(type_, [draw.integer(1, 2), draw.integer(1, 4), *size]))
        if operator == "MaxPool" and case.version >= 8 and draw.chance(0.4) and "ceil_mode" not in attributes:
            return case.result(case.node(operator, [x], 2, storage_order=draw.choice([None, 0, 1]), **attributes))
        case.result(case.node(operator, [x], **attributes))
    return case


def unpool(case, draw, type_):
    """Of the indices of a pool."""
    n, c, size = 1, draw.integer(1, 3), [2 * each for each in draw.extents(2, 3)]
    x = case.input(Proto.tensor(type_, draw.source.permutation(n * c * size[0] * size[1]).reshape(n, c, *size)))
    attributes = {"kernel_shape": [2, 2], "strides": [2, 2]}
    pooled, indices = case.node("MaxPool", [x], 2, **attributes)
    inputs = [pooled, indices]
    if draw.chance(0.4):
        inputs.append(case.ints([n, c, *size]))
    case.result(case.node("MaxUnpool", inputs, **attributes))


NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def resize_attributes(draw, version, type_):
    mode = draw.choice(["nearest", "linear", *(["cubic"] if version >= 11 and type_ == "f32" else [])])
    attributes = {"mode": mode}
    if version < 11:
        return attributes
    modes = ["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize"]
    if version < 13:
        modes.append("tf_half_pixel_for_nn")
    if version >= 19:
        modes.append("half_pixel_symmetric")
    attributes["coordinate_transformation_mode"] = draw.choice([None, *modes])
    if mode == "nearest":
        attributes["nearest_mode"] = draw.choice([None, *NEAREST])
    if mode == "cubic":
        attributes["cubic_coeff_a"] = draw.choice([None, -0.5])
        attributes["exclude_outside"] = draw.choice([None, 0, 1])
    if attributes["coordinate_transformation_mode"] == "tf_crop_and_resize":
        attributes["extrapolation_value"] = draw.choice([None, 2.5])
    return attributes


def resize(case, draw, type_):
    attributes = resize_attributes(draw, case.version, type_)
    size = draw.extents(2, 6)
    x = case.input(draw.tensor(type_, [draw.integer(1, 2), draw.integer(1, 3), *size]))
    to = draw.extents(2, 12)
    attributes_of_18 = {}
    if case.version >= 18 and attributes["mode"] != "nearest" and draw.chance(0.4):
        attributes_of_18["antialias"] = 1
        if attributes["coordinate_transformation_mode"] == "tf_crop_and_resize":
            attributes["coordinate_transformation_mode"] = None
    def scales_of(extents):
        return case.constant(Proto.tensor("f32", [1, 1, *(np.float32(t) / np.float32(s) for t, s in zip(extents, size))]))
    scales = scales_of(to)
    if case.version < 11:
        return case.result(case.node("Resize", [x, scales], **attributes))
    roi = None
    if attributes["coordinate_transformation_mode"] == "tf_crop_and_resize":
        to = [each + (each == extent) for each, extent in zip(to, size)]  # the runtime does not crop what it does not scale
        scales = scales_of(to)
        start, end = draw.extents(2, 3), draw.extents(2, 3)
        roi = case.constant(Proto.tensor("f32", [0, 0, *(each / 10 for each in start), 1, 1, *(1 - each / 10 for each in end)]))
    elif case.version < 13:
        roi = case.constant(Proto.tensor("f32", []))
    if draw.chance(0.5):
        return case.result(case.node("Resize", [x, roi, scales], **attributes, **attributes_of_18))
    if case.version >= 18 and draw.chance(0.4):
        attributes |= {"axes": [2, 3]}
        if roi is not None and case.constants.get(roi) is not None:
            values = case.constants[roi].array
            case.constants[roi] = Proto.tensor("f32", values[[2, 3, 6, 7]] if values.size else [])
        attributes["keep_aspect_ratio_policy"] = draw.choice([None, "stretch", "not_larger", "not_smaller"])
        sizes = case.ints(to)
    else:
        sizes = case.ints([*case.inputs[x].shape[:2], *to])
    none = case.constant(Proto.tensor("f32", [])) if case.version < 13 else None
    case.result(case.node("Resize", [x, roi, none, sizes], **attributes, **attributes_of_18))


def upsample(case, draw, type_):
    size, scales = draw.extents(2, 5), [1.0, 1.0, float(draw.integer(1, 3)), float(draw.integer(1, 3))]
    x = case.input(draw.tensor(type_, [1, draw.integer(1, 3), *size]))
    mode = draw.choice(["nearest", "linear"])
    if case.version < 9:
        return case.result(case.node("Upsample", [x], mode=mode, scales=scales))
    case.result(case.node("Upsample", [x, case.constant(Proto.tensor("f32", scales))], mode=mode))


def grid_sample(case, draw, type_):
    rank = 2 if case.version < 20 or draw.chance(0.7) else 3
    n, c = draw.integer(1, 2), draw.integer(1, 3)
    modes = ["bilinear", "nearest", "bicubic"] if case.version < 20 else ["linear", "nearest", "cubic"]
    x = case.input(draw.tensor(type_, [n, c, *draw.extents(rank, 5)]))
    grid = case.input(draw.tensor(type_, [n, *draw.extents(rank, 4), rank], -1.3, 1.3))
    mode = draw.choice([None, *(modes if rank == 2 else modes[:2])])
    case.result(case.node("GridSample", [x, grid], mode=mode, align_corners=draw.choice([None, 0, 1]),
                          padding_mode=draw.choice([None, "zeros", "border", "reflection"])), 1e-3)


def affine_grid(case, draw, type_):
    rank, n = draw.integer(2, 3), draw.integer(1, 2)
    theta = case.input(draw.tensor(type_, [n, rank, rank + 1], -1, 1))
    size = case.ints([n, draw.integer(1, 3), *(each + 1 for each in draw.extents(rank))])
    case.result(case.node("AffineGrid", [theta, size], align_corners=draw.choice([None, 0, 1])))


def roi_align(case, draw, type_):
    n, boxes = draw.integer(1, 2), draw.integer(1, 4)
    x = case.input(draw.tensor(type_, [n, draw.integer(1, 3), *draw.extents(2, 8)]))
    corner = draw.source.uniform(0, 4, (boxes, 2))
    rois = case.input(Proto.tensor(type_, np.concatenate([corner, corner + draw.source.uniform(0.5, 4, (boxes, 2))], 1)))
    batch = case.input(draw.tensor("i64", [boxes], 0, n - 1))
    attributes = {"mode": draw.choice([None, "avg", "max"]), "output_height": draw.integer(1, 3), "output_width": draw.integer(1, 3),
                  "sampling_ratio": draw.integer(0, 2), "spatial_scale": draw.choice([None, 0.5])}
    if case.version >= 16:
        attributes["coordinate_transformation_mode"] = draw.choice([None, "half_pixel", "output_half_pixel"])
    case.result(case.node("RoiAlign", [x, rois, batch], **attributes), 1e-4)


def roi_pool(case, draw, type_):
    n, boxes = draw.integer(1, 2), draw.integer(1, 3)
    x = case.input(draw.tensor(type_, [n, draw.integer(1, 3), 8, 8]))
    corner = draw.source.integers(0, 4, (boxes, 2))
    rois = np.concatenate([draw.source.integers(0, n, (boxes, 1)), corner, corner + draw.source.integers(1, 4, (boxes, 2))], 1)
    case.result(case.node("MaxRoiPool", [x, case.input(Proto.tensor(type_, rois))], pooled_shape=draw.extents(2, 3),
                          spatial_scale=draw.choice([None, 1.0])))


def col_to_im(case, draw, type_):
    block, image = draw.extents(2, 3), [draw.integer(3, 6), draw.integer(3, 6)]
    strides, pads = draw.extents(2, 2), [draw.integer(0, 1) for _ in range(4)]
    count = int(np.prod([(image[i] + pads[i] + pads[i + 2] - block[i]) // strides[i] + 1 for i in (0, 1)]))
    x = case.input(draw.tensor(type_, [draw.integer(1, 2), draw.integer(1, 3) * block[0] * block[1], count]))
    case.result(case.node("Col2Im", [x, case.ints(image), case.ints(block)], strides=strides, pads=pads))


def rearrange(operator):
    def case(case, draw, type_):
        block, size = draw.integer(1, 3), draw.extents(2, 3)
        n, c = draw.integer(1, 2), draw.integer(1, 3)
        if operator == "SpaceToDepth":
            x = draw.tensor(type_, [n, c, size[0] * block, size[1] * block])
            return case.result(case.node(operator, [case.input(x)], blocksize=block))
        mode = draw.choice([None, "DCR", "CRD"]) if case.version >= 11 else None
        x = draw.tensor(type_, [n, c * block * block, *size])
        case.result(case.node(operator, [case.input(x)], blocksize=block, mode=mode))
    return case


def deform(case, draw, type_):
    kernel, offset_groups, group = draw.extents(2, 3), draw.integer(1, 2), draw.integer(1, 2)
    size = [each + draw.integer(0, 3) for each in kernel]
    ins, outs = 2 * draw.integer(1, 2), 2 * draw.integer(1, 2)
    result = [s - k + 1 for s, k in zip(size, kernel)]
    taps = kernel[0] * kernel[1]
    inputs = [case.input(draw.tensor(type_, [1, ins, *size])), case.constant(draw.tensor(type_, [outs, ins // group, *kernel], -1, 1)),
              case.input(draw.tensor(type_, [1, offset_groups * taps * 2, *result], -1, 1))]
    if draw.chance(0.5):
        inputs.append(case.constant(draw.tensor(type_, [outs])))
        if draw.chance(0.5):
            inputs.append(case.input(draw.tensor(type_, [1, offset_groups * taps, *result], 0, 1)))
    case.result(case.node("DeformConv", inputs, group=group, offset_group=offset_groups), 1e-4)


PLAIN = ("f32", "f16")
ROWS = [
    *rows("Conv", "7 11 22", PLAIN, convolution),
    *rows("FusedConv", "13", ("f32",), fused_convolution, "com.microsoft"),
    *rows("ConvTranspose", "7 11 22", PLAIN, transposed),
    *rows("MaxPool", "7 8 10 11 12 22", {7: PLAIN, 12: (*PLAIN, *BYTES)}, named(pool)),
    *rows("AveragePool", "7 10 11 19 22", PLAIN, named(pool)),
    *rows("LpPool", "7 11 18 22", PLAIN, named(pool)),
    *rows("MaxUnpool", "9 11 22", ("f32",), unpool),
    *rows("Resize", "10 11 13 18 19", ("f32", "u8", "i8"), resize),
    *rows("Upsample", "7 9", ("f32", "u8"), upsample),
    *rows("GridSample", "16 20 22", ("f32",), grid_sample),
    *rows("AffineGrid", "20", ("f32",), affine_grid),
    *rows("RoiAlign", "10 16 22", ("f32",), roi_align, oracle=21),
    *rows("MaxRoiPool", "7 22", ("f32",), roi_pool, oracle=21),
    *rows("Col2Im", "18", ("f32",), col_to_im),
    *rows("DepthToSpace", "7 11 13", {7: ("f32",), 13: ("f32", "u8")}, named(rearrange)),
    *rows("SpaceToDepth", "7 13", ("f32",), named(rearrange)),
    *rows("DeformConv", "19 22", ("f32",), deform),
]
