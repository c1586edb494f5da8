/**
 * Decides when the files of removed blobs are deleted: when no request reads them and no backup holds them.
 * `deleteFile` may fail: a file that remains is deleted at the next start.
 */
export function createBlobRemoval(deleteFile: (id: string) => void) {
  const readerCounts = new Map<string, number>();
  const removedWhileRead = new Set<string>();
  const removedWhileHeld: string[] = [];
  let holds = 0;

  function deleteUnlessHeld(id: string): void {
    if (holds > 0) removedWhileHeld.push(id);
    else deleteFile(id);
  }

  function endRead(id: string): void {
    const readers = readerCounts.get(id)! - 1;
    if (readers > 0) {
      readerCounts.set(id, readers);
      return;
    }
    readerCounts.delete(id);
    if (removedWhileRead.delete(id)) deleteUnlessHeld(id);
  }

  return {
    remove(ids: Iterable<string>): void {
      for (const id of ids) {
        if (readerCounts.has(id)) removedWhileRead.add(id);
        else deleteUnlessHeld(id);
      }
    },

    /** Runs `use`, during which the blobs can be read even if they are removed. */
    async retain<T>(ids: string[], use: () => Promise<T>): Promise<T> {
      for (const id of ids) readerCounts.set(id, (readerCounts.get(id) ?? 0) + 1);
      try {
        return await use();
      } finally {
        for (const id of ids) endRead(id);
      }
    },

    /** Keeps the files of all blobs that are removed until `release`. */
    hold() {
      holds += 1;
      return {
        release(): void {
          holds -= 1;
          if (holds === 0) for (const id of removedWhileHeld.splice(0)) deleteFile(id);
        },
      };
    },
  };
}
