from .widget import RequestsRoom as RequestsRoom
