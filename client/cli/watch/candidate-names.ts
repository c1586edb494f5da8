/** File name extensions that containers of video have. */
export const videoExtensions: readonly string[] =
  '3g2,3gp,avi,flv,m2ts,m2v,m4v,mkv,mov,mp4,mpeg,mpg,mts,mxf,ogv,qt,ts,vob,webm,wmv'.split(',');

/** What browsers, copy and download programs call a file that is not complete. */
const temporary = /(^~|~$|\.(part|partial|tmp|temp|crdownload|download|filepart|aria2|swp|!ut|!qb|opdownload|lock)$)/i;

/** Whether a file of this name is uploaded. `*` stands for every extension. */
export function isCandidate(name: string, extensions: readonly string[]): boolean {
  if (name.startsWith('.') || temporary.test(name)) return false;
  if (extensions.includes('*')) return true;
  const dot = name.lastIndexOf('.');
  return dot > 0 && extensions.includes(name.slice(dot + 1).toLowerCase());
}

/** The extensions of an option, with or without a dot. */
export const readExtensions = (list: readonly string[] | undefined): readonly string[] =>
  list?.map((extension) => extension.toLowerCase().replace(/^(\*?\.)(?=.)/, '')) ?? videoExtensions;
