# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
"""
Runs modules of rdma-core's pyverbs tests and reports as system tests do.

    rdma_core_tests.py FOLDER DEVICE MODULE...

FOLDER holds the unpacked tests. A test that is skipped counts as skipped only
for a reason that is listed here; a test of something that softhca does not
have is not run at all.
"""
import ctypes
import gc
import os
import re
import sys
import unittest
from importlib.machinery import SourceFileLoader

# What a test says when it is skipped, and why that is right.
SKIPS = (
    (r'ODP is not supported', 'on-demand paging is not reported'),
    (r'Create Mkey is not supported', 'signatures are not reported'),
    (r'Create Mlx5DV QP is not supported', 'signatures are not reported'),
    (r'Device memory is not supported', 'device memory is not reported'),
    (r'Device /dev/dri/', 'the guest has no GPU to share memory with'),
    (r'SRQ resize is not supported', 'the driver has no resizing of SRQs'),
    (r'Extended QP is not supported', 'atomic write is not reported'),
    (r'additional access flags 258', 'placement (flush) is not reported'),
    (r'RoCE v1', 'not for this kind of GID'),
)

ABSENT = (
    (r'xrc', 'QPs of users for XRC are not there'),
    (r'multicast', 'multicast is not there'),
)


def lookup(table, text):
    for pattern, why in table:
        if re.search(pattern, text):
            return why
    return None


class Result(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.failed = False

    @staticmethod
    def name(test):
        return 'pyverbs-' + test.id().replace('tests.', '', 1)

    def say(self, word, test, why=None):
        line = f'{word} {self.name(test)}'
        if why:
            line += ': ' + ' '.join(str(why).split())
        print(line, flush=True)
        if word == 'FAIL':
            self.failed = True

    def addSuccess(self, test):
        self.say('ok', test)

    def addSkip(self, test, reason):
        why = lookup(SKIPS, reason)
        if why:
            self.say('skip', test, why)
        else:
            self.say('FAIL', test, f'skipped, unexpectedly: {reason}')

    def addError(self, test, err):
        print(self._exc_info_to_string(err, test), file=sys.stderr)
        self.say('FAIL', test, err[1])

    addFailure = addError


def load(folder, device, modules):
    sys.argv = ['run_tests.py', '--dev', device]
    sys.path[:0] = [folder, folder + '/tests']
    tests = SourceFileLoader(
        'tests', folder + '/tests/__init__.py').load_module()
    from args_parser import parser
    parser.parse_args()
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f'*.{module}.*' for module in modules]
    return loader.loadTestsFromModule(tests)


def each(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from each(item)
        else:
            yield item


def main(folder, device, *modules):
    # A test that is skipped leaves its objects in a cycle, with the exception.
    # Collected, they go in any order: a CQ after its context has been closed.
    gc.disable()
    result = Result()
    number = 0
    for test in each(load(folder, device, modules)):
        number += 1
        why = lookup(ABSENT, test.id())
        if why:
            result.say('skip', test, why)
        else:
            test.run(result)
    if not number:
        print('FAIL pyverbs: no tests in ' + ' '.join(modules))
        return 1
    return 1 if result.failed else 0


if __name__ == '__main__':
    status = main(*sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # The provider's log is a stream of C, which _exit() would leave unwritten.
    ctypes.CDLL(None).fflush(None)
    os._exit(status)
