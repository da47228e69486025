from .calibrate import CalibrationOrder as CalibrationOrder
from .calibrate import CalibrationResult as CalibrationResult
from .calibrate import calibrate_server as calibrate_server
