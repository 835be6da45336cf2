# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the busiest device receives by an optimised HLO text.

As `hlo.collectives_of`, but of a collective_permute only the targets of its pairs receive: an exchange is rounds of
permutes, in which not all devices take part.
"""

import re

from hlo import COLLECTIVE, bytes_of, calls_in, computations, group_size, received


def busiest(text: str, num_devices: int) -> int:
    lines, entry = computations(text)
    everybody = 0
    by_device = [0] * num_devices

    def walk(name, times):
        nonlocal everybody
        for line in lines.get(name, []):
            for callee, more in calls_in(line):
                walk(callee, times * more)
            match = COLLECTIVE.match(line)
            if not match:
                continue
            size = times * received(match[2], bytes_of(match[1]), group_size(line, num_devices))
            pairs = re.search(r"source_target_pairs=\{(.*?)\}\}", line)
            if match[2] != "collective-permute" or not pairs:
                everybody += size
                continue
            for source, target in re.findall(r"\{(\d+),(\d+)", pairs[0]):
                by_device[int(target)] += size if source != target else 0

    walk(entry, 1)
    return everybody + max(by_device)
