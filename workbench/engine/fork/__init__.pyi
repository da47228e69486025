from .both_futures import ClassChange as ClassChange
from .both_futures import Estimate as Estimate
from .both_futures import ForkOrder as ForkOrder
from .both_futures import ForkResult as ForkResult
from .both_futures import RequestChange as RequestChange
from .both_futures import play_fork as play_fork
from .recording import Recording as Recording
from .recording import read_recording as read_recording
