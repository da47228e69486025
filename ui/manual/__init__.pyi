from .pages import PAGES as PAGES
from .pages import manual_folder as manual_folder
from .reader import ManualReader as ManualReader
