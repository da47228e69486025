from .tune_commands import TuneCommands as TuneCommands
