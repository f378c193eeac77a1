# SPDX-License-Identifier: MIT
"""Random assembly programs by the grammar itself: every phrase that it has, of either language.

In: a generator of random numbers. Out: a stage and a text that follows the rules of
pydri/prog/grammar.py, with names that were declared and numbers that are mostly within limits. What
a phrase means is not looked at: about half of the texts are programs, others have one mistake.
"""

from __future__ import annotations

import random

from pydri.prog.grammar import DOTTED, RULES
from pydri.prog.lalr import Rule, read_rules
from pydri.prog.opcodes import OPCODES

_OF: dict[str, list[Rule]] = {}
for _rule in read_rules(RULES):
    _OF.setdefault(_rule.lhs, []).append(_rule)
_WORDS = {token: "." + word for word, token in DOTTED.items()} | {
    "ARBvp_10": "!!ARBvp1.0\n", "ARBfp_10": "!!ARBfp1.0\n", "DOT": ".", "DOT_DOT": "..",
    "TEXGEN_R": ".r", "TEXTURE_UNIT": "texture", "PROGRAM": "program", "STATE": "state",
    "RESULT": "result", "FRAGMENT": "fragment", "VERTEX": "vertex",
}  # fmt: skip
_TARGETS = ("1D", "2D", "3D", "CUBE", "RECT", "SHADOW1D", "SHADOW2D", "SHADOWRECT")
_OPTIONS = {
    "v": ("ARB_position_invariant",),
    "f": ("ARB_fog_exp", "ARB_fog_linear", "ARB_precision_hint_nicest", "ARB_draw_buffers",
          "ARB_fragment_program_shadow", "ATI_draw_buffers"),
    "": ("ARB_precision_hint_fastest", "NV_vertex_program2", "ARB_position_invariant",
         "NV_fragment_program_option", "MESA_texture_array", "ARB_fog_exp2"),
}  # fmt: skip
_OPCODES = {
    token: [name for name, row in OPCODES.items() if row.token == token]
    for token in {row.token for row in OPCODES.values()}
}
#: phrases and actions that belong to one of the languages (what neither has: "")
_ONLY = {
    "arl": "v", "address_naming": "v", "array_relative": "v", "tex": "f", "texenv_item": "f",
    "depth_item": "f", "texgen_item": "v", "clip_plane_item": "v", "point_item": "v",
    "result_position": "v", "result_fogcoord": "v", "result_pointsize": "v",
    "result_texcoord": "v", "result_front": "v", "result_back": "v", "result_primary": "v",
    "result_secondary": "v", "result_depth": "f", "result_number": "", "no_palette": "",
    "alias_naming": "", "generic": "",
}  # fmt: skip
#: what a used name means, by the phrase that it is (or is part of)
_KINDS = {"array": ("ARRAY",), "address_register": ("ADDRESS",), "register": ("TEMP", "OUTPUT"),
          "operand": ("TEMP", "TEMP", "PARAM", "ATTRIB")}  # fmt: skip
_DEEPEST = 40


class Text:
    """One program, while it is written."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.language = rng.choice("vf")
        self.names: dict[str, list[str]] = {}
        self.out: list[str] = []
        self.kind = "TEMP"
        self.used: tuple[str, ...] = ("TEMP",)

    def fits(self, rule: Rule) -> bool:
        """Whether the language has a form, or this text shall show what happens to others."""
        named = (*rule.rhs, rule.action)
        return all(_ONLY.get(part, self.language) == self.language for part in named) or (
            self.rng.random() < 0.01)  # fmt: skip

    def phrase(self, name: str, depth: int = 0) -> None:
        """Write one of the forms of a phrase, or a token."""
        if name not in _OF:
            self.out.append(self.token(name))
            return
        rng = self.rng
        if name == "selection" and rng.random() < 0.95:
            self.out.append(rng.choice("xyzw01"))
            return
        if name in ("statements", "options", "names", "multiple_list"):
            self.list(name, depth)
            return
        forms = [rule for rule in _OF[name] if self.fits(rule)] or _OF[name]
        if name == "attribute":
            forms = [rule for rule in forms if rule.rhs[0][0].lower() == self.language]
        if name == "operand" and not self.names.get("ARRAY"):
            forms = [rule for rule in forms if "array" not in rule.rhs]
        rule = rng.choice(forms if depth < _DEEPEST else forms[-1:])
        self.used = _KINDS.get(name, self.used)
        for part in rule.rhs:
            if part in ("TEMP", "ADDRESS", "ATTRIB", "OUTPUT", "PARAM"):
                self.kind = "ARRAY" if name == "param_multiple" else part
            self.phrase(part, depth + 1)

    def list(self, name: str, depth: int) -> None:
        """Several of a phrase."""
        rng = self.rng
        if name == "statements":
            for n in range(rng.randint(2, 9)):
                named = rng.random() < 0.35 or not n
                self.phrase("naming" if named else "instruction", depth + 1)
                self.out.append(";\n")
        elif name == "options":
            for _ in range(rng.choice((0, 0, 1, 2))):
                known = self.language if rng.random() < 0.9 else ""
                self.out += ["OPTION", rng.choice(_OPTIONS[known]), ";\n"]
        else:
            element = "IDENTIFIER" if name == "names" else "multiple_item"
            single = self.kind == "ADDRESS" and rng.random() < 0.9
            for n in range(1 if single else rng.randint(1, 3)):
                self.out += [","] * bool(n)
                self.phrase(element, depth + 1)

    def token(self, name: str) -> str:
        """The text of a token."""
        rng = self.rng
        if name[0] == "'":
            return name[1:-1]
        if name == "INTEGER":
            return str(rng.choice((*[0] * 12, *[1] * 12, 2, 3, rng.randrange(10), 4096)))
        if name == "REAL":
            return rng.choice(("0.5", "1.0", "2e-3", ".25", "3.", "1e30"))
        if name == "IDENTIFIER":
            made = f"{rng.choice('abcR')}{len(self.out)}"
            self.names.setdefault(self.kind, []).append(made)
            return made
        if name == "USED_IDENTIFIER":
            kinds = [kind for kind in self.used if kind in self.names] or ["TEMP"]
            kind = rng.choice(kinds if rng.random() < 0.98 else list(self.names))
            return rng.choice(self.names[kind])
        if name in ("MASK1", "MASK2", "MASK3", "MASK4", "SWIZZLE"):
            letters = "rgba" if self.language == "f" and rng.random() < 0.2 else "xyzw"
            size = 4 if name == "SWIZZLE" else int(name[4])
            picks = [rng.randrange(4) for _ in range(4)] if name == "SWIZZLE" else sorted(
                rng.sample(range(4), size))  # fmt: skip
            return "." + "".join(letters[n] for n in picks)
        if name.startswith("TEX_"):
            return rng.choice(_TARGETS[:5] if rng.random() < 0.9 else _TARGETS)
        if name in _OPCODES:
            fitting = [o for o in _OPCODES[name] if self.language in OPCODES[o].languages]
            chosen = rng.choice(fitting or _OPCODES[name])
            saturated = self.language == "f" and OPCODES[chosen].saturates and rng.random() < 0.2
            return chosen + "_SAT" * saturated
        return _WORDS.get(name, name if name != "TXD_OP" else "TXD")

    def program(self) -> tuple[str, str]:
        """Stage and text."""
        self.out.append(_WORDS[f"ARB{self.language}p_10"])
        self.phrase("options")
        self.out.append("TEMP R0,R1;\n")
        self.names["TEMP"] = ["R0", "R1"]
        self.phrase("statements")
        self.out.append("END")
        parts = []
        for word in self.out:
            glued = word[0] in ".;,[]{}\n" or (parts and parts[-1].endswith((".", "\n", "[", "-")))
            parts.append(word if glued else " " + word)
        return ("vertex" if self.language == "v" else "fragment"), "".join(parts)


def written(rng: random.Random) -> tuple[str, str]:
    """A program by the grammar; some lose, double or exchange a word."""
    writer = Text(rng)
    stage, text = writer.program()
    if rng.random() < 0.3:
        words = text.split(" ")
        at = rng.randrange(len(words))
        words[at : at + 1] = rng.choice(([], [words[at]] * 2, [rng.choice(words)]))
        text = " ".join(words)
    return stage, text
