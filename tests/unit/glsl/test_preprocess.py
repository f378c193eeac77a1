# SPDX-License-Identifier: MIT
"""Directives and macros: what comes out, and messages as Mesa places them.

What is accepted and what refused is as the peer (Mesa 22.3) decides, which was asked for each of
these sources once; places are those of the token that is wrong.
"""

import pytest

from pydri.glsl.language.versions import Language, supported_versions
from pydri.glsl.log import Log
from pydri.glsl.source.parser import parse
from pydri.glsl.source.preprocess import Preprocessor, read_source

EXTENSIONS = ("GL_ARB_texture_rectangle", "GL_ARB_compatibility")


def run(text: str, stage: str = "fragment") -> tuple[list[str], str]:
    """The token texts, and the log after parsing."""
    for exact in (False, True):
        source = read_source(text)
        log = Log(source)
        language = Language(log, EXTENSIONS, supported_versions(450, 320))
        tokens = Preprocessor(source, log, language, stage, exact).run()
        if not log.errors:  # with what is known; else the places are those of the second time
            parse(tokens, log, language)
            break
    return tokens.texts[:-1], log.text


def tokens(text: str) -> str:
    return " ".join(run(text)[0])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#define A 1\nA B", "1 B"),
        ("#define f(x, y) y x\nf(1, (2, 3)) f", "( 2 , 3 ) 1 f"),
        ("#define f(x) x\nf(1\n)\nf ( 2 )", "1 2"),
        ("#define f() 3\nf() f( )", "3 3"),
        ("#define f(x) [x]\nf()", "[ ]"),
        ("#define A B\n#define B A\nA B", "A B"),
        ("#define f(x) x f\nf(1)(2)", "1 f ( 2 )"),
        ("#define f(x) x x\n#define g f\ng(1)\n+f(\n2)", "1 1 + 2 2"),
        ("#define f(x) g(x\n#define g(x) {x}\nf(1))", "{ 1 }"),
        ("#define f(x,y) x##y\nf(a,b) f(a,) f(,1)", "ab a 1"),
        ("#define A a\n#define f(x) x##x\nf(A)", "AA"),
        ("#if __VERSION__ == 110 && defined(GL_ARB_texture_rectangle)\nA\n#else\nB\n#endif", "A"),
        ("#ifdef GL_ES\nA\n#elif 1 + 2 * 3 == 7 && (1 << 4) / -3 == -5\nB\n#endif", "B"),
        ("#if 0\n#if 1\nA\n#else\nB\n#endif\n#else\nC\n#endif", "C"),
        ("#if 0\n@'#'\n#bogus\n#elif defined X || 0x10 == 020\nA\n#endif", "A"),
        ("#if 0 && 1 / 0\nA\n#endif\nB", "B"),
        ("__LINE__\n#line 20 3\n__LINE__ __FILE__", "1 21 3"),
        ("#version 330\n#line 20\n__LINE__", "20"),
        ("a\\\nb /* c\n */ __LINE__", "ab 3"),
        ("#define f(x) \\\n  x + \\\n  1\nf(2) __LINE__", "2 + 1 4"),
        ("#version 150 compatibility\n#ifdef GL_compatibility_profile\nA\n#endif", "A"),
        ("#version 300 es\n__VERSION__ GL_ES", "300 1"),
        ("#define A 1\n#undef A\n#define A 2\n#define A 2\nA", "2"),
        ("/* a\n#define A 1\n*/ A", "A"),
        ("/* a\n#define A 1\n*/ B /*\n#define B\n*/ A", "B A"),
        ("#define A 1 /* x\n #y */ + 2\nA", "1 + 2"),
        ("/*\n*/ #define A 1\nA", "1"),
        ("B\n/**/ #define A 1\nA B", "B 1 B"),
        ("#define f(x) x\n#ifdef f\nf\n#endif\n(1) f(\n2)", "f ( 1 ) 2"),
        # one token, in which no macro is (and no number)
        ("#define e +1\n1e 08 12e 1e+1 .5e-3 1.x", "1e 0 8 12e 1e+1 .5e-3 1 . x"),
    ],
)
def test_what_comes_out(text: str, expected: str) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("#version 120\n#line 10 3\nfoo bar baz;\n", "3:11(1): error: syntax error"),
        ("#if 1/0\n#endif\n", "0:1(6): preprocessor error: division by 0"),
        ("#if\n#endif\n", "0:1(1): preprocessor error: #if with no expression\n"),
        ("#define A #\n", "0:1(11): preprocessor error: syntax error, unexpected #"),
        ("#foo\n", "0:1(1): preprocessor error: Illegal non-directive after #\n"),
        ("#define A(x) x\nint a=A(1,2);\n",
         "0:2(7): preprocessor error: Error: macro A invoked with 2 arguments (expected 1)\n"),
        ("#define A(x) x\nint a=A(1;\n", "0:2(7): preprocessor error: Macro A call has unb"),
        ("#define A(x,x) x\n", '0:1(13): preprocessor error: Duplicate macro parameter "x"\n'),
        ("#define A 1+2\n#define A 1 + 2\n", "0:2(9): preprocessor error: Redefinition of macro"),
        ("#define GL_A 1\n", '0:1(9): preprocessor error: Macro names starting with "GL_"'),
        ("int a;\n#define defined 1\n", '0:2(9): preprocessor error: "defined" cannot'),
        ("#else\n", "0:1(1): preprocessor error: #else without #if\n"),
        ("#if 1\n#else\n#else\n#endif", "0:3(1): preprocessor error: multiple #else\n"),
        ("#if 1\nint a;\n", "0:1(1): preprocessor error: Unterminated #if\n"),
        ("#ifdef A B\n#endif\n", "0:1(10): preprocessor error: extra tokens at end of dir"),
        ("#error  hello  world \n", "0:1(1): preprocessor error: #error  hello  world \n"),
        ("int a;\n#version 120\n", "0:2(1): preprocessor error: #version must appear on the"),
        ("#version 333\n", "0:1(10): error: GLSL 3.33 is not supported. Supported versions are"),
        ("#version 120 foo\n", "0:1(10): error: illegal text following version number\n"),
        ("#version 100\n#if FOO\n#endif\n", "0:2(5): preprocessor error: undefined macro FOO in"),
        ("#extension GL_foo : require\n", "0:1(12): error: extension `GL_foo' unsupported in"),
        ("#extension GL_foo : enable\nint a;", "0:1(12): warning: extension `GL_foo' unsupport"),
        ("#extension all : enable\n", "0:1(12): error: cannot enable all extensions\n"),
        ("int a;\n#extension all : warn\n", "0:2(1): error: #extension directive is not allowed"),
        ("/* open\n", "0:2(1): preprocessor error: Unterminated comment\n"),
        ("void main(){ int a = 08; }", "0:1(23): error: syntax error, unexpected number"),
        ("void ,main() {}", "0:1(11): error: syntax error, unexpected '('"),
        ("#version 120\ninvariant ;", "0:2(11): error: syntax error, unexpected ';'"),
        ("int a[", "0:1(7): error: syntax error, unexpected end of file"),
        ("void f() { int a = 1 return; }", "0:1(22): error: syntax error, unexpected 'return'"),
        ("void f() {\n#pragma debug(on)\n}", "0:2(1): error: syntax error, unexpected '#pragma'"),
    ],
)
def test_messages(text: str, log: str) -> None:
    assert run(text)[1].startswith(log)


def test_several_errors_in_one_run() -> None:
    text = "void a() { int 1; float x; if x; }\nint b = ;\nvoid c() { return 1 }\nint d;"
    places = [line.split(" ")[0] for line in run(text)[1].splitlines()]
    assert places == ["0:1(16):", "0:1(31):", "0:2(9):", "0:3(21):"]


def test_a_bomb_of_macros_ends() -> None:
    text = "".join(f"#define a{i} a{i + 1} a{i + 1}\n" for i in range(60)) + "a0\n"
    assert "macros expand to too many tokens" in run(text)[1]
