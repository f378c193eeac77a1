# SPDX-License-Identifier: MIT
"""QPU words as text and back: `assemble(disassemble(word)) == word` for each of the 2**64 words.

A line is the add pipe's part, the multiply pipe's and the signal's, between semicolons; what does
nothing is left out (`nop` stands for the add pipe's part before a multiply):

    fadd.zs.sf ra3.16a, r0, rb5 ; fmul r1, ra2.16b, r4
    nop ; mov r1, unif ; ldtmu0
    nop ; mov r1, r0 >> 3         lanes rotated
    fadd r0, r1, 0.5              a small immediate
    ldi r0, 0x00401a00            ldi.i2, ldi.u2: two bits a lane
    bra.any_zs rel -40            bra.always ra5 16
    sema.up 3                     sema.down 3

`.zs` and the like: the condition; `.sf`: flags are set; on a destination a pack, on a source an
unpack. Bits that this says nothing of (operands of a NOP, an address no operand takes) follow in
braces where they are not what the assembler puts there: `nop {raddr_a=3, sig=7}`.
"""
from __future__ import annotations

import re
import struct

from pipe_vc4.qpu.fields import (
    QPU_A,
    QPU_ADD_A,
    QPU_ADD_B,
    QPU_BRANCH_COND,
    QPU_BRANCH_RADDR_A,
    QPU_BRANCH_REG,
    QPU_BRANCH_REL,
    QPU_BRANCH_TARGET,
    QPU_COND,
    QPU_COND_ADD,
    QPU_COND_BRANCH,
    QPU_COND_MUL,
    QPU_GET_FIELD,
    QPU_IMM,
    QPU_LOAD_IMM_MODE,
    QPU_LOAD_IMM_MODE_,
    QPU_M,
    QPU_MUL_A,
    QPU_MUL_B,
    QPU_MUX,
    QPU_OP_ADD,
    QPU_OP_MUL,
    QPU_PACK,
    QPU_PACK_A,
    QPU_PACK_MUL,
    QPU_PM,
    QPU_R,
    QPU_RADDR_A,
    QPU_RADDR_B,
    QPU_SEMA,
    QPU_SEMA_DOWN,
    QPU_SET_FIELD,
    QPU_SF,
    QPU_SIG,
    QPU_SIG_,
    QPU_SMALL_IMM,
    QPU_SMALL_IMM_MUL_ROT,
    QPU_UNPACK,
    QPU_UNPACK_,
    QPU_UPDATE_FIELD,
    QPU_W,
    QPU_WADDR_ADD,
    QPU_WADDR_MUL,
    QPU_WS,
    UNARY,
    Field,
    fields_of,
    small_immediate,
)
from pipe_vc4.qpu.words import qpu_encode_small_immediate, qpu_NOP

_SIGNALS = {
    QPU_SIG_.BREAKPOINT: "bkpt", QPU_SIG_.THREAD_SWITCH: "thrsw", QPU_SIG_.PROG_END: "thrend",
    QPU_SIG_.WAIT_FOR_SCOREBOARD: "sbwait", QPU_SIG_.SCOREBOARD_UNLOCK: "sbdone",
    QPU_SIG_.LAST_THREAD_SWITCH: "lthrsw", QPU_SIG_.COVERAGE_LOAD: "loadcv",
    QPU_SIG_.COLOR_LOAD: "loadc", QPU_SIG_.COLOR_LOAD_END: "loadcend",
    QPU_SIG_.LOAD_TMU0: "ldtmu0", QPU_SIG_.LOAD_TMU1: "ldtmu1",
    QPU_SIG_.ALPHA_MASK_LOAD: "loadam"}
_SIGNAL_CODES = {name: code for code, name in _SIGNALS.items()}

#: Names of the addresses from 32 up, in file A and in file B.
_READS: tuple[dict[int, str], dict[int, str]] = (
    {QPU_R.UNIF: "unif", QPU_R.VARY: "vary", QPU_R.ELEM_QPU: "elem_num", QPU_R.NOP: "-",
     QPU_R.XY_PIXEL_COORD: "x_coord", QPU_R.MS_REV_FLAGS: "ms_mask", QPU_R.VPM: "vpm",
     QPU_R.VPM_LD_BUSY: "vpm_ld_busy", QPU_R.VPM_LD_WAIT: "vpm_ld_wait",
     QPU_R.MUTEX_ACQUIRE: "mutex"},
    {QPU_R.UNIF: "unif", QPU_R.VARY: "vary", QPU_R.ELEM_QPU: "qpu_num", QPU_R.NOP: "-",
     QPU_R.XY_PIXEL_COORD: "y_coord", QPU_R.MS_REV_FLAGS: "rev_flag", QPU_R.VPM: "vpm",
     QPU_R.VPM_LD_BUSY: "vpm_st_busy", QPU_R.VPM_LD_WAIT: "vpm_st_wait",
     QPU_R.MUTEX_ACQUIRE: "mutex"})
_SAME_WRITES: dict[int, str] = {
    QPU_W.ACC0: "r0", QPU_W.ACC1: "r1", QPU_W.ACC2: "r2", QPU_W.ACC3: "r3",
    QPU_W.TMU_NOSWAP: "tmu_noswap", QPU_W.HOST_INT: "host_int", QPU_W.NOP: "-",
    QPU_W.UNIFORMS_ADDRESS: "unif_addr", QPU_W.TLB_STENCIL_SETUP: "tlb_stencil",
    QPU_W.TLB_Z: "tlb_z", QPU_W.TLB_COLOR_MS: "tlb_color_ms", QPU_W.TLB_COLOR_ALL: "tlb_color",
    QPU_W.TLB_ALPHA_MASK: "tlb_alpha_mask", QPU_W.VPM: "vpm", QPU_W.MUTEX_RELEASE: "mutex",
    QPU_W.SFU_RECIP: "sfu_recip", QPU_W.SFU_RECIPSQRT: "sfu_rsqrt", QPU_W.SFU_EXP: "sfu_exp",
    QPU_W.SFU_LOG: "sfu_log", QPU_W.TMU0_S: "tmu0_s", QPU_W.TMU0_T: "tmu0_t",
    QPU_W.TMU0_R: "tmu0_r", QPU_W.TMU0_B: "tmu0_b", QPU_W.TMU1_S: "tmu1_s",
    QPU_W.TMU1_T: "tmu1_t", QPU_W.TMU1_R: "tmu1_r", QPU_W.TMU1_B: "tmu1_b"}
_WRITES: tuple[dict[int, str], dict[int, str]] = (
    _SAME_WRITES | {QPU_W.ACC5: "r5quad", QPU_W.QUAD_XY: "quad_x", QPU_W.MS_FLAGS: "ms_mask",
                    QPU_W.VPMVCD_SETUP: "vpm_rd_setup", QPU_W.VPM_ADDR: "vpm_ld_addr"},
    _SAME_WRITES | {QPU_W.ACC5: "r5rep", QPU_W.QUAD_XY: "quad_y", QPU_W.MS_FLAGS: "rev_flag",
                    QPU_W.VPMVCD_SETUP: "vpm_wr_setup", QPU_W.VPM_ADDR: "vpm_st_addr"})


def _write_names(file: int) -> dict[str, int]:
    names = {f"{'ab'[file]}{address}": address for address in range(64)}
    names = {f"r{name}": address for name, address in names.items()}
    return names | {name: address for address, name in _WRITES[file].items()}


def _read_names(file: int) -> dict[str, int]:
    names = {f"r{'ab'[file]}{address}": address for address in range(64)}
    return names | {name: address for address, name in _READS[file].items()}


_WRITE_CODES = (_write_names(0), _write_names(1))
_READ_CODES = (_read_names(0), _read_names(1))
_PACKS = ({f".{p.name.lower().replace('p', '') if p.name[0] == 'P' else p.name.lower()}": int(p)
           for p in QPU_PACK_A if p},
          {f".m{p.name.lower()[1:]}": int(p) for p in QPU_PACK_MUL if p})
_UNPACKS = {f".{u.name.lower()[1:]}": int(u) for u in QPU_UNPACK_ if u}
_PACK_TEXTS = tuple({code: text for text, code in packs.items()} for packs in _PACKS)
_UNPACK_TEXTS = {code: text for text, code in _UNPACKS.items()}


class Pipe:
    """One of the two pipes: its fields, its operations, and the operation that a move is."""

    def __init__(self, op: Field, cond: Field, waddr: Field, sources: tuple[Field, Field],
                 operations: type[QPU_A] | type[QPU_M], move: int) -> None:
        self.op, self.cond, self.waddr, self.sources = op, cond, waddr, sources
        self.names = {int(code): code.name.lower() for code in operations}
        self.codes = {name: code for code, name in self.names.items()}
        self.move = move


ADD = Pipe(QPU_OP_ADD, QPU_COND_ADD, QPU_WADDR_ADD, (QPU_ADD_A, QPU_ADD_B), QPU_A, QPU_A.OR)
MUL = Pipe(QPU_OP_MUL, QPU_COND_MUL, QPU_WADDR_MUL, (QPU_MUL_A, QPU_MUL_B), QPU_M, QPU_M.V8MIN)


def _file_written(word: int, pipe: Pipe) -> int:
    """The file `pipe`'s write address means, 0 for A and 1 for B."""
    return QPU_GET_FIELD(word, QPU_WS) ^ (pipe is MUL)


def _dst_text(word: int, pipe: Pipe) -> str:
    file, address = _file_written(word, pipe), QPU_GET_FIELD(word, pipe.waddr)
    name = _WRITES[file].get(address, f"r{'ab'[file]}{address}")
    if QPU_GET_FIELD(word, QPU_SIG) == QPU_SIG_.BRANCH:
        return name
    pack, pm = QPU_GET_FIELD(word, QPU_PACK), QPU_GET_FIELD(word, QPU_PM)
    packed = pipe is MUL if pm else file == 0 and (address < 32 or address == QPU_W.NOP)
    return name + (_PACK_TEXTS[pm].get(pack, "") if packed else "")


def _src_text(word: int, mux: int) -> str:
    """An operand, with its unpack; "" for a small immediate that is a rotation."""
    unpack = _UNPACK_TEXTS.get(QPU_GET_FIELD(word, QPU_UNPACK), "")
    pm = QPU_GET_FIELD(word, QPU_PM)
    if mux < QPU_MUX.A:
        return f"r{mux}" + (unpack if mux == QPU_MUX.R4 and pm else "")
    if mux == QPU_MUX.A:
        address = QPU_GET_FIELD(word, QPU_RADDR_A)
        return _READS[0].get(address, f"ra{address}") + ("" if pm else unpack)
    if QPU_GET_FIELD(word, QPU_SIG) != QPU_SIG_.SMALL_IMM:
        address = QPU_GET_FIELD(word, QPU_RADDR_B)
        return _READS[1].get(address, f"rb{address}")
    code = QPU_GET_FIELD(word, QPU_SMALL_IMM)
    return repr(small_immediate(code)) if code < QPU_SMALL_IMM_MUL_ROT else "rot"


def _operands_text(word: int, pipe: Pipe, op: int) -> tuple[str, str]:
    """The operation's name and its sources."""
    a, b = (QPU_GET_FIELD(word, source) for source in pipe.sources)
    one = a == b and (op == pipe.move or (pipe is ADD and op in UNARY))
    name = "mov" if one and op == pipe.move else pipe.names.get(op, f"op{op}")
    text = _src_text(word, a) if one else f"{_src_text(word, a)}, {_src_text(word, b)}"
    small = QPU_GET_FIELD(word, QPU_SMALL_IMM)
    if (pipe is MUL and QPU_GET_FIELD(word, QPU_SIG) == QPU_SIG_.SMALL_IMM
            and small >= QPU_SMALL_IMM_MUL_ROT):
        by = small - QPU_SMALL_IMM_MUL_ROT
        text += f" >> {by or 'r5'}"
    return name, text


def _cond_text(word: int, pipe: Pipe) -> str:
    cond = QPU_COND(QPU_GET_FIELD(word, pipe.cond))
    return "" if cond == QPU_COND.ALWAYS else f".{cond.name.lower()}"


def _alu_text(word: int) -> str:
    sf = ".sf" if QPU_GET_FIELD(word, QPU_SF) else ""
    op_add, op_mul = QPU_GET_FIELD(word, QPU_OP_ADD), QPU_GET_FIELD(word, QPU_OP_MUL)
    parts = []
    for pipe, op in ((ADD, op_add), (MUL, op_mul)):
        if not op:
            if pipe is ADD:
                parts.append("nop" if op_mul else f"nop{sf}")
            continue
        name, sources = _operands_text(word, pipe, op)
        flags = sf if pipe is ADD or not op_add else ""
        parts.append(f"{name}{_cond_text(word, pipe)}{flags} {_dst_text(word, pipe)}, {sources}")
    signal = _SIGNALS.get(QPU_SIG_(QPU_GET_FIELD(word, QPU_SIG)))
    return " ; ".join(parts + [signal] if signal else parts)


def _load_imm_text(word: int) -> str:
    mode = QPU_GET_FIELD(word, QPU_LOAD_IMM_MODE)
    two = {int(QPU_LOAD_IMM_MODE_.I2): "ldi.i2", int(QPU_LOAD_IMM_MODE_.U2): "ldi.u2"}
    name = two.get(mode, "ldi")
    sf = ".sf" if QPU_GET_FIELD(word, QPU_SF) else ""
    add, mul = _dst_text(word, ADD), _dst_text(word, MUL)
    both = add if mul == "-" else f"{add}, {mul}"
    return f"{name}{_cond_text(word, ADD)}{sf} {both}, 0x{QPU_GET_FIELD(word, QPU_IMM):08x}"


def _branch_text(word: int) -> str:
    code = QPU_GET_FIELD(word, QPU_BRANCH_COND)
    known = code in list(QPU_COND_BRANCH)
    cond = QPU_COND_BRANCH(code).name.lower() if known else f"cond{code}"
    target = struct.unpack("<i", struct.pack("<I", QPU_GET_FIELD(word, QPU_BRANCH_TARGET)))[0]
    parts = [f"bra.{cond}"]
    if QPU_GET_FIELD(word, QPU_BRANCH_REL):
        parts.append("rel")
    if QPU_GET_FIELD(word, QPU_BRANCH_REG):
        parts.append(f"ra{QPU_GET_FIELD(word, QPU_BRANCH_RADDR_A)}")
    parts.append(str(target))
    links = [_dst_text(word, pipe) for pipe in (ADD, MUL)]
    if links != ["-", "-"]:
        parts.append("link " + ", ".join(links))
    return " ".join(parts)


def disassemble(word: int) -> str:
    """A word as one line of text."""
    sig = QPU_GET_FIELD(word, QPU_SIG)
    if sig == QPU_SIG_.BRANCH:
        text = _branch_text(word)
    elif sig != QPU_SIG_.LOAD_IMM:
        text = _alu_text(word)
    elif QPU_GET_FIELD(word, QPU_LOAD_IMM_MODE) & QPU_LOAD_IMM_MODE_.SEMA:
        way = "down" if QPU_GET_FIELD(word, QPU_SEMA_DOWN) else "up"
        text = f"sema.{way} {QPU_GET_FIELD(word, QPU_SEMA)}"
    else:
        text = _load_imm_text(word)
    plain = assemble(text)
    rest = [f"{field.name}={QPU_GET_FIELD(word, field)}" for field in fields_of(word)
            if QPU_GET_FIELD(word, field) != QPU_GET_FIELD(plain, field)]
    return f"{text} {{{', '.join(rest)}}}" if rest else text


class _Line:
    """An ALU line while it is read: the word so far, and the sources whose file is still open."""

    def __init__(self) -> None:
        self.word = qpu_NOP()
        self.open: list[tuple[Field, str]] = []
        self.once: dict[Field, int] = {}

    def put(self, field: Field, value: int) -> None:
        self.word = QPU_UPDATE_FIELD(self.word, value, field)

    def put_once(self, field: Field, value: int) -> None:
        """A field that both operations share: ValueError when they want two values."""
        if self.once.setdefault(field, value) != value:
            raise ValueError(f"one word has one {field.name}, not {self.once[field]} and {value}")
        self.put(field, value)

    def dst(self, pipe: Pipe, text: str) -> None:
        """A destination: its address, its pack, and WS where only one file has it."""
        name, _, pack = text.partition(".")
        files = [file for file in (0, 1) if name in _WRITE_CODES[file]]
        if not files:
            raise ValueError(f"no register {name} can be written")
        self.put(pipe.waddr, _WRITE_CODES[files[0]][name])
        if len(files) == 1:
            self.put_once(QPU_WS, files[0] ^ (pipe is MUL))
        if pack:
            pm = int(f".{pack}" in _PACKS[1])
            self.put_once(QPU_PM, pm)
            self.put_once(QPU_PACK, _PACKS[pm][f".{pack}"])

    def src(self, field: Field, text: str) -> None:
        """A source; one that either file can give waits for `close`."""
        if re.fullmatch(r"-?[0-9.]+(e-?\d+)?", text):
            bits = struct.pack("<f", float(text)) if "." in text else struct.pack("<i", int(text))
            code = qpu_encode_small_immediate(int.from_bytes(bits, "little"))
            if code is None:
                raise ValueError(f"{text} is no small immediate")
            self.put_once(QPU_SIG, QPU_SIG_.SMALL_IMM)
            self.put_once(QPU_RADDR_B, code)
            self.put(field, QPU_MUX.B)
            return
        name, _, unpack = text.partition(".")
        if unpack:
            self.put_once(QPU_UNPACK, _UNPACKS[f".{unpack}"])
            self.put_once(QPU_PM, int(name == "r4"))
        files = [file for file in (0, 1) if name in _READ_CODES[file]]
        if name == "rot":
            self.put(field, QPU_MUX.B)
        elif re.fullmatch("r[0-5]", name):
            self.put(field, int(name[1]))
        elif not files:
            raise ValueError(f"no register {name} can be read")
        elif len(files) == 2 and not unpack:
            self.open.append((field, name))
        else:
            self.read(field, files[0], name)

    def read(self, field: Field, file: int, name: str) -> None:
        self.put(field, (QPU_MUX.A, QPU_MUX.B)[file])
        self.put_once((QPU_RADDR_A, QPU_RADDR_B)[file], _READ_CODES[file][name])

    def close(self) -> int:
        """The word: what either file gives comes from A, or from B where A reads another."""
        for field, name in self.open:
            address = _READ_CODES[0][name]
            taken = self.once.get(QPU_RADDR_A, address) != address
            self.read(field, int(taken), name)
        return self.word


def _suffixes(text: str) -> tuple[str, int | None, bool]:
    """An operation's name, its condition where it names one, and whether it sets flags."""
    name, *marks = text.split(".")
    sf = "sf" in marks
    conds = [QPU_COND[mark.upper()] for mark in marks if mark != "sf"]
    return name, conds[0] if conds else None, sf


def _part(line: _Line, pipe: Pipe, text: str) -> None:
    operation, _, operands = text.partition(" ")
    name, cond, sf = _suffixes(operation)
    if sf:
        line.put(QPU_SF, 1)
    if name == "nop":
        return
    op = pipe.move if name == "mov" else pipe.codes.get(name)
    if op is None and re.fullmatch(r"op\d+", name):
        op = int(name[2:])
    if op is None:
        raise ValueError(f"no operation {name}")
    line.put(pipe.op, op)
    line.put(pipe.cond, QPU_COND.ALWAYS if cond is None else cond)
    operands, _, rotation = operands.partition(" >> ")
    if rotation:
        by = 0 if rotation.strip() == "r5" else int(rotation)
        line.put_once(QPU_SIG, QPU_SIG_.SMALL_IMM)
        line.put_once(QPU_RADDR_B, QPU_SMALL_IMM_MUL_ROT + by)
    dst, *sources = [operand.strip() for operand in operands.split(",")]
    line.dst(pipe, dst)
    if not 1 <= len(sources) <= 2:
        raise ValueError(f"{name} takes one or two sources: {text}")
    for field, source in zip(pipe.sources, sources * 2, strict=False):
        line.src(field, source)


def _alu(text: str) -> int:
    parts = [part.strip() for part in text.split(";")]
    line = _Line()
    if parts[-1] in _SIGNAL_CODES:
        line.put_once(QPU_SIG, _SIGNAL_CODES[parts.pop()])
    if len(parts) > 2:
        raise ValueError(f"three operations: {text}")
    for pipe, part in zip((ADD, MUL), parts, strict=False):
        _part(line, pipe, part)
    return line.close()


def _load_imm(text: str) -> int:
    operation, _, operands = text.partition(" ")
    modes = {"i2": QPU_LOAD_IMM_MODE_.I2, "u2": QPU_LOAD_IMM_MODE_.U2}
    marks = operation.split(".")[1:]
    mode = next((modes[mark] for mark in marks if mark in modes), QPU_LOAD_IMM_MODE_.U32)
    _, cond, sf = _suffixes(".".join(["ldi", *(m for m in marks if m not in modes)]))
    line = _Line()
    line.word = (QPU_SET_FIELD(QPU_SIG_.LOAD_IMM, QPU_SIG)
                 | QPU_SET_FIELD(QPU_COND.ALWAYS, QPU_COND_MUL)
                 | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_MUL))
    line.put(QPU_LOAD_IMM_MODE, mode)
    line.put(QPU_COND_ADD, QPU_COND.ALWAYS if cond is None else cond)
    line.put(QPU_SF, sf)
    *targets, value = [operand.strip() for operand in operands.split(",")]
    line.put(QPU_IMM, int(value, 0))
    for pipe, target in zip((ADD, MUL), targets, strict=False):
        line.dst(pipe, target)
    return line.word


def _semaphore(text: str) -> int:
    operation, _, number = text.partition(" ")
    word = _load_imm("ldi -, 0")
    word = QPU_UPDATE_FIELD(word, QPU_LOAD_IMM_MODE_.SEMA, QPU_LOAD_IMM_MODE)
    word = QPU_UPDATE_FIELD(word, operation == "sema.down", QPU_SEMA_DOWN)
    return QPU_UPDATE_FIELD(word, int(number), QPU_SEMA)


def _branch(text: str) -> int:
    text, _, links = text.partition(" link ")
    operation, *rest = text.split()
    cond = operation.partition(".")[2]
    line = _Line()
    line.word = (QPU_SET_FIELD(QPU_SIG_.BRANCH, QPU_SIG) | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_ADD)
                 | QPU_SET_FIELD(QPU_W.NOP, QPU_WADDR_MUL))
    code = int(cond[4:]) if cond.startswith("cond") else QPU_COND_BRANCH[cond.upper()]
    line.put(QPU_BRANCH_COND, code)
    line.put(QPU_BRANCH_REL, "rel" in rest)
    for register in (word for word in rest if word.startswith("ra")):
        line.put(QPU_BRANCH_REG, 1)
        line.put(QPU_BRANCH_RADDR_A, int(register[2:]))
    line.put(QPU_BRANCH_TARGET, int(rest[-1]) & 0xFFFFFFFF)
    if links:
        for pipe, link in zip((ADD, MUL), links.split(","), strict=True):
            line.dst(pipe, link.strip())
    return line.word


def assemble(text: str) -> int:
    """One line of text as a word; ValueError (or KeyError) says what is not understood."""
    text, _, rest = text.strip().partition("{")
    text = text.strip()
    if text.startswith("bra."):
        word = _branch(text)
    elif text.startswith("sema."):
        word = _semaphore(text)
    elif text.startswith("ldi"):
        word = _load_imm(text)
    else:
        word = _alu(text)
    fields = {field.name: field for field in fields_of(word)}
    for setting in (s for s in rest.rstrip("} ").split(",") if s):
        name, _, value = setting.strip().partition("=")
        word = QPU_UPDATE_FIELD(word, int(value, 0), fields[name])
    return word


def program_text(words: list[int]) -> str:
    """A program: each word in hexadecimal and as text, a line each."""
    return "\n".join(f"0x{word:016x} {disassemble(word)}" for word in words)
