from .server_form import ServerForm as ServerForm
