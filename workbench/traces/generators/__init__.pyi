from .mix import make_mix as make_mix
from .mix import parse_mix as parse_mix
from .mix_parameters import AGENT as AGENT
from .mix_parameters import CHAT as CHAT
from .mix_parameters import LONG_CONTEXT as LONG_CONTEXT
from .mix_parameters import MIXES as MIXES
from .mix_parameters import Mix as Mix
from .mix_parameters import QuantileCurve as QuantileCurve
