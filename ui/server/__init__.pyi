from .widget import ServerForm as ServerForm
