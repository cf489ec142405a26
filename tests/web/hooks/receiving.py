"""A receiver of webhooks on a loopback port, which keeps what it was sent."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue

from tests.commands import PATIENCE


class Receiver:
    def __init__(self, server, messages):
        self.server, self.messages = server, messages
        self.status, self.headers = 200, {}

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook"

    def next(self):
        """The next message as headers and body; fails if none comes."""
        return self.messages.get(timeout=PATIENCE)


@contextmanager
def receiving():
    messages = Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            messages.put((dict(self.headers), body))
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    receiver = Receiver(server, messages)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
