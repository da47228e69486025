"""When requests arrive: processes, rate profiles, and the schedule made from both."""
