from .bottleneck_timeline import BottleneckTimeline as BottleneckTimeline
from .insights_panel import InsightsPanel as InsightsPanel
