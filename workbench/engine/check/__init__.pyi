from .files import check_file as check_file
from .recording import RecordingPlayer as RecordingPlayer
from .verdict import Difference as Difference
from .verdict import Verdict as Verdict
