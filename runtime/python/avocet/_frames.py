#===- _frames.py - Documents as frames of pandas
#
# Part of Avocet, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#===----------------------------------------------------------------------===#


def frame(document, part="layers"):
    """A list of a document as a pandas frame with a row for each entry: frame(model.report()), frame(avocet.explain(...)),
    frame(model.report(), "engines"). Nested figures have columns with dots. Needs pandas (Debian: python3-pandas)."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("frames need pandas; install python3-pandas, or use the document, which has dictionaries") from error
    return pandas.json_normalize(document[part])
