/** The files of a drop, also those in folders at any depth, without hidden ones such as `.DS_Store`. */
export async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  // Entries are only available during the event, so all are taken before the first wait.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return visible([...files]);
  return visible((await Promise.all(entries.map(filesBelow))).flat());
}

/** Hidden files are never videos. */
export const visible = (files: readonly File[]): File[] => files.filter(({ name }) => !name.startsWith('.'));

async function filesBelow(entry: FileSystemEntry): Promise<File[]> {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A reader returns the entries of a folder in batches, and an empty batch at the end.
  for (let batch = await readBatch(reader); batch.length > 0; batch = await readBatch(reader)) {
    files.push(...(await Promise.all(batch.map(filesBelow))).flat());
  }
  return files;
}

const readBatch = (reader: FileSystemDirectoryReader): Promise<FileSystemEntry[]> =>
  new Promise((resolve, reject) => reader.readEntries(resolve, reject));
