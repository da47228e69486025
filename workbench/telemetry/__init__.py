"""Sampling of a server's /metrics (gauges, counters, histograms and their changes) and of its machine."""

from workbench.telemetry.clients import BusiestChild
from workbench.telemetry.delta import delta
from workbench.telemetry.gpu import Gpu, GpuProcess, gpu_sample
from workbench.telemetry.http import PageTooLargeError, open_client, read_page
from workbench.telemetry.machine import MachineSampler, Shares, has_gpu, open_gpus, role_of
from workbench.telemetry.nvidia_smi import GPU_QUERY, PROCESS_QUERY, SMI_FORMAT, gpus_from
from workbench.telemetry.nvml import Nvml, open_nvml
from workbench.telemetry.origin import ScrapeOrigin
from workbench.telemetry.other_processes import OtherProcesses, listeners, share_taken
from workbench.telemetry.page import MetricsPage
from workbench.telemetry.sampler import SCRAPE_TIMEOUT_S, Sampler
from workbench.telemetry.stuck import StuckWatch

__all__ = [
    "GPU_QUERY",
    "PROCESS_QUERY",
    "SCRAPE_TIMEOUT_S",
    "SMI_FORMAT",
    "BusiestChild",
    "Gpu",
    "GpuProcess",
    "MachineSampler",
    "MetricsPage",
    "Nvml",
    "OtherProcesses",
    "PageTooLargeError",
    "Sampler",
    "ScrapeOrigin",
    "Shares",
    "StuckWatch",
    "delta",
    "gpu_sample",
    "gpus_from",
    "has_gpu",
    "listeners",
    "open_client",
    "open_gpus",
    "open_nvml",
    "read_page",
    "role_of",
    "share_taken",
]
