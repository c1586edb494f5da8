import process from 'node:process';

/**
 * Loaded into a task's process before its own code: ends it when the embedded cloud is gone, also by SIGKILL, which closes the channel between
 * them. The task gets the time to end its own children.
 */
const graceMs = 3000;

process.once('disconnect', () => {
  setTimeout(() => process.kill(-process.pid, 'SIGKILL'), graceMs);
  process.kill(process.pid, 'SIGTERM');
});
// The channel alone must not keep a task running that has nothing more to do.
process.channel?.unref();
