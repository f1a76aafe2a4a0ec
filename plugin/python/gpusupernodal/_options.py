"""Options by keyword: the library's own list of names, so that an option added there is known here."""
from __future__ import annotations

import difflib
import operator
from typing import Any, Optional, Sequence

from . import _library

# Names that SciPy has for options.
_ELSEWHERE = {"rtol": "tolerance", "tol": "tolerance", "atol": "absolute_tolerance", "maxiter": "max_iterations"}


def keyword_of(name: str) -> str:
    """The keyword of an option: refinement.max_steps is refinement_max_steps."""
    return name.replace(".", "_")


def check(keywords: dict[str, Any], caller: str, own: tuple[str, ...] = (), kind: str = "option",
          names: Optional[Sequence[str]] = None) -> dict[str, str]:
    """Returns the options as names and texts. Raises TypeError, with the nearest name, for a keyword that is no option; `own`
    are further keywords of the caller, for suggestions; the options are `names`, or those of the `kind` of _library.names."""
    known = {keyword_of(name): name for name in (_library.names(kind) if names is None else names)}
    options = {}
    for keyword, value in keywords.items():
        if keyword not in known:
            nearest = [name for name in (_ELSEWHERE.get(keyword),) if name in known]
            nearest = nearest or difflib.get_close_matches(keyword, [*known, *own], n=1, cutoff=0.5)
            hint = f"; did you mean '{nearest[0]}'?" if nearest else f"; the options are {', '.join(sorted(known))}"
            raise TypeError(f"{caller}() has no option '{keyword}'{hint}")
        options[known[keyword]] = text_of(int(value) if _is_whole(keyword, value) else value)
    return options


def _is_whole(keyword: str, value: Any) -> bool:
    """Whether the value is a number of bytes as in 20e9, a float for Python."""
    return keyword == "device_memory_limit" and isinstance(value, float) and value.is_integer()


# Options that only some forms read.
_FORMS = {"symmetry": ("ldlt",), "matching": ("lu",), "lu_schedule": ("lu",), "repivot": ("lu", "ldlt"), "perturbation": ("lu", "ldlt")}


def refuse_other_form(keywords: dict[str, Any], caller: str, form: str) -> None:
    """Raises TypeError for the keyword form, which the function decides, and for options that its form does not read."""
    if "form" in keywords:
        raise TypeError(f"{caller}() takes no 'form'; cholesky(A) factorizes symmetric positive definite matrices, ldlt(A) "
                        "symmetric ones, lu(A) general ones")
    for keyword, forms in _FORMS.items():
        if form not in forms and keyword in keywords:
            raise TypeError(f"{caller}() takes no '{keyword}', which is an option of {' and '.join(f + '(A)' for f in forms)}")


def text_of(value: Any) -> str:
    """An option's value as the library reads it. The numbers of a list are separated by commas."""
    if isinstance(value, (list, tuple, range)):
        return ",".join(str(operator.index(number)) for number in value)
    return str(value).lower() if isinstance(value, bool) else str(value)
