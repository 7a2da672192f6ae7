# SPDX-License-Identifier: MIT
"""What the hooks of a framework mean to the loop, in short texts such as "+epoch ~draw"."""
from __future__ import annotations

from typing import Any

LEFT = "/draw /batch /valid /train /epoch"  # cancels what an exception has left open in a fit: nobody knows when it ended


class Steps:
    """Makes the calls that a text stands for. Each word begins (+) an action, begins it unless it is open (~), or ends (-) or
    cancels (/) it if it is open. It may also ask for one (?), which begins only later (!), if it still is asked for.
    """

    def __init__(self, sw: Any) -> None:
        self.samples = 0  # of the batch that is open
        self._sw = sw
        self._open: set[Any] = set()  # regions
        self._asked: set[Any] = set()
        sw._at_close.append(lambda: self(LEFT))

    def __call__(self, text: str) -> None:
        for word in text.split():
            self._step(word[0], getattr(self._sw, word[1:]))

    def _step(self, kind: str, region: Any) -> None:
        if kind == "?":
            self._asked.add(region)
        elif kind in "-/":
            self._asked.discard(region)
            if region in self._open and kind == "/":
                region.cancel()
            elif region in self._open and region is self._sw.batch:
                self._sw.end_batch(self.samples)
            elif region in self._open:
                region.end()
            self._open.discard(region)
        elif region in self._asked if kind == "!" else kind == "+" or region not in self._open:
            self._open.add(region)
            self._asked.discard(region)
            if region is self._sw.batch:
                self.samples = 0
            region.begin()
