const percentage = String.raw`(?:100|\d{1,2})(?:\.\d{1,3})?%`;

/** The settings of WebVTT except `region`: regions are removed. */
const settingValues: Readonly<Record<string, RegExp>> = {
  vertical: /^(rl|lr)$/,
  line: new RegExp(String.raw`^(?:-?\d{1,3}|${percentage})(?:,(?:start|center|end))?$`),
  position: new RegExp(`^${percentage}(?:,(?:line-left|center|line-right))?$`),
  size: new RegExp(`^${percentage}$`),
  align: /^(start|center|end|left|right)$/,
};

/** The cue settings that WebVTT knows, each once. Others are left out. */
export function normalizeSettings(text: string): string {
  const settings = new Map<string, string>();
  for (const word of text.split(/[ \t]+/)) {
    const [name = '', value = ''] = word.split(':');
    // The name of an early draft
    const known = name === 'align' && value === 'middle' ? 'center' : value;
    if (Object.hasOwn(settingValues, name) && settingValues[name]?.test(known)) settings.set(name, known);
  }
  return [...settings].map(([name, value]) => `${name}:${value}`).join(' ');
}
