# SPDX-License-Identifier: MIT
"""The exception of the package."""


class Error(Exception):
    """A mistake, with the sentence and the code of the C library.

    ``code`` is one of EINVAL (-1), ENOMEM (-2), EIO (-3), ECONFIG (-4), ESINK (-5), ETIME (-6) and EFORMAT (-7).
    Each of several mistakes in a configuration is on a line of its own, as file:line:column: text.
    """

    EINVAL, ENOMEM, EIO, ECONFIG, ESINK, ETIME, EFORMAT = range(-1, -8, -1)

    def __init__(self, code: int, text: str) -> None:
        super().__init__(code, text)
        self.code, self.text = code, text

    def __str__(self) -> str:
        return self.text
