import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folders of libraries that FFmpeg of Debian needs, below the one of the architecture. */
const libraryFolders = ['', 'pulseaudio', 'blas', 'lapack'];

/**
 * Writes scripts that run the ffmpeg and ffprobe of a file system of Debian in `root` with its own loader and
 * libraries, whatever those of this machine are. Returns the folder of the scripts.
 */
export async function programsOfRoot(root: string, folder: string): Promise<string> {
  const triplet = (await readdir(join(root, 'usr/lib'))).find((name) => name.endsWith('-linux-gnu'));
  if (!triplet) throw new Error(`${root} has no libraries of Debian`);
  const libraries = libraryFolders.map((inner) => join(root, 'usr/lib', triplet, inner));
  // a root without merged folders has the loader elsewhere, and its links are those of another file system
  const files = await readdir(join(root, 'usr'), { recursive: true });
  const loader = files.find((name) => /(^|\/)ld-linux-[\w-]+\.so\.\d$/.test(name));
  if (!loader) throw new Error(`${root} has no loader of shared libraries`);
  await mkdir(folder, { recursive: true });
  for (const name of ['ffmpeg', 'ffprobe']) {
    await writeFile(
      join(folder, name),
      `#!/bin/sh\nexec '${join(root, 'usr', loader)}' --library-path '${libraries.join(':')}' '${root}/usr/bin/${name}' "$@"\n`,
      { mode: 0o755 },
    );
  }
  return folder;
}
