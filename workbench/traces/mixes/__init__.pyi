from .distributions import Quantiles as Quantiles
from .generator import make_mix as make_mix
from .generator import parse_mix as parse_mix
from .parameters import AGENT as AGENT
from .parameters import CHAT as CHAT
from .parameters import LONG_CONTEXT as LONG_CONTEXT
from .parameters import MIXES as MIXES
from .parameters import Mix as Mix
