#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""Sockets for eth.sh.

source|sink ADDRESS MIB   TCP, that many MiB of random but known bytes
call|listen KIND ADDRESS NETDEV
                          UDP to a group (ip4, ip6) or to all (broadcast)
"""
import random
import socket
import sys
import time

PORT = 7401


def source(address, size):
    end = time.monotonic() + 60
    while True:
        try:
            s = socket.create_connection((address, PORT), timeout=60)
            break
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
    s.sendall(random.Random(size).randbytes(size))
    s.shutdown(socket.SHUT_WR)
    assert s.recv(10) == b"equal"


def sink(address, size):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    s = socket.socket(family, socket.SOCK_STREAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    s.bind((address, PORT))
    s.listen()
    peer, _ = s.accept()
    got = bytearray()
    while chunk := peer.recv(1 << 20):
        got += chunk
    equal = got == random.Random(size).randbytes(size)
    peer.sendall(b"equal" if equal else b"wrong")
    assert equal, f"{len(got)} of {size} bytes, not equal"


def udp(kind):
    family = socket.AF_INET6 if kind == "ip6" else socket.AF_INET
    s = socket.socket(family, socket.SOCK_DGRAM)
    s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    return s


def call(kind, address, netdev):
    s = udp(kind)
    index = socket.if_nametoindex(netdev)
    if kind == "ip6":
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
    elif kind == "ip4":
        s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF,
                     socket.inet_aton("10.9.0.1"))
    s.settimeout(0.3)
    for _ in range(40):
        s.sendto(b"hello", (address, PORT))
        try:
            data, _ = s.recvfrom(100)
            assert data == b"back"
            return
        except TimeoutError:
            pass
    raise SystemExit("nobody answered")


def listen(kind, address, netdev):
    s = udp(kind)
    index = socket.if_nametoindex(netdev)
    s.bind(("", PORT))
    if kind == "ip6":
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                     socket.inet_pton(socket.AF_INET6, address) +
                     index.to_bytes(4, sys.byteorder))
    elif kind == "ip4":
        s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                     socket.inet_aton(address) + socket.inet_aton("10.9.0.2"))
    s.settimeout(20)
    data, peer = s.recvfrom(100)
    assert data == b"hello"
    s.sendto(b"back", peer)


def main(what, *args):
    if what in ("source", "sink"):
        globals()[what](args[0], int(args[1]) << 20)
    else:
        globals()[what](*args)


main(*sys.argv[1:])
