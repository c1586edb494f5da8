/** The languages of Whisper's models with several languages, as they name them. */
const whisperLanguages: ReadonlySet<string> = new Set(
  (
    'en zh de es ru ko fr ja pt tr pl ca nl ar sv it id hi fi vi he uk el ms cs ro da hu ta no th ur hr bg lt la mi ml ' +
    'cy sk te fa lv bn sr az sl kn et mk br eu is hy ne mn bs kk sq sw gl mr pa si km sn yo so af oc ka be tg sd gu am ' +
    'yi lo uz fo ht ps tk nn mt sa lb my bo tl mg as tt haw ln ha ba jw su yue'
  ).split(' '),
);

const otherNames: Readonly<Record<string, string>> = { jv: 'jw', nb: 'no', fil: 'tl', cmn: 'zh' };

/** The name that Whisper has for the language of a BCP 47 tag. Undefined when its models do not know the language. */
export function whisperLanguage(tag: string): string | undefined {
  const base = tag.split('-')[0]!.toLowerCase();
  const name = otherNames[base] ?? base;
  return whisperLanguages.has(name) ? name : undefined;
}

/** The BCP 47 tag of a language that was detected. */
export const tagOfWhisper = (name: string): string => (name === 'jw' ? 'jv' : name);

/** The name of captions in the menu of players, such as `German (automatic)`. */
export function generatedLabel(tag: string): string {
  if (tag === 'und') return 'Automatic';
  const name = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' }).of(tag) ?? tag;
  return `${name} (automatic)`;
}
