"""A service that takes work on from Punctual and reports back when it is done. Python 3.8 or newer, nothing to install.

    python3 service.py 8082
"""

import json
import sys
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def tell(url, token, body, path=""):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    attempt = 0
    while True:
        attempt += 1
        request = urllib.request.Request(url + path, json.dumps(body).encode(), headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            # Whatever is below 500 will not change by asking again.
            if error.code < 500:
                return json.load(error)
        except OSError:
            pass
        time.sleep(min(2**attempt, 60))


def work(url, token, rows):
    try:
        for done in range(1, rows + 1):
            time.sleep(0.05)  # the work itself
            answer = tell(url, token, {"progress": {"done": done, "of": rows}}, "/heartbeat")
            if answer.get("cancel_requested"):
                return
        tell(url, token, {"status": "SUCCESS", "result": {"rows": rows}})
    except Exception as error:
        tell(url, token, {"status": "FAILURE", "error_info": str(error)})


class Service(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        rows = json.loads(body or "{}").get("rows", 3)
        url = self.headers["X-Punctual-Callback-Url"]
        token = self.headers["X-Punctual-Callback-Token"]
        self.send_response(202)  # accepted: the run waits from now on
        self.end_headers()
        threading.Thread(target=work, args=(url, token, rows), daemon=True).start()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 8082), Service)
    print("listening on", json.dumps({"port": server.server_address[1]}), flush=True)
    server.serve_forever()
