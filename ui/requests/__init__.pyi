from .requests_panel import RequestsRoom as RequestsRoom
