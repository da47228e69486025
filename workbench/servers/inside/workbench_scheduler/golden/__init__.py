"""Golden cases: what vLLM's own scheduler decides, step by step, made by whatever vLLM runs this.

Runs with the Python of a vLLM, not with ours: the folder of `workbench_scheduler` is on PYTHONPATH, and
`python -m workbench_scheduler.golden ORDER` takes an order as JSON (`__main__`).
"""
