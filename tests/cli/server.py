"""A small HTTP server for test_data_get.sh: server.py FOLDER PORTFILE LOGFILE.

The first part of the path says how the file after it is served:
  /plain/NAME  whole, whatever range is asked for      /range/NAME  with ranges
  /cut/NAME    with ranges, 100,000 bytes an answer, the connection then closed
  /short/NAME  whole, but without its last 1000 bytes  /long/NAME   1000 bytes more
  /slow/NAME   with ranges, 200,000 bytes a second     /other/NAME  every byte another
  /moved/NAME  redirected to /range/NAME               /off/NAME    a range that is not the one asked
  /ranges-of-short/NAME  /short/NAME with ranges; anything else: 404
  /uneven/NAME whole, but cut after 100,000, 50,000, 80,000, 60,000 bytes and again; the 20th is whole
  /more/NAME   whole, but cut after 500,000 bytes, 1,000,000, 1,500,000 and so on
The log has a line for each request: path, range, status.
"""
import http.server
import os
import re
import sys
import time

folder, portfile, logfile = sys.argv[1:]


class Handler(http.server.BaseHTTPRequestHandler):
    cuts = 0

    def log_message(self, *args):
        pass

    def answer(self, code, **headers):
        with open(logfile, "a") as log:
            print(self.path, self.headers.get("Range", "-"), code, file=log)
        self.send_response(code)
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()

    def contents(self, mode, name):
        path = os.path.join(folder, os.path.basename(name))
        if not os.path.isfile(path):
            return None
        with open(path, "rb") as f:
            data = f.read()
        if "short" in mode:
            return data[:-1000]
        if mode == "long":
            return data + bytes(1000)
        if mode == "other":
            return bytes(b ^ 255 for b in data)
        return data

    def send_slowly(self, data):
        for at in range(0, len(data), 10000):
            self.wfile.write(data[at:at + 10000])
            time.sleep(0.05)

    def do_GET(self):
        mode, _, name = self.path.lstrip("/").partition("/")
        modes = "plain range cut short long slow other moved off ranges-of-short uneven more".split()
        data = self.contents(mode, name) if mode in modes else None
        if data is None:
            return self.answer(404, Content_Length="0")
        if mode == "moved":
            return self.answer(302, Location="/range/" + name, Content_Length="0")
        wanted = re.match(r"bytes=(\d+)-$", self.headers.get("Range", ""))
        first = 0
        if wanted and mode not in ("plain", "short", "long", "other", "uneven", "more"):
            first = int(wanted.group(1))
            if first >= len(data):
                return self.answer(416, Content_Length="0")
            self.answer(206, Content_Length=str(len(data) - first),
                        Content_Range="bytes %d-%d/%d" % (first, len(data) - 1, len(data)))
        else:
            self.answer(200, Content_Length=str(len(data)))
        if mode == "off":
            first = max(first - 1, 0)
        body = data[first:]
        if mode == "cut":
            body = body[:100000]
        if mode in ("uneven", "more"):
            Handler.cuts += 1
        if mode == "uneven" and Handler.cuts < 20:
            body = body[:(60000, 100000, 50000, 80000)[Handler.cuts % 4]]
        if mode == "more":
            body = body[:500000 * Handler.cuts]
        try:
            self.send_slowly(body) if mode == "slow" else self.wfile.write(body)
        except OSError:
            pass
        if mode in ("cut", "short", "off", "uneven", "more"):
            self.close_connection = True


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(portfile + ".new", "w") as f:
    print(server.server_address[1], file=f)
os.rename(portfile + ".new", portfile)
server.serve_forever()
