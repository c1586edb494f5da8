# Runs each command of the AWS CLI in a fork of this process, which has imported the CLI: the imports take half a second
# of CPU time, the command itself a tenth. Ends when its stdin is closed.

import json
import os
import select
import signal
import socket
import sys

inherited = dict(os.environ)
import awscli.clidriver  # noqa: E402

# Variables that the CLI sets when it is imported, such as the folder of its service models.
own = {name: value for name, value in os.environ.items() if inherited.get(name) != value}


def run(args, folder, env):
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env | own)
    sys.argv = ["aws", *args]
    try:
        return awscli.clidriver.main()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def serve(connection):
    _, files, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rb") as request:
        command = json.load(request)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    # The parent ignores it; programs that the CLI starts need it.
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    status = run(command["args"], command["folder"], command["env"])
    connection.sendall(bytes([status & 255]))


signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.socket(socket.AF_UNIX)
listener.bind(sys.argv[1])
listener.listen(16)
print("ready", flush=True)
while True:
    ready, _, _ = select.select([listener, sys.stdin], [], [])
    if sys.stdin in ready:
        sys.exit()
    connection, _ = listener.accept()
    if os.fork() == 0:
        listener.close()
        status = 1
        try:
            serve(connection)
            status = 0
        finally:
            os._exit(status)
    connection.close()
