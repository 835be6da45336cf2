# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More than one mesh over the same devices."""

from table import fetch, written

written("meshes", "another_order_of_devices", fetch(8, 16), "one permute of the shards")
written("meshes", "another_split_of_the_devices", 0, "the same shards under other names")
