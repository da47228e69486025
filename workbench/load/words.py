"""Prompts as text: one common English word for each token id.

Nearly every tokeniser in use has these words, with the space before them, as single tokens; so a text
of n words is about n tokens, and the server's usage says how many it really was. Equal ids give equal
words: shared prefixes of a trace stay shared.
"""

import numpy as np
from numpy.typing import NDArray

_WORDS = """
the of and to in is that for it as was with be by on not he his but at are this have from or had
an they which one you were all her she there would their we him been has when who will no more if
out so up said what its about than into them can only other time new some could these two may
first then do any like my now over such our man me even most made after also did many off before
must well back through years much where your way down should because long each just state those
people too how little good world still see work life being here between both under never same
another know while last might great year day own since house right use place against again around
come part old small found high without during few home water room number course always side face
young family case point called second set group money best land power system service area order
line need name end public head night least party story team table city change data model value
result field level light sound color paper letter answer question reason market price rate test
force heart mind door street river north south east west summer winter green blue black white red
short full open free clear simple common strong large early late hard true real sure able ready
low near far left next book word page school student teacher child woman friend doctor king law
war peace art music game food air fire stone wood glass road car ship train plane hand body eye
ear voice dream hope love fear idea plan form type kind sort piece half
"""
_TABLE = [f" {word}".encode() for word in _WORDS.split()]


def words_for(ids: NDArray[np.int64]) -> bytes:
    """The words of these token ids, each with a space before it (ASCII that JSON carries unescaped)."""
    return b"".join([_TABLE[i] for i in (ids % len(_TABLE)).tolist()])
