import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { text } from '../messages/messages.ts';

type DropZoneProps = { onFiles(files: File[]): void; isDisabled: boolean };

/** Files or folders by drop or by the file chooser of the browser. */
export function DropZone({ onFiles, isDisabled }: DropZoneProps) {
  const [isOver, setIsOver] = useState(false);
  const fileInput = useRef<HTMLInputElement>(null);
  const folderInput = useRef<HTMLInputElement>(null);
  const messages = text.value.upload;
  useEffect(() => {
    if (folderInput.current) folderInput.current.webkitdirectory = true;
  }, []);

  const drop = async (event: DragEvent): Promise<void> => {
    event.preventDefault();
    setIsOver(false);
    if (event.dataTransfer && !isDisabled) onFiles(await droppedFiles(event.dataTransfer));
  };
  const choose = (event: Event): void => {
    const input = event.currentTarget as HTMLInputElement;
    onFiles(visible([...(input.files ?? [])]));
    // The same file can be chosen again.
    input.value = '';
  };
  return (
    <section
      class="drop-zone"
      aria-label={messages.dropLabel}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <p class="drop-title">{messages.drop}</p>
      <div class="row">
        <Button variant="primary" disabled={isDisabled} onClick={() => fileInput.current?.click()}>
          {messages.chooseFiles}
        </Button>
        <Button disabled={isDisabled} onClick={() => folderInput.current?.click()}>
          {messages.chooseFolder}
        </Button>
      </div>
      <p class="hint">{messages.dropHint}</p>
      <input ref={fileInput} type="file" multiple hidden onChange={choose} />
      <input ref={folderInput} type="file" multiple hidden onChange={choose} />
    </section>
  );
}

/** The files of a drop, also those in folders at any depth, without hidden ones such as `.DS_Store`. */
async function droppedFiles({ items, files }: DataTransfer): Promise<File[]> {
  // Entries are only available during the event, so all are taken before the first wait.
  const entries = [...items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return visible([...files]);
  return visible((await Promise.all(entries.map(filesBelow))).flat());
}

/** Hidden files are never videos. */
const visible = (files: readonly File[]): File[] => files.filter(({ name }) => !name.startsWith('.'));

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
