"""A page as a headless Chromium shows it, through the pipe of its debugging protocol (Chrome DevTools Protocol)."""
import json
import os
import subprocess
import tempfile
import time


def shown(chromium: str, url: str, script: str, seconds: float = 120):
    """What a script says of the page, asked again and again until it says something."""
    from_us, to_us = os.pipe(), os.pipe()

    def pipes() -> None:  # the browser reads number 3 and writes number 4
        reading, writing = os.dup(from_us[0]), os.dup(to_us[1])
        os.dup2(reading, 3)
        os.dup2(writing, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
                   "--remote-debugging-pipe", "about:blank"]
        browser = subprocess.Popen(
            command, close_fds=False, preexec_fn=pipes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(from_us[0])
        os.close(to_us[1])
        sent = 0
        with os.fdopen(from_us[1], "wb", buffering=0) as out, os.fdopen(to_us[0], "rb") as answers:

            def call(method: str, session: str = "", **parameters) -> dict:
                nonlocal sent
                sent += 1
                message = {"id": sent, "method": method, "params": parameters, **({"sessionId": session} if session else {})}
                out.write(json.dumps(message).encode() + b"\0")
                while (answer := read(answers)).get("id") != sent:
                    pass
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

            try:
                target = call("Target.createTarget", url=url)["targetId"]
                session = call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
                deadline = time.time() + seconds
                while time.time() < deadline:
                    said = call("Runtime.evaluate", session, expression=script, returnByValue=True)["result"].get("value")
                    if said:
                        return said
                    time.sleep(0.5)
                raise TimeoutError(f"the page {url} did not show it in {seconds} s")
            finally:
                browser.terminate()
                browser.wait()


def read(answers) -> dict:
    """The next message."""
    message = bytearray()
    while (byte := answers.read(1)) != b"\0":
        if not byte:
            raise EOFError("the browser ended")
        message += byte
    return json.loads(message)
