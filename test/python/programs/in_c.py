"""Waits for a response in C, as pycurl and grpc do."""
import _socket
import os

host, port = os.environ["GREENROOM_URL"][len("http://"):].split(":")
connection = _socket.socket()
connection.connect((host, int(port)))
connection.send(b"GET /v1/models HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk-test\r\nConnection: close\r\n\r\n")
print(connection.recv(12).decode())
