/** Lets the browser save a text as a file. */
export function saveFile(name: string, type: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  // Firefox reads the URL after this task.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
