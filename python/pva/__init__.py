# SPDX-License-Identifier: MIT
"""Reads profiles: `report = pva.openReport("profile.pop")`, then report.compilation and report.execution."""
from openipu import loading as _loading

with _loading.of("pva/_core", __file__):
    from pva._core import *
    from pva._core import OnTileExecuteProgram, Program, Report


class ProgramVisitor:
    """One method for every type of program; Program.accept calls the one that fits. None looks at children itself."""

    def visitSequence(self, program: "Program") -> None:
        """Does nothing."""

    def visitRepeat(self, program: "Program") -> None:
        """Does nothing."""

    def visitCall(self, program: "Program") -> None:
        """Does nothing."""

    def visitSwitch(self, program: "Program") -> None:
        """Does nothing."""

    def visitOnEveryTileSwitch(self, program: "Program") -> None:
        """Does nothing."""

    def visitOnTileExecute(self, program: "OnTileExecuteProgram") -> None:
        """Does nothing."""

    def visitDoExchange(self, program: "Program") -> None:
        """Does nothing."""

    def visitGlobalExchange(self, program: "Program") -> None:
        """Does nothing."""

    def visitStreamCopyBegin(self, program: "Program") -> None:
        """Does nothing."""

    def visitStreamCopyMid(self, program: "Program") -> None:
        """Does nothing."""

    def visitStreamCopyEnd(self, program: "Program") -> None:
        """Does nothing."""

    def visitSync(self, program: "Program") -> None:
        """Does nothing."""

    def visitSans(self, program: "Program") -> None:
        """Does nothing."""

    def visitSyncAns(self, program: "Program") -> None:
        """Does nothing."""

    def visitWriteUndef(self, program: "Program") -> None:
        """Does nothing."""

    def visitBlock(self, program: "Program") -> None:
        """Does nothing."""

    def visitBlockFlush(self, program: "Program") -> None:
        """Does nothing."""

    def visitUnknown(self, program: "Program") -> None:
        """Does nothing."""


from pva.trace import (Trace, TraceEvent, TraceGraph, TraceHeatmap, TraceProcess, TraceThread,
                       openTrace)
for _type in (Trace, TraceEvent, TraceGraph, TraceHeatmap, TraceProcess, TraceThread):
    _type.__module__ = __name__
del _type
