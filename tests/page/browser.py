# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium that is asked through a pipe, by its DevTools protocol: no package beside the browser itself."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time

from report import Skip

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find():
    """The path of a browser; Skip where there is none."""
    wanted = os.environ.get("INGOT_BROWSER")
    for name in (wanted,) if wanted else NAMES:
        path = shutil.which(name)
        if path:
            return path
    raise Skip(f"no browser ({wanted or 'apt install chromium'})")


class Browser:
    """One tab. Requests to anywhere, messages of the console and errors are collected."""

    def __init__(self, timeout=60):
        self.timeout, self.n_sent, self.events, self.text = timeout, 0, [], b""
        self.folder = tempfile.mkdtemp(prefix="ingot-browser-")
        to_read, self.to = os.pipe()
        self.from_, from_write = os.pipe()
        command = [
            find(), "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking", "--no-default-browser-check",
            "--force-color-profile=srgb", f"--user-data-dir={self.folder}", "about:blank",
        ]
        # The browser reads from file descriptor 3 and writes to 4: something between puts them there.
        start = ("import fcntl, os, sys; high = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 10) for fd in sys.argv[1:3]]; "
                 "os.dup2(high[0], 3); os.dup2(high[1], 4); os.execv(sys.argv[3], sys.argv[3:])")
        self.process = subprocess.Popen(
            [sys.executable, "-c", start, str(to_read), str(from_write), *command], pass_fds=(to_read, from_write),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder),
        )
        os.close(to_read)
        os.close(from_write)
        self.session = None
        try:
            self.attach()
        except BaseException:
            self.close()
            raise

    def attach(self):
        """Take the tab, and have it tell what happens in it."""
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.from_)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, deadline):
        """The next message; messages end with a NUL."""
        while b"\0" not in self.text:
            if not select.select([self.from_], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Skip(f"the browser does not answer within {self.timeout} s")
            some = os.read(self.from_, 1 << 20)
            if not some:
                raise Skip(f"the browser ended by itself (exit code {self.process.wait()})")
            self.text += some
        line, self.text = self.text.split(b"\0", 1)
        return json.loads(line)

    def ask(self, method, **parameters):
        self.n_sent += 1
        question = {"id": self.n_sent, "method": method, "params": parameters}
        if self.session:
            question["sessionId"] = self.session
        os.write(self.to, json.dumps(question).encode() + b"\0")
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self.message(deadline)
            if answer.get("id") == self.n_sent:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def wait_for(self, method):
        deadline = time.monotonic() + self.timeout
        while not any(event["method"] == method for event in self.events):
            answer = self.message(deadline)
            if "method" in answer:
                self.events.append(answer)

    # ---- what tests ask ----

    def show(self, path, width, height=900, dark=False, scale=1, media=""):
        """Open a file, as wide as so many pixels."""
        self.width, self.scale = width, scale
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                 mobile=width < 600)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", media=media, features=features)
        self.events.clear()
        self.ask("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def value(self, script):
        """What a JavaScript expression is."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", "?"))
        return result["result"].get("value")

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """Errors of scripts, and what the browser writes to its console."""
        return [json.dumps(event["params"])[:300] for event in self.events
                if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]

    def picture(self, path, box=None):
        """A PNG of the whole page, or of a box (x, y, width, height) of it."""
        self.ask("Emulation.setDeviceMetricsOverride", width=self.width, deviceScaleFactor=self.scale, mobile=False,
                 height=self.value("document.documentElement.scrollHeight"))
        whole = (0, 0, self.width, self.value("document.documentElement.scrollHeight"))
        clip = dict(zip(("x", "y", "width", "height"), box or whole), scale=1)
        data = self.ask("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
