r"""Lines out of a pipe: vLLM's configuration line is longer than stream readers allow, its bars end in \r."""

import codecs

MAX_LINE = 32_000
"""Characters kept of one line; the rest of it is dropped."""


class LineSplitter:
    """Cuts bytes into lines at newline or carriage return; never holds more than `MAX_LINE` characters."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")(errors="replace").decode
        self._rest = ""
        self._skipping = False
        """The line that is being read was cut; what follows of it is dropped."""

    def feed(self, data: bytes) -> list[str]:
        """The lines that `data` completes, without their ends; empty ones are left out."""
        *lines, self._rest = (self._rest + self._decode(data)).replace("\r", "\n").split("\n")
        if self._skipping and lines:
            lines, self._skipping = lines[1:], False
        if self._skipping:
            self._rest = ""
        elif len(self._rest) > MAX_LINE:
            lines.append(self._rest)
            self._rest, self._skipping = "", True
        return [line[:MAX_LINE] for line in lines if line.strip()]

    def end(self) -> list[str]:
        """What stood after the last line end."""
        return self.feed(b"\n")
