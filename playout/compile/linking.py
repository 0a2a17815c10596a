"""How machine code is put together: a kernel and all that it calls are optimised once, as one piece.

Numba optimises every function with all that it calls, and makes machine code of it, before its caller is even begun: a function ten
calls deep goes through that ten times. Here what only other machine code calls (an *inner* function) stays as LLVM's language, and the
*kernel*, which Python calls, links everything below it and is optimised once. That halves the time to compile a game.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b
from typing import Any

from numba import _dynfunc  # type: ignore[attr-defined]
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, _LowerResult
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.environment import lookup_environment
from numba.core.lowering import Lower
from numba.core.targetconfig import TargetConfig
from numba.core.typed_passes import NativeLowering
from numba.core.types import Record

from playout.compile.brakes import BrakedLower
from playout.compile.guards import GuardedLower


def _same_flags(flags: TargetConfig, other: object) -> Any:
    if flags is other:
        return True
    if not isinstance(other, TargetConfig):
        return NotImplemented
    return flags._values == other._values or flags.values() == other.values()


# Numba compares the flags, option by option, for every call whose types it infers: most of the time they are the very same object.
TargetConfig.__eq__ = _same_flags  # type: ignore[method-assign]
TargetConfig.__hash__ = lambda flags: hash(type(flags))  # type: ignore[method-assign]


@lru_cache(maxsize=4096)
def _layout_mark(layout: str) -> str:
    return blake2b(layout.encode(), digest_size=12).hexdigest()


# Numba names a record in machine code by a number of this process. Code that two processes kept on disk could then have one name for functions of
# two layouts, and whoever loads both runs one of them on the other's records. What names it here is its layout.
Record.mangling_args = property(lambda record: ("Record", (_layout_mark(record.name),)))  # type: ignore


class InnerLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of one inner function, not optimised beyond itself and never run on its own."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def _optimize_functions(self, module: Any) -> None:
        # The kernel's one optimisation begins with the same passes over all of it: here they would be a tenth of the time to compile.
        module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class KernelLibrary(JITCodeLibrary):  # type: ignore[misc]
    """The code of a kernel with all inner functions that it reaches."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        # A function that nobody has asked for yet is left out when its module is linked in: callers come before what they call.
        ordered: dict[Any, None] = {}
        for library in self._linking_libraries:
            _after_its_callees(library, ordered)
        self._linking_libraries = list(reversed(ordered))
        for library in ordered:
            library._ensure_finalized()
        super().finalize()

    def _optimize_final_module(self) -> None:
        # Numba's first, cheap round serves the pruning of reference counts, and there are none.
        made = self._codegen._module_pass_manager()
        if isinstance(made, tuple):
            passes, builder = made
            passes.run(self._final_module, builder)
        else:  # LLVM's older passes, up to Numba 0.61
            made.run(self._final_module)


def _after_its_callees(library: Any, ordered: dict[Any, None]) -> None:
    """Put a library into the order, behind all inner ones that it reaches."""
    if library in ordered:
        return
    if isinstance(library, InnerLibrary):
        for other in library._linking_libraries:
            _after_its_callees(other, ordered)
    ordered[library] = None


@register_pass(mutates_CFG=True, analysis_only=False)
class KernelLowering(NativeLowering):  # type: ignore[misc]
    """Lower a function that is called from Python, or kept on disk, and link all that it reaches."""

    _name = "kernel_lowering"

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        done: bool = super().run_pass(state)
        library = state.library
        for variable in library._final_module.global_variables:
            # Those of inner functions: each would have been set when it got machine code of its own.
            environment = lookup_environment(variable.name) if variable.name.startswith("_ZN08NumbaEnv") else None
            if environment is not None:
                library.codegen.set_env(variable.name, environment)
        return done


@register_pass(mutates_CFG=True, analysis_only=False)
class InnerLowering(NativeLowering):  # type: ignore[misc]
    """Lower a function that only machine code calls, and leave it at that."""

    _name = "inner_lowering"

    def run_pass(self, state: Any) -> bool:
        if state.library is None:
            state.library = InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.flags.no_compile = True
        done: bool = super().run_pass(state)
        lowered, library = state["cr"], state.library
        name = lowered.fndesc.qualname.split(".")[-1]
        # A function without an address: callers know it by this object, and Python cannot call it.
        door = _dynfunc.make_function(lowered.fndesc.lookup_module(), name, "", 0, lowered.env, (library,))
        state.targetctx.insert_user_function(door, lowered.fndesc, [library])
        state.reload_init.extend(getattr(library, "_reload_init", ()))  # Numba 0.60 has none
        state["cr"] = _LowerResult(lowered.fndesc, lowered.call_helper, cfunc=door, env=lowered.env)
        return done


def _pipeline(state: Any, lowering: type) -> Any:
    usual = DefaultPassBuilder.define_nopython_pipeline(state)
    made = PassManager(usual.pipeline_name)
    for step, words in usual.passes:
        made.add_pass(lowering if step is NativeLowering else step, words)
    made.finalize()
    return made


def _lowered_by(lowering: type, way: type) -> type:
    """A last step that goes another way to machine code."""
    made = type(
        f"{way.__name__}{lowering.__name__}", (lowering,), {"_name": f"{way.__name__}_{lowering.__name__}", "lowering_class": way}
    )
    return register_pass(mutates_CFG=True, analysis_only=False)(made)  # type: ignore[no-any-return]


def _compiler(lowering: type) -> type:
    """Numba's own way, with another last step."""

    class Compiler(CompilerBase):  # type: ignore[misc]
        def define_pipelines(self) -> list[Any]:
            return [_pipeline(self.state, lowering)]

    return Compiler


COMPILERS = {
    (inner, kind): _compiler(_lowered_by(lowering, way))
    for inner, lowering in ((False, KernelLowering), (True, InnerLowering))
    for kind, way in (("library", Lower), ("rule", BrakedLower), ("guarded", GuardedLower))
}
"""How a function is compiled: whether only machine code calls it, and whose it is: the library's, a rule, a rule whose indices are checked."""
