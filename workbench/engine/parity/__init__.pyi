from .check_files import check_file as check_file
from .play_recording import RecordingPlayer as RecordingPlayer
from .play_recording import recorded_config as recorded_config
from .rule_search import Judgement as Judgement
from .rule_search import judge as judge
from .verdict import FirstDifference as FirstDifference
from .verdict import ParityVerdict as ParityVerdict
