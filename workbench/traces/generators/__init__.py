"""Workloads generated from public statistics: chat, long context, agents, and blends of them."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
