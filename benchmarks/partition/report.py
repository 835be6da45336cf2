# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of the partition benchmark as text, and its summary."""

SHORT = {"all_gather": "AG", "all_reduce": "AR", "reduce_scatter": "RS", "all_to_all": "A2A",
         "collective_permute": "CP", "collective_broadcast": "CB", "ragged_all_to_all": "RA2A"}
ABOVE_EXPERT, ABOVE_XLA = 1.1, 64

COLUMNS = ["program", "verified", "bytes", "XLA", "expert", "/XLA", "/expert", "peak", "of whole", "collectives"]
WIDTHS = [-36, -8, 9, 9, 9, 6, 7, 9, 8, -1]


def ratio(value, reference):
    """None if there is nothing to divide by; equal numbers are 1, also if both are 0."""
    if value is None or reference is None:
        return None
    if value == reference:
        return 1.0
    return value / reference if reference else float("inf")


def shown(value):
    """A number or a ratio as a cell."""
    if value is None:
        return "-"
    if isinstance(value, int):
        return f"{value}"
    return "0" if value == 0 else "all" if value == float("inf") else f"{value:.2f}"


def collectives_text(collectives):
    counts = {}
    for entry in collectives:
        name = SHORT.get(entry["kind"], entry["kind"])
        counts[name] = counts.get(name, 0) + entry["count"]
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"


def verdict(entry):
    return {True: "yes", False: "NO", None: "not cmp"}[entry["verified"]]


def row_of(entry):
    """The cells of one program."""
    ours, theirs = entry["shardwise"], entry["xla"] or {}
    if "refusal" in ours:
        return [entry["program"], "refused", "-", shown(theirs.get("received")), shown(entry["expert"]),
                "-", "-", "-", "-", ours["refusal"][:80]]
    return [entry["program"], verdict(ours), shown(ours["received"]), shown(theirs.get("received")),
            shown(entry["expert"]), shown(entry["ratio_xla"]), shown(entry["ratio_expert"]), shown(ours["peak"]),
            shown(ratio(ours["peak"], ours["unpartitioned_peak"])), collectives_text(ours["collectives"])]


def line_of(cells):
    return " ".join(f"{cell:<{-width}}" if width < 0 else f"{cell:>{width}}"
                    for cell, width in zip(cells, WIDTHS)).rstrip()


def is_above_expert(entry):
    received = entry["shardwise"].get("received")
    return None not in (received, entry["expert"]) and received > ABOVE_EXPERT * entry["expert"]


def is_above_xla(entry):
    received, theirs = entry["shardwise"].get("received"), (entry["xla"] or {}).get("received")
    return None not in (received, theirs) and received > theirs + ABOVE_XLA


def has_more_memory(entry):
    ours = entry["shardwise"]
    return bool(ours.get("unpartitioned_peak")) and ours["peak"] > ours["unpartitioned_peak"]


def summary_of(entries):
    """Names of the programs that miss something, by what they miss."""
    misses = {
        "refused": lambda entry: "refusal" in entry["shardwise"],
        "not verified": lambda entry: entry["shardwise"].get("verified", True) is not True,
        f"more than {ABOVE_EXPERT} of the expert's bytes": is_above_expert,
        f"more bytes than XLA + {ABOVE_XLA} B": is_above_xla,
        "more memory than unpartitioned": has_more_memory,
    }
    return {what: [entry["program"] for entry in entries if misses_it(entry)] for what, misses_it in misses.items()}


def summary_lines(entries):
    yield f"{len(entries)} programs"
    for what, names in summary_of(entries).items():
        yield f"  {len(names):3} {what}" + (": " + ", ".join(names) if names else "")
