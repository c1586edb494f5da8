import process from 'node:process';

// Loaded into the process of a task before its own code. When the parent process ends, even by SIGKILL, the IPC channel
// closes, and the task ends as well.

/** Time for the task to end its child processes. */
const graceMs = 3000;

process.once('disconnect', () => {
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), graceMs);
  process.kill(process.pid, 'SIGTERM');
});
// The channel must not keep a task alive that has finished.
process.channel?.unref();
