from .calibrate import Calibrated as Calibrated
from .calibrate import CalibrationOrder as CalibrationOrder
from .calibrate import calibrate_server as calibrate_server
