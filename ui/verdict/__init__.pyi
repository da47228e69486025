from .plan_verdict import PlanVerdict as PlanVerdict
from .plan_verdict import plan_verdict as plan_verdict
from .verdict_bar import VerdictBar as VerdictBar
