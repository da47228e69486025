from .connect_box import ConnectBox as ConnectBox
from .first_test import first_test as first_test
from .first_test import for_attached as for_attached
