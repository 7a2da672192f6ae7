# SPDX-License-Identifier: MIT
"""Takes the pictures of docs/tensorboard.md: screenshots.py LOGDIR OUT_DIRECTORY.

Needs Chromium, and a Python with tensorboard (build/venv/bin/python has both it and Pillow). LOGDIR is
what the example digits wrote with examples/digits/tensorboard.yaml."""
import base64
import io
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../tests/tensorboard"))
from board import Board  # noqa: E402
from PIL import Image  # noqa: E402

PAGES = {
    "timeseries": ("/#timeseries", 1400, 1500),
    "custom": ("/#custom_scalars", 1400, 1500),
    "text": ("/#text", 1400, 800),
    "hparams": ("/#hparams", 1900, 500),
}
WIDTH = 1000  # of the pictures
DRAWING_S = 12  # charts are drawn by workers, in their own time


class Browser:
    """Chromium without a window, by its debugging protocol over a pair of pipes."""

    def __init__(self, profile):
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()

        def pipes_as_3_and_4():
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={profile}"],
            preexec_fn=pipes_as_3_and_4, close_fds=False, stderr=subprocess.DEVNULL)
        self.number = 0
        self.buffer = b""

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.buffer:
                self.buffer += os.read(self.inp, 1 << 20)
            answer, self.buffer = self.buffer.split(b"\0", 1)
            answer = json.loads(answer)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def picture(self, url, width, height):
        target = self.call("Target.createTarget", url=url)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Emulation.setDeviceMetricsOverride", session, width=width, height=height,
                  deviceScaleFactor=1, mobile=False)
        time.sleep(DRAWING_S)
        data = self.call("Page.captureScreenshot", session, format="png")["data"]
        self.call("Target.closeTarget", targetId=target)
        return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")

    def close(self):
        self.process.terminate()
        self.process.wait(10)


def main():
    logdir, out = (os.path.abspath(path) for path in sys.argv[1:])
    os.chdir(os.path.dirname(logdir))  # the pages show the path as TensorBoard was given it
    with tempfile.TemporaryDirectory() as scratch:
        board = Board(os.path.basename(logdir), fast=True, log=os.path.join(scratch, "log"))
        browser = Browser(os.path.join(scratch, "profile"))
        try:
            time.sleep(5)
            for name, (page, width, height) in PAGES.items():
                picture = browser.picture(board.url + page, width, height)
                picture = picture.resize((WIDTH, round(height * WIDTH / width)), Image.LANCZOS)
                picture = picture.quantize(128, dither=Image.Dither.NONE)
                picture.save(os.path.join(out, name + ".png"), optimize=True)
        finally:
            browser.close()
            board.close()


main()
