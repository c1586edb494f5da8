import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { text } from '../messages/messages.ts';
import { droppedFiles, visible } from './dropped-files.ts';

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
