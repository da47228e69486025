"""Sampling of a server's /metrics: gauges, counters, histograms, and what changed over a run."""

from workbench.telemetry.delta import delta
from workbench.telemetry.http import PageTooLargeError, open_client, read_page
from workbench.telemetry.machine import MachineSampler
from workbench.telemetry.nvml import Gpu, GpuProcess, Nvml, open_nvml
from workbench.telemetry.page import MetricsPage
from workbench.telemetry.sampler import SCRAPE_TIMEOUT_S, Sampler
from workbench.telemetry.stuck import StuckWatch

__all__ = [
    "SCRAPE_TIMEOUT_S",
    "Gpu",
    "GpuProcess",
    "MachineSampler",
    "MetricsPage",
    "Nvml",
    "PageTooLargeError",
    "Sampler",
    "StuckWatch",
    "delta",
    "open_client",
    "open_nvml",
    "read_page",
]
