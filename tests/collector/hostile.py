"""Texts that a pattern, or a function that looks for patterns, might take too long for: made from the pattern itself.

Each place of a pattern where something may come again and again is fed with a long run of it, and of what is easily mistaken for
it, and so is each beginning of the pattern as a whole; the end never fits."""

import ast
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from re import _constants as codes  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from types import FrameType, ModuleType
from typing import Any, NamedTuple

RUNS = (
    " ",
    "\t ",
    "-",
    ".",
    '"',
    "'",
    "\\",
    "a",
    "A",
    "1",
    "=",
    ":",
    "/",
    "{",
    "(",
    "a-",
    "x y ",
    '\\"',
    "''",
    "\n",
    "a=b ",
    "@",
)
SMALL, SCREENED = (40, 120, 400), 5000  # characters
HANGS = 20.0  # seconds, of CPU, that no text of these may take
MOST_RATIO = 3.0  # of the time for twice as much
_SAMPLES = {codes.CATEGORY_SPACE: " ", codes.CATEGORY_DIGIT: "1", codes.CATEGORY_WORD: "a", codes.CATEGORY_NOT_SPACE: "a",
            codes.CATEGORY_NOT_DIGIT: "a", codes.CATEGORY_NOT_WORD: "-"}  # fmt: skip


class Text(NamedTuple):
    """What stands before a run, what the run repeats, and what stands behind it."""

    begin: str
    run: str
    end: str

    def of(self, size: int) -> str:
        """The text of about ``size`` characters."""
        return self.begin + self.run * (size // max(1, len(self.run))) + self.end


def patterns(module: ModuleType) -> dict[str, "re.Pattern[Any]"]:
    """Return every pattern of a module: compiled, in whatever it stands, or as a literal in a call of ``re``."""
    found: dict[Any, tuple[str, re.Pattern[Any]]] = {}

    def look(name: str, value: object) -> None:
        if isinstance(value, re.Pattern):
            found.setdefault(value.pattern, (f"{name} {value.pattern!r:.60}", value))
        elif isinstance(value, list | tuple):
            for at, inner in enumerate(value):
                look(f"{name}[{at}]", inner)

    for name, value in sorted(vars(module).items()):
        look(name, value)
    assert module.__file__
    with open(module.__file__, encoding="utf-8") as file:
        for node in ast.walk(ast.parse(file.read())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("re.") and node.args:
                argument = node.args[0]
                if isinstance(argument, ast.Constant) and not ast.unparse(node.func).endswith("compile"):
                    look(f"line {node.lineno}", re.compile(argument.value))
    return dict(found.values())


def texts(pattern: "re.Pattern[Any]") -> Iterator[Text]:
    """Yield the texts for a pattern."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    for begin, pump in dict.fromkeys(_begins(parser.parse(source, pattern.flags & ~re.UNICODE), "")):
        yield from around(begin, (pump, *RUNS) if pump else RUNS[:3])


def around(begin: str, runs: tuple[str, ...] = RUNS) -> Iterator[Text]:
    """Yield a beginning with a long run behind it, and as often as it goes, with a short run between."""
    yield Text("", begin, "\0")
    for run in runs:
        yield Text(begin, run, "\0")
        yield Text("", begin + run, "\0")
    for run in RUNS[:4]:
        yield Text("", begin + run * 8, run * 100 + "\0 x")


def _begins(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before each repetition of a pattern, and once what is repeated."""
    for operator, argument in tree:
        if operator in (codes.MAX_REPEAT, codes.MIN_REPEAT):
            yield before, _sample(argument[2])
            yield from _begins(argument[2], before)
        elif operator is codes.SUBPATTERN:
            yield from _begins(argument[3], before)
        elif operator is codes.BRANCH:
            for branch in argument[1]:
                yield before + _sample(branch), ""
                yield from _begins(branch, before)
        elif operator in (codes.ASSERT, codes.ASSERT_NOT):
            yield from _begins(argument[1], before)
        before += _sample([(operator, argument)])
    yield before, ""


def _sample(tree: Any) -> str:
    """Return a text that fits a pattern, or nearly."""
    return "".join([_sample_of(operator, argument) for operator, argument in tree])


def _sample_of(operator: Any, argument: Any) -> str:
    if operator is codes.LITERAL:
        return chr(argument)
    if operator is codes.IN:
        kind, value = argument[-1]
        negated = argument[0][0] is codes.NEGATE
        return (
            "a" if negated else chr(value) if kind is codes.LITERAL else chr(value[0]) if kind is codes.RANGE else _SAMPLES[value]
        )
    if operator in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return _sample(argument[2]) * max(argument[0], min(argument[1], 1))
    if operator is codes.SUBPATTERN:
        return _sample(argument[3])
    if operator is codes.BRANCH:
        return _sample(argument[1][0])
    return "a" if operator in (codes.ANY, codes.NOT_LITERAL) else ""


def too_slow(work: Callable[[str], object], made: Iterable[Text], floor: float, large: int = 20000) -> list[Text]:
    """Return the texts that ``work`` takes too long for: small ones that hang, and those whose time grows faster than they do
    from ``large`` characters to twice as many; times below ``floor`` seconds of CPU do not count."""
    slow = []
    for text in made:
        hangs = any(seconds(work, text.of(size)) > max(floor, 0.2) for size in SMALL)
        if hangs or (seconds(work, text.of(SCREENED)) > floor and _grows(work, text, large)):
            slow.append(text)
    return slow


def _grows(work: Callable[[str], object], text: Text, large: int) -> bool:
    for _ in range(3):  # the machine may have been busy with something else
        once, twice = [seconds(work, text.of(size)) for size in (large, 2 * large)]
        if once < HANGS and twice <= MOST_RATIO * once:
            return False
    return True


def seconds(work: Callable[[str], object], text: str) -> float:
    """Return the seconds of CPU that a text takes; HANGS when it was given up."""

    def give_up(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, HANGS)
    begin = time.process_time()
    try:
        work(text)
        return time.process_time() - begin
    except TimeoutError:
        return HANGS
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
