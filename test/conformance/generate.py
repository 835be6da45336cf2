#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes one generated program, as a case file without its expected result.

    generate.py --large transformer|mlp|conv|mixed --layers N [--seed S] [--out FILE]
    generate.py --folder FOLDER --index N [--attempt N] [--seed S] [--out FILE]

The first form makes a big program for timing, the second a program as in the folder of that
name.  The same arguments give the same program.  Without --out it goes to standard output.
"""

import argparse
import sys

import generator
from generator.large import LARGE


def big_program(kind, layers, seed):
    """A case file of the given size that runs the whole pipeline."""
    text = generator.large_program(kind, layers, seed)
    return generator.Program(kind, "-sdy-propagation-pipeline", text).case()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--large", choices=sorted(LARGE), help="a big program of this kind")
    what.add_argument("--folder", choices=list(generator.GENERATORS), help="a program of this folder")
    parser.add_argument("--layers", type=int, default=100,
                        help="size of a big program; mixed has about ten ops per layer (default: 100)")
    parser.add_argument("--index", type=int, default=0, help="number within the folder (default: 0)")
    parser.add_argument("--attempt", type=int, default=0, help="another program of that number")
    parser.add_argument("--seed", type=int, default=1, help="default: 1")
    parser.add_argument("--out", help="file to write (default: standard output)")
    options = parser.parse_args()
    if options.layers < 1:
        parser.error("--layers must be positive")
    if options.large:
        text = big_program(options.large, options.layers, options.seed)
    else:
        text = generator.program(options.folder, options.index, options.seed, options.attempt).case()
    if options.out:
        with open(options.out, "w", encoding="utf-8") as f:
            f.write(text)
    else:
        sys.stdout.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
