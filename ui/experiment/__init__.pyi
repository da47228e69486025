from .draft import Draft as Draft
from .editor import Editor as Editor
