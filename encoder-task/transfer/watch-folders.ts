import { watch } from 'node:fs';

const pollMs = 300;

/**
 * Calls `onChange` when a file gets or loses a name in one of the folders. Also at an interval, because a machine may
 * have no watches left, and file systems of containers may not support them. Returns a function that ends this.
 */
export function watchFolders(folders: string[], onChange: () => void): () => void {
  const timer = setInterval(onChange, pollMs);
  const ends = folders.map((folder) => watchFolder(folder, onChange));
  return () => {
    clearInterval(timer);
    for (const end of ends) end();
  };
}

function watchFolder(folder: string, onChange: () => void): () => void {
  try {
    const watcher = watch(folder, (event) => {
      if (event === 'rename') onChange();
    });
    watcher.on('error', () => watcher.close());
    return () => watcher.close();
  } catch {
    return () => undefined;
  }
}
