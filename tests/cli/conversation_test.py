#!/usr/bin/env python3
"""Usage: conversation_test.py SAKER, in the repository's root. Holds conversations on a pseudo-terminal.

What a person types is sent key by key; what stands on the screen is waited for. Answers are those of
models/demo to the questions of examples/pictures/questions.json.
"""

import json
import os
import pathlib
import pty
import select
import signal
import stat
import subprocess
import sys
import tempfile
import time

SAKER = os.path.abspath(sys.argv[1])
PICTURE = "examples/pictures/shapes-1.png"
PROMPT = "\x1b[?2004h> "  # pastes are marked, then the prompt
UP, RIGHT, DELETE, CTRL_A, CTRL_C, CTRL_D, BACKSPACE = "\x1b[A", "\x1b[C", "\x1b[3~", "\x01", "\x03", "\x04", "\x7f"
failures = 0


def hold(good, what):
    global failures
    failures += not good
    print(f"{'ok    ' if good else 'FAILED'}  {what}")


class Terminal:
    """`saker run` on a terminal of its own."""

    def __init__(self, *args, prompt=PROMPT, **environment):
        self.prompt, self.text, self.seen = prompt, "", 0
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.execve(SAKER, [SAKER, "run", *args], dict(os.environ, **{"TERM": "xterm", **environment}))

    def _read(self, seconds):
        ready, _, _ = select.select([self.file], [], [], seconds)
        if not ready:
            return True
        try:
            data = os.read(self.file, 1 << 16)
        except OSError:
            data = b""
        self.text += data.decode(errors="replace")
        return bool(data)

    def wait(self, pattern=None, seconds=120):
        """What came up to `pattern` (default: the prompt); fails loudly after a while."""
        pattern = self.prompt if pattern is None else pattern
        end = time.time() + seconds
        while pattern not in self.text[self.seen:]:
            if time.time() > end or not self._read(0.2):
                hold(False, f"{pattern!r} comes after {self.text[self.seen:]!r}")
                os.kill(self.pid, signal.SIGKILL)
                sys.exit(1)
        at = self.text.index(pattern, self.seen)
        piece, self.seen = self.text[self.seen:at], at + len(pattern)
        return piece

    def send(self, keys):
        os.write(self.file, keys.encode())

    def ask(self, keys):
        """Sends a line at the prompt; what was printed up to the next prompt, without the line itself."""
        self.send(keys + "\n")
        said = self.wait()
        return said.split("\x1b[?2004l")[-1].strip().replace("\r\n", "\n")

    def end(self):
        """The exit code once the program has ended."""
        end = time.time() + 60
        while time.time() < end and self._read(0.2):
            pass
        if time.time() >= end:
            hold(False, f"the program ends after {self.text[-200:]!r}")
            os.kill(self.pid, signal.SIGKILL)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def editing_and_history(work):
    state = {"XDG_STATE_HOME": str(work / "state")}
    t = Terminal(**state)
    t.wait()
    hold("about it" in t.ask(f"/image {PICTURE}"), "a picture is shown")
    hold(t.ask("What colour is the rong" + 3 * BACKSPACE + "ing?") == "black", "backspace takes letters back")
    hold(t.ask("xHow many objects are there?" + CTRL_A + DELETE) == "3", "the line is edited at its beginning")
    hold(t.ask(UP + UP) == "black", "the arrow brings earlier lines back")
    hold(t.ask("图里有几个物体？") == "3", "Chinese is typed")
    t.send("\x1b[200~How many of\rthem?\x1b[201~\n")
    t.wait()
    t.send("half a line" + CTRL_C)
    t.wait()
    hold(True, "Ctrl-C drops the line and the conversation goes on")
    hold("did you mean /image?" in t.ask("/imgae x"), "a command nearby is named")
    hold("/save! FILE" in t.ask("/help"), "/help lists the commands")
    t.send(CTRL_D)
    hold(t.end() == 0, "Ctrl-D ends")
    kept = work / "state/saker/history"
    lines = kept.read_text().split("\n")
    hold("How many of\\nthem?" in lines, "a paste of two lines is one entry")
    hold("half a line" not in lines and lines[1] == "What colour is the ring?", "what was asked is kept")
    hold(stat.S_IMODE(kept.stat().st_mode) == 0o600, "nobody else reads it")

    t = Terminal(**state)
    t.wait()
    t.ask(UP + UP + UP + UP)  # /help, /imgae, the paste, then the Chinese question
    hold("图里有几个物体？" in t.text, "history lasts to the next conversation")
    t.send("/quit\n")
    hold(t.end() == 0, "/quit ends")

    t = Terminal(XDG_STATE_HOME="/proc/nowhere")
    t.wait()
    t.ask("/system")
    t.send("/exit\n")
    hold(t.end() == 0, "without a place for history nothing is kept")

    t = Terminal(prompt="> ", TERM="dumb", **state)
    t.wait()
    t.send("/quit\n")
    hold(t.end() == 0, "a dumb terminal will do")


def what_was_said(work):
    cut = work / "cut.png"
    cut.write_bytes(pathlib.Path(PICTURE).read_bytes()[:500])
    saved = work / "talk.json"
    t = Terminal("--max-context", "256", "--system", "Answer.", XDG_STATE_HOME=str(work / "state"))
    t.wait()
    hold("cut.png" in t.ask(f"/image {cut}"), "a broken picture is told at once")
    hold("no such file" in t.ask("/image none.png"), "a picture that is not there, too")
    hold("no picture" not in t.ask("/drop") and t.ask("/system") == "Answer.", "/system tells the message")
    t.ask("/system ")
    t.ask("/system Be brief.")
    hold(t.ask("/system") == "Be brief.", "/system sets it")
    hold("about it" in t.ask(f"/image '{PICTURE}'"), "quotes around a name are not part of it")
    hold(t.ask("How many objects are there?") == "3", "the picture is asked about")
    said = t.ask("word " * 300)
    hold("maximum context length is 256" in said and "/clear" in said and "--max-context" not in said,
         "a full context says what can be done here")
    hold(t.ask("What colour is the ring?") == "black", "a failed question leaves the conversation as it was")
    hold("holds 5 message(s)" in t.ask(f"/save {saved}"), "/save counts what was said")
    hold("there already" in t.ask(f"/save {saved}"), "/save writes over nothing")
    t.ask("How many objects are there?")
    hold("holds 7 message(s)" in t.ask(f"/save! {saved}"), "/save! does")
    hold("stays" in t.ask("/clear"), "/clear keeps the system message")
    hold("holds 1 message(s)" in t.ask(f"/save {work / 'cleared.json'}"), "nothing else is left after /clear")
    hold("6 frames" in t.ask("/video examples/pictures/motion 2"), "a clip is shown")
    hold("1e3x" in t.ask("/video examples/pictures/motion 1e3x"), "its rate is a number")
    hold("no picture" in t.ask("/drop"), "/drop takes it back")
    t.send(CTRL_D)
    hold(t.end() == 0, "the conversation ends")

    messages = json.loads(saved.read_text())["messages"]
    hold([m["role"] for m in messages] == ["system"] + 3 * ["user", "assistant"] and
         messages[1]["content"][0]["image_url"]["url"] == os.path.abspath(PICTURE) and
         messages[2]["content"] == "3", "what was saved is what was said")
    again = subprocess.run([SAKER, "run", "--messages", saved, "What colour is the ring?"], capture_output=True,
                           text=True, stdin=subprocess.DEVNULL, timeout=120)
    hold(again.stdout == "black\n", "and can be asked again")
    t = Terminal("--messages", str(saved), XDG_STATE_HOME=str(work / "state"))
    t.wait()
    hold(t.ask("What colour is the ring?") == "black", "a conversation that ends with an answer goes on")
    t.send(CTRL_D)
    t.end()

    for args, told in ((("--image", str(cut)), "cut.png"), (("--json",), "--json needs a question"),
                       (("--prefill", "x"), "--prefill needs a question")):
        t = Terminal(*args)
        hold(t.end() == 2 and told in t.text and "> " not in t.text, f"{args[0]}: told before the first question")


def interrupts(work):
    model = work / "model"
    subprocess.run([SAKER, "synth", "examples/synth/config.json", model], check=True, capture_output=True)
    t = Terminal(str(model), "--backend", "ref", "--temperature", "2", "--seed", "1", "--stop", "never",
                 XDG_STATE_HOME=str(work / "state"))
    t.wait()
    t.send("Hello\n")
    t.wait("\x1b[?2004l")
    begun = len(t.text)
    while len(t.text) < begun + 5:
        t._read(0.2)
    t.send(CTRL_C)
    t.wait(seconds=30)
    hold("holds 2 message(s)" in t.ask(f"/save {work / 'broken.json'}"), "Ctrl-C ends the answer, not the program")
    t.send("word " * 100 + "\n")
    t.wait("\x1b[?2004l")
    t.send(CTRL_C)  # while the prompt is read
    t.wait(seconds=30)
    hold(True, "Ctrl-C is heeded before the first token")
    t.send(CTRL_D)
    hold(t.end() == 0, "and Ctrl-D still ends")

    t = Terminal(str(model), "--backend", "ref", "--temperature", "2", "--seed", "1", "--stop", "never", "Hello")
    while len(t.text) < 5:
        t._read(0.2)
    t.send(CTRL_C)
    hold(t.end() == 130, "of a single question Ctrl-C ends the program, as shells tell it")


with tempfile.TemporaryDirectory() as folder:
    for part in (editing_and_history, what_was_said, interrupts):
        inner = pathlib.Path(folder) / part.__name__
        inner.mkdir()
        part(inner)
print("all as expected" if failures == 0 else f"{failures} not as expected")
sys.exit(failures > 0)
