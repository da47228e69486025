from .requests_panel import RequestsPanel as RequestsPanel
